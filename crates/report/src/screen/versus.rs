//! AES or ChaCha20: the answer over all libraries, and the library that most people run, size by size.

use ciphermeter_core::{Record, escaped};

use super::cipher::{Cipher, Points};
use super::contest::{Contest, Pair, Row, contests, reach};
use super::rate::{peak, rate, rate_of_few, short, unit};
use super::verdict::Verdict;
use crate::layout::{LEFT, RIGHT, TableCell, TableColumn, TableLayout, TableRow, UNCUT};
use crate::measured::measured;
use crate::phrases::{listed, percent, version_number};
use crate::styled_line::{Style, StyledLine};

/// The library of the system, which most programs link; of transfers, what `send` and `recv` do.
pub(super) const USUAL: [&str; 2] = ["openssl", "ciphermeter"];

/// In fewer columns, the ciphers have their short names.
const WIDE: usize = 60;

/// A run's answer to which of two ciphers is faster.
pub(super) struct Versus<'a> {
    pub(super) pair: Pair,
    /// All libraries that have both.
    pub(super) contests: Vec<Contest<'a>>,
    /// The same read again.
    reading: Vec<Contest<'a>>,
    /// The library of the table, a place in `contests`.
    shown: usize,
}

/// How many comparisons each came out ahead in.
#[derive(Default)]
struct Tally {
    first: usize,
    second: usize,
    level: usize,
    unknown: usize,
}

impl Tally {
    fn new(verdicts: impl IntoIterator<Item = Verdict>) -> Self {
        let mut tally = Self::default();
        for verdict in verdicts {
            *match verdict {
                Verdict::First(_) => &mut tally.first,
                Verdict::Second(_) => &mut tally.second,
                Verdict::Level(_) => &mut tally.level,
                Verdict::Unknown => &mut tally.unknown,
            } += 1;
        }
        tally
    }

    fn all(&self) -> usize {
        self.first + self.second + self.level + self.unknown
    }

    fn is_mostly_known(&self) -> bool {
        2 * self.unknown <= self.all() && self.all() > 0
    }
}

impl<'a> Versus<'a> {
    /// `None` where no library has a cipher of each kind.
    pub(super) fn find(records: &'a [Record]) -> Option<Self> {
        let pair = Pair::find(records)?;
        let contests = contests(records, pair);
        let speed = |contest: &Contest| {
            let fastest =
                contest.rows.last().and_then(|row| measured(row.first)).map_or(0.0, |own| 1.0 / own.range.mid);
            (USUAL.contains(&contest.provider), contest.rows.len(), fastest)
        };
        let shown = (0..contests.len()).max_by(|a, b| {
            let ((usual, rows, fast), (other_usual, other_rows, other_fast)) =
                (speed(&contests[*a]), speed(&contests[*b]));
            (usual, rows).cmp(&(other_usual, other_rows)).then(fast.total_cmp(&other_fast))
        })?;
        Some(Self { pair, reading: self::contests(records, pair.read()), contests, shown })
    }

    /// The library of the table.
    pub(super) fn contest(&self) -> &Contest<'a> {
        &self.contests[self.shown]
    }

    /// Its name and version.
    fn library(&self) -> String {
        let provenance = self.contest().rows.first().and_then(|row| row.first.provenance.as_ref());
        let version = provenance.map(|from| version_number(&from.version)).unwrap_or_default();
        format!("{} {version}", escaped(self.contest().provider)).trim_end().to_string()
    }

    /// How many comparisons of libraries and sizes there are.
    fn comparisons(&self) -> usize {
        self.contests.iter().map(|contest| contest.rows.len()).sum()
    }

    /// Of all libraries and sizes, each verdict holding together with all others.
    fn tally(&self) -> Tally {
        let comparisons = self.comparisons();
        Tally::new(self.contests.iter().flat_map(|contest| contest.verdicts(comparisons)).map(|(_, verdict)| verdict))
    }

    /// Whether most of the comparisons, of all libraries or of the table's, are decided.
    pub(super) fn is_answered(&self) -> bool {
        self.tally().is_mostly_known() || self.own_tally().is_mostly_known()
    }

    /// Of the table alone.
    fn own_tally(&self) -> Tally {
        let verdicts = self.contest().verdicts(self.contest().rows.len());
        Tally::new(verdicts.into_iter().map(|(_, verdict)| verdict))
    }

    /// Whether more than half of all comparisons have no answer, so that the screen says why.
    pub(super) fn lacks(&self) -> bool {
        !self.tally().is_mostly_known()
    }

    /// The cipher to use, where one is faster or level in every comparison that has an answer; speed is no reason to give up the tag.
    pub(super) fn winner(&self) -> Option<Cipher> {
        let tally = self.tally();
        let winner = match (tally.first, tally.second) {
            (1.., 0) => self.pair.first,
            (0, 1..) => self.pair.second,
            _ => return None,
        };
        (self.is_answered() && winner.has_tag()).then_some(winner)
    }

    /// The most forks of any comparison.
    pub(super) fn most_forks(&self) -> usize {
        let rows = self.contests.iter().flat_map(|contest| &contest.rows);
        rows.map(|row| row.logs.len()).max().unwrap_or(0)
    }

    /// The fewest and the most forks of the table's comparisons.
    pub(super) fn forks(&self) -> (usize, usize) {
        let forks = || self.contest().rows.iter().map(|row| row.logs.len());
        (forks().min().unwrap_or(0), forks().max().unwrap_or(0))
    }

    /// What to use, in a sentence, and what it rests on in another.
    pub(super) fn answer(&self) -> Vec<String> {
        let Pair { first, second, .. } = self.pair;
        let tally = self.tally();
        let mut sentences = match (tally.first, tally.second) {
            // The table knows more than all libraries together.
            _ if !tally.is_mostly_known() && self.own_tally().is_mostly_known() => {
                let own = self.contest();
                vec![format!("With {}, {}.", escaped(own.provider), own.sentence(self.pair))]
            }
            (0, 0) => vec![self.neither()],
            (faster, 0) => vec![self.one_of_them(first, second, faster, &tally)],
            (0, faster) => vec![self.one_of_them(second, first, faster, &tally)],
            _ => self.by_library(),
        };
        if !first.has_tag() && !second.has_tag() && !self.pair.moves_files() {
            sentences.push("Neither has a tag: changed data goes unnoticed.".into());
        }
        if first.has_tag() != second.has_tag() {
            let (with, without) = if first.has_tag() { (first, second) } else { (second, first) };
            let (with, without) = (with.title(), without.title());
            sentences.push(format!("{without} has no tag: it does not notice changed data, as {with} does."));
        }
        sentences
    }

    fn one_of_them(&self, faster: Cipher, slower: Cipher, wins: usize, tally: &Tally) -> String {
        let (faster_title, slower_title) = (faster.title(), slower.title());
        let begin = match self.winner() {
            Some(_) => format!("Use {faster_title}. It is faster than {slower_title}"),
            None => format!("{faster_title} is faster than {slower_title}"),
        };
        let (libraries, sizes) = (self.contests.len(), self.contest().rows.len());
        let with = match libraries {
            1 => format!("with {}", escaped(self.contest().provider)),
            2 => "in both libraries".into(),
            libraries => format!("in all {libraries} libraries"),
        };
        let all = tally.all();
        let ratios = self.contests.iter().flat_map(|contest| contest.verdicts(self.comparisons()));
        let reach = reach(ratios.filter_map(|(_, verdict)| verdict.said()));
        if wins == all {
            let at = if sizes == 1 { "" } else { " at every size" };
            return format!("{begin} {with}{at}: {reach}.");
        }
        let rest = [(tally.level, "level"), (tally.unknown, "without an answer yet")];
        let rest = rest.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
        let rest = listed(&rest.collect::<Vec<_>>());
        match self.is_answered() {
            true => format!("{begin} in {wins} of {all} comparisons, {reach}; {rest}."),
            false if tally.level == 0 => format!(
                "No answer yet: {faster_title} is faster than {slower_title} in all {wins} comparisons that have an \
                 answer, but {} of {all} have none yet.",
                tally.unknown
            ),
            false => format!("No answer yet: {begin} in {wins} of {all} comparisons, {rest}."),
        }
    }

    /// For libraries that differ: which cipher in which, the table's library first.
    fn by_library(&self) -> Vec<String> {
        let Pair { first, second, .. } = self.pair;
        let mut groups: [Vec<&Contest>; 3] = Default::default();
        let own = std::iter::once(self.contest());
        for contest in own.chain(self.contests.iter().filter(|contest| contest.provider != self.contest().provider)) {
            let verdicts = contest.verdicts(self.comparisons()).into_iter();
            let tally = Tally::new(verdicts.map(|(_, verdict)| verdict));
            match (tally.first, tally.second) {
                (0, 0) => {}
                (_, 0) => groups[0].push(contest),
                (0, _) => groups[1].push(contest),
                _ => groups[2].push(contest),
            }
        }
        let [firsts, seconds, mixed] = groups;
        let names = |contests: &[&Contest]| -> String {
            listed(&contests.iter().map(|contest| escaped(contest.provider)).collect::<Vec<_>>())
        };
        let alike = [(first, firsts), (second, seconds)].into_iter().filter(|(_, contests)| !contests.is_empty());
        let alike: Vec<_> =
            alike.map(|(cipher, contests)| format!("{} with {}", cipher.title(), names(&contests))).collect();
        let mut sentences = match alike.as_slice() {
            [] => vec!["It depends on the library and the size.".to_string()],
            alike => vec![format!("Use {}.", listed(alike))],
        };
        let most = 2;
        for contest in mixed.iter().take(most) {
            sentences.push(format!("With {}, {}.", escaped(contest.provider), contest.sentence(self.pair)));
        }
        if mixed.len() > most {
            sentences.push(format!("With {}, it depends on the size, too.", names(&mixed[most..])));
        }
        sentences
    }

    fn neither(&self) -> String {
        let tally = self.tally();
        match (tally.level, tally.unknown) {
            (_, 0) => format!("{} and {} are level here.", self.pair.first.title(), self.pair.second.title()),
            (0, _) => "No answer yet.".into(),
            (level, unknown) => format!("Level in {level} comparisons, and no answer yet in {unknown}."),
        }
    }

    /// The table of one library: a row a size.
    pub(super) fn table(&self, most_rows: usize, width: usize) -> Vec<StyledLine> {
        let rows = self.contest().shown(most_rows);
        let points = Points(rows.iter().map(|row| row.point).collect());
        let (first, second) = (self.pair.first.title(), self.pair.second.title());
        let memory = self.has_memory();
        // Two columns more, long labels, or a narrow terminal leave no room for whole names.
        let (first, second) = match (memory, width < WIDE || points.rotate()) {
            (false, false) => (first, second),
            (true, false) => (first.trim_end_matches("-Poly1305"), second.trim_end_matches("-Poly1305")),
            (_, true) => (short(first), short(second)),
        };
        let mut titles = vec!["", first, second, "faster", "", ""];
        let second_peak = format!("({second})");
        if memory {
            titles.extend(["peak memory", &second_peak]);
        }
        let wide = TableColumn { gap: 2, ..RIGHT };
        let mut columns = vec![LEFT, wide, wide, TableColumn { gap: 3, ..LEFT }, RIGHT, TableColumn { gap: 2, ..LEFT }];
        columns.resize(titles.len(), wide);
        let heading = format!("{}, {}", self.library(), unit(self.pair));
        let mut lines = vec![TableRow::titles(&heading, titles)];
        lines.extend(rows.iter().map(|row| TableRow::Cells(self.cells(row, &points.label(row.point), memory))));
        // The interval goes first.
        let step = |interval| (0..columns.len()).map(|place| if place == 5 { interval } else { UNCUT }).collect();
        TableLayout::plan(&columns, &[step(UNCUT), step(0)], &lines, width).lines(&lines)
    }

    fn cells(&self, row: &Row, label: &str, memory: bool) -> Vec<TableCell> {
        let verdict = Verdict::new(&row.logs, self.contest().rows.len());
        let (figure, interval) = verdict.short_figures();
        // What is enough for the ratio is enough for what it is made of.
        let enough = row.logs.len() >= ciphermeter_stats::LEAST_FORKS;
        let shown = |record| if enough { rate_of_few(record) } else { rate(record) };
        let [first, second] = match verdict {
            Verdict::First(_) => [Style::Green, Style::Plain],
            Verdict::Second(_) => [Style::Plain, Style::Green],
            _ => [Style::Plain; 2],
        };
        let faster = match verdict {
            Verdict::First(_) => short(self.pair.first.title()),
            Verdict::Second(_) => short(self.pair.second.title()),
            _ => "",
        };
        let mut cells = vec![
            TableCell::new(format!("  {label}"), Style::Plain),
            TableCell::new(shown(row.first), first),
            TableCell::new(shown(row.second), second),
            TableCell::new(faster, Style::Plain),
            TableCell::new(figure, Style::Plain),
            TableCell::new(interval, Style::Dim),
        ];
        if memory {
            let text = |record| peak(record).map_or("–".into(), crate::figure::bytes);
            cells.extend([row.first, row.second].map(|record| TableCell::new(text(record), Style::Plain)));
        }
        cells
    }

    /// Whether its table has memory.
    pub(super) fn has_memory(&self) -> bool {
        self.contest().rows.iter().any(|row| peak(row.first).is_some())
    }

    /// What reading comes to beside protecting: nothing where it was not measured.
    pub(super) fn reading(&self) -> Option<String> {
        let reading = self.reading.iter().find(|contest| contest.provider == self.contest().provider)?;
        let [own, other] =
            [self.pair.first.operation, self.pair.read().first.operation].map(|operation| operation.to_string());
        if own == other || !self.is_answered() {
            return None;
        }
        let rows = self.contest().rows.len().max(1);
        let (before, after) = (self.contest().verdicts(rows), reading.verdicts(rows));
        let same = before.iter().zip(&after).all(|((point, one), (also, two))| {
            point == also && std::mem::discriminant(one) == std::mem::discriminant(two)
        });
        let far = before.iter().zip(&after).filter_map(|((_, one), (_, two))| {
            let (one, two) = (one.ratio()?.mid, two.ratio()?.mid);
            Some((one / two).max(two / one) - 1.0)
        });
        let far = far.fold(0.0, f64::max);
        Some(match same && before.len() == after.len() && far < 0.15 {
            true if far > 0.0 => {
                format!("{other} gives the same answer as {own} (ratios within {}).", percent(far))
            }
            true => format!("{other} gives the same answer as {own}."),
            false => format!("{other}: {}.", reading.sentence(self.pair)),
        })
    }
}
