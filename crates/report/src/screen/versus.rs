//! AES or ChaCha20: the answer over all libraries, and the library that most people run, size by size.

use ciphermeter_core::{Operation, Record, escaped};

use super::cipher::{Cipher, Points};
use super::contest::{Contest, Pair, contests, reach};
use super::verdict::Verdict;
use crate::figure::decimals;
use crate::gb_per_s;
use crate::layout::{LEFT, RIGHT, TableCell, TableColumn, TableLayout, TableRow, UNCUT};
use crate::measured::measured;
use crate::memory::Medians;
use crate::phrases::{listed, percent};
use crate::styled_line::{Style, StyledLine};

/// The library of the system, which most programs link; of transfers, what `send` and `recv` do.
const USUAL: [&str; 2] = ["openssl", "ciphermeter"];

/// A run's answer to which of two ciphers is faster.
pub(super) struct Versus<'a> {
    pub(super) pair: Pair,
    contests: Vec<Contest<'a>>,
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
}

impl Tally {
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
        let version = provenance.map(|from| escaped(&from.version)).unwrap_or_default();
        // Beside the number stand the package of one algorithm, or what it was built with.
        let is_number = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit());
        let version = version.split(' ').find(is_number).unwrap_or_default().trim_end_matches(',');
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

    /// Whether there is any comparison without an answer among many.
    pub(super) fn lacks(&self) -> bool {
        !self.tally().is_mostly_known()
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
        if first.has_tag() != second.has_tag() {
            let (with, without) = if first.has_tag() { (first, second) } else { (second, first) };
            let (with, without) = (with.title(), without.title());
            sentences.push(format!("{without} has no tag: it does not notice changed data, as {with} does."));
        }
        sentences
    }

    fn one_of_them(&self, faster: Cipher, slower: Cipher, wins: usize, tally: &Tally) -> String {
        // Speed is no reason to give up the tag.
        let (faster_title, slower_title) = (faster.title(), slower.title());
        let begin = match self.is_answered() && (faster.has_tag() || !slower.has_tag()) {
            true => format!("Use {faster_title}. It is faster than {slower_title}"),
            false => format!("{faster_title} is faster than {slower_title}"),
        };
        let (libraries, sizes) = (self.contests.len(), self.contest().rows.len());
        let with = match libraries {
            1 => format!("with {}", escaped(self.contest().provider)),
            2 => "in both libraries".into(),
            libraries => format!("in all {libraries} libraries"),
        };
        let all = tally.all();
        let ratios = self.contests.iter().flat_map(|contest| contest.verdicts(self.comparisons()));
        let reach = reach(ratios.filter_map(|(_, verdict)| Some(verdict.ratio()?.mid)));
        if wins == all {
            let at = if sizes == 1 { "" } else { " at every size" };
            return format!("{begin} {with}{at}: {reach}.");
        }
        let rest = [(tally.level, "level"), (tally.unknown, "without an answer yet")];
        let rest = rest.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
        let rest = listed(&rest.collect::<Vec<_>>());
        match self.is_answered() {
            true => format!("{begin} in {wins} of {all} comparisons, {reach}; {rest}."),
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
        let memory = rows.iter().any(|row| peak(row.first).is_some());
        let (first, second) = (self.pair.first.title(), self.pair.second.title());
        let heading = format!("{}, {}", self.library(), unit(self.pair));
        let named = if memory { [short(first), short(second)] } else { [first, second] };
        let mut titles: Vec<String> = [named[0], named[1], "faster", "", ""].map(String::from).into();
        titles.insert(0, String::new());
        if memory {
            titles.extend(["peak memory".to_string(), format!("({})", short(second))]);
        }
        let mut lines = vec![TableRow::titles(&heading, &titles)];
        for row in &rows {
            let verdict = Verdict::new(&row.logs, self.contest().rows.len());
            let (figure, interval) = verdict.figures();
            // What is enough for the ratio is enough for what it is made of.
            let enough = row.logs.len() >= ciphermeter_stats::LEAST_FORKS;
            let shown = |record| if enough { in_unit(record) } else { rate(record) };
            let ahead = match verdict {
                Verdict::First(_) => short(first),
                Verdict::Second(_) => short(second),
                _ => "",
            };
            let style = |is_ahead: bool| if is_ahead { Style::Green } else { Style::Plain };
            let mut cells = vec![
                TableCell::new(format!("  {}", points.label(row.point)), Style::Plain),
                TableCell::new(shown(row.first), style(matches!(verdict, Verdict::First(_)))),
                TableCell::new(shown(row.second), style(matches!(verdict, Verdict::Second(_)))),
                TableCell::new(ahead, Style::Plain),
                TableCell::new(figure, Style::Plain),
                TableCell::new(interval, Style::Dim),
            ];
            if memory {
                cells.extend([row.first, row.second].map(|record| {
                    TableCell::new(peak(record).map(crate::figure::bytes).unwrap_or("–".into()), Style::Plain)
                }));
            }
            lines.push(TableRow::Cells(cells));
        }
        let wide = TableColumn { gap: 2, ..RIGHT };
        let mut columns = vec![LEFT, wide, wide, TableColumn { gap: 3, ..LEFT }, RIGHT, TableColumn { gap: 2, ..LEFT }];
        columns.resize(titles.len(), wide);
        // The interval goes first.
        let step = |interval| (0..columns.len()).map(|place| if place == 5 { interval } else { UNCUT }).collect();
        TableLayout::plan(&columns, &[step(UNCUT), step(0)], &lines, width).lines(&lines)
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
                format!("{other}: the same answer, its ratios within {} of those of {own}.", percent(far))
            }
            true => format!("{other}: the same answer."),
            false => format!("{other}: {}.", reading.sentence(self.pair)),
        })
    }
}

/// `AES` or `ChaCha20`, for narrow columns.
pub(super) fn short(title: &str) -> &str {
    if title.contains("ChaCha20") { "ChaCha20" } else { "AES" }
}

/// GB/s, `–` before there are enough forks for anything.
pub(super) fn rate(record: &Record) -> String {
    match measured(record).is_some_and(|summary| is_settled(summary.forks)) {
        true => in_unit(record),
        false => "–".into(),
    }
}

fn in_unit(record: &Record) -> String {
    let Some(summary) = measured(record) else { return "–".into() };
    let scale = if record.cell.operation == Operation::Transfer { 1000.0 } else { 1.0 };
    match gb_per_s(&record.cell, summary.range).map(|rate| rate.mid * scale) {
        Some(rate) => format!("{:.*}", decimals(rate), rate),
        None => "–".into(),
    }
}

/// The unit of [`rate`].
pub(super) fn unit(pair: Pair) -> &'static str {
    if pair.moves_files() { "MB/s" } else { "GB/s" }
}

/// Whether a cell has as many forks as any figure takes.
pub(super) fn is_settled(forks: u32) -> bool {
    forks as usize >= ciphermeter_stats::LEAST_FORKS
}

fn peak(record: &Record) -> Option<u64> {
    Medians::of(record)?.peak_rss
}
