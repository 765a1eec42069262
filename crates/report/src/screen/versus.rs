//! AES or ChaCha20: what all libraries come to, and the library that most people run, size by size.

use ciphermeter_core::{Record, escaped};
use ciphermeter_estimate::{Cipher, CipherPair, Comparison, Side, Thresholds, recommended};

use super::contest::{Contest, Row, contests, pair};
use super::rate::{peak, rate, rate_of_few, unit};
use crate::layout::{LEFT, RIGHT, TableCell, TableColumn, TableLayout, TableRow, UNCUT};
use crate::styled_line::{Style, StyledLine};
use ciphermeter_answer::measured::measured;
use ciphermeter_answer::point::Points;
use ciphermeter_answer::words::Figures;
use ciphermeter_answer::words::{percent, version_number};

/// The library of the system, which most programs link; of transfers, what `send` and `recv` do.
pub(super) const USUAL: [&str; 2] = ["openssl", "ciphermeter"];

/// In fewer columns, the ciphers have their short names.
const WIDE: usize = 60;

/// A run's answer to which of two ciphers is faster.
pub(super) struct Versus<'a> {
    pub(super) pair: CipherPair,
    /// The libraries that count; where none does, all.
    pub(super) contests: Vec<Contest<'a>>,
    /// Those of which one cipher is not to be recommended, unless the other is the faster.
    pub(super) left_out: Vec<Contest<'a>>,
    /// Whether any library counts.
    pub(super) is_fit: bool,
    /// The same read again.
    pub(super) reading: Vec<Contest<'a>>,
    /// The library of the table, a place in `contests`.
    shown: usize,
}

/// How many comparisons each came out ahead in.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) equal: usize,
    pub(super) unknown: usize,
    /// Those of which a cell has no figure.
    pub(super) missing: usize,
    /// Which of the two they recommend together.
    pub(super) recommended: Option<Side>,
}

impl Tally {
    /// Each verdict holding together with all others of so many.
    pub(super) fn of<'c, 'a: 'c>(contests: impl IntoIterator<Item = &'c Contest<'a>>, comparisons: usize) -> Self {
        let mut tally = Self::default();
        let mut all = Vec::new();
        for contest in contests {
            all.extend(contest.verdicts(comparisons).into_iter().map(|(_, comparison)| comparison));
            tally.missing += contest.gaps.len();
        }
        for comparison in &all {
            *match comparison {
                Comparison::First(_) => &mut tally.first,
                Comparison::Second(_) => &mut tally.second,
                Comparison::Equal(_) => &mut tally.equal,
                Comparison::Unknown(_) => &mut tally.unknown,
            } += 1;
        }
        tally.recommended = recommended(&all, tally.missing);
        tally
    }

    fn measured(&self) -> usize {
        self.first + self.second + self.equal + self.unknown
    }

    pub(super) fn all(&self) -> usize {
        self.measured() + self.missing
    }

    pub(super) fn is_mostly_known(&self) -> bool {
        2 * (self.unknown + self.missing) <= self.all() && self.all() > 0
    }
}

/// Whether each cipher that this library recommends may be: a verdict beside a cipher that may not counts where that one loses.
fn counts(contest: &Contest, pair: CipherPair, comparisons: usize) -> bool {
    let tally = Tally::of([contest], comparisons);
    match [pair.first, pair.second].map(|cipher| contest.unfit(cipher, pair).is_none()) {
        [true, true] => true,
        [first, second] => {
            (first && tally.second == 0 && tally.first > 0) || (second && tally.first == 0 && tally.second > 0)
        }
    }
}

impl<'a> Versus<'a> {
    /// `None` where no library has a cipher of each kind.
    pub(super) fn find(records: &'a [Record]) -> Option<Self> {
        let pair = pair(records)?;
        let all = contests(records, pair);
        let comparisons = all.iter().map(|contest| contest.rows.len()).sum();
        let (mut contests, mut left_out): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|contest| counts(contest, pair, comparisons));
        let is_fit = contests.iter().any(|contest| !contest.rows.is_empty());
        if !is_fit {
            contests.append(&mut left_out);
        }
        let speed = |contest: &Contest| {
            let fastest =
                contest.rows.last().and_then(|row| measured(row.first)).map_or(0.0, |own| 1.0 / own.range.mid);
            let is_usual = USUAL.contains(&contest.provider) && !contest.rows.is_empty();
            (is_usual, contest.rows.len(), fastest)
        };
        let shown = (0..contests.len()).max_by(|a, b| {
            let ((usual, rows, fast), (other_usual, other_rows, other_fast)) =
                (speed(&contests[*a]), speed(&contests[*b]));
            (usual, rows).cmp(&(other_usual, other_rows)).then(fast.total_cmp(&other_fast))
        })?;
        Some(Self { pair, reading: self::contests(records, pair.read()), contests, left_out, is_fit, shown })
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
    pub(super) fn comparisons(&self) -> usize {
        self.contests.iter().chain(&self.left_out).map(|contest| contest.rows.len()).sum()
    }

    /// Of all libraries and sizes.
    pub(super) fn tally(&self) -> Tally {
        Tally::of(&self.contests, self.comparisons())
    }

    /// Whether most of the comparisons, of all libraries or of the table's, are decided.
    pub(super) fn is_answered(&self) -> bool {
        self.is_fit && (self.tally().is_mostly_known() || self.own_tally().is_mostly_known())
    }

    /// Of the table alone.
    pub(super) fn own_tally(&self) -> Tally {
        Tally::of([self.contest()], self.contest().rows.len())
    }

    /// Whether more than half of what was measured has no answer, so that the screen says why.
    pub(super) fn lacks(&self) -> bool {
        let tally = self.tally();
        2 * tally.unknown > tally.measured()
    }

    /// The cipher to use, if the comparisons recommend one; speed is no reason to give up the tag.
    pub(super) fn winner(&self) -> Option<Cipher> {
        let winner = match self.tally().recommended? {
            Side::First => self.pair.first,
            Side::Second => self.pair.second,
        };
        (self.is_answered() && winner.has_tag()).then_some(winner)
    }

    /// The most forks of any comparison.
    pub(super) fn most_forks(&self) -> usize {
        let rows = self.contests.iter().flat_map(|contest| &contest.rows);
        rows.map(|row| row.logs.forks()).max().unwrap_or(0)
    }

    /// The fewest and the most forks of the table's comparisons.
    pub(super) fn forks(&self) -> (usize, usize) {
        let forks = || self.contest().rows.iter().map(|row| row.logs.forks());
        (forks().min().unwrap_or(0), forks().max().unwrap_or(0))
    }

    /// The table of one library: a row a size.
    pub(super) fn table(&self, most_rows: usize, width: usize) -> Vec<StyledLine> {
        let rows = self.contest().shown(most_rows);
        let points = Points(rows.iter().map(|row| row.point).collect());
        let (first, second) = (self.pair.first.title(), self.pair.second.title());
        let [own, other] = self.kinds();
        let memory = self.has_memory();
        // Two columns more, long labels, or a narrow terminal leave no room for whole names.
        let (first, second) = match (memory, width < WIDE || points.rotate()) {
            (false, false) => (first, second),
            (true, false) => (first.trim_end_matches("-Poly1305"), second.trim_end_matches("-Poly1305")),
            (_, true) => (own, other),
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

    /// `AES` and `ChaCha20`.
    fn kinds(&self) -> [&'static str; 2] {
        self.pair.both().map(|cipher| cipher.algorithm.kind().title())
    }

    fn cells(&self, row: &Row, label: &str, memory: bool) -> Vec<TableCell> {
        let verdict = Comparison::of_logs(&row.logs, Thresholds::of(self.contest().rows.len()));
        let (figure, interval) = verdict.short_figures();
        // What is enough for the ratio is enough for what it is made of.
        let enough = row.logs.are_enough();
        let shown = |record| if enough { rate_of_few(record) } else { rate(record) };
        let [first, second] = match verdict {
            Comparison::First(_) => [Style::Green, Style::Plain],
            Comparison::Second(_) => [Style::Plain, Style::Green],
            _ => [Style::Plain; 2],
        };
        let [own, other] = self.kinds();
        let faster = match verdict {
            Comparison::First(_) => own,
            Comparison::Second(_) => other,
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
            let text = |record| peak(record).map_or("–".into(), ciphermeter_answer::words::bytes);
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
        if reading.rows.is_empty() {
            return None;
        }
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
