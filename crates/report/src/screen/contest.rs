//! Two ciphers by one library, at every size at which both were to be measured: what came of it, and what has no figure.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Outcome, Record};
use ciphermeter_estimate::{self as estimate, Cipher, CipherPair, Comparison, Logs, Thresholds};

use ciphermeter_answer::measured::{is_here, measured, wrong_here};
use ciphermeter_answer::point::{Point, Points, spread};
use ciphermeter_answer::words::{Figures, times};
use ciphermeter_answer::words::{listed, of_library};

/// What a library has of both, smallest size first.
pub(super) struct Contest<'a> {
    pub(super) provider: &'a str,
    pub(super) rows: Vec<Row<'a>>,
    /// What has no figure.
    pub(super) gaps: Vec<Gap<'a>>,
    /// Why the first and the second are not to be recommended from this library, however fast.
    unfit: [Option<Unfit>; 2],
}

/// A size at which a cell of either has no figure, and what became of both.
pub(super) struct Gap<'a> {
    point: Point,
    both: [&'a Record; 2],
}

/// What is said of cells without a figure, and which they are.
type Sort = (&'static str, fn(&Record) -> bool);

/// Why a cipher of a library is never recommended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unfit {
    /// Its output was wrong somewhere in the run.
    Wrong,
    /// What it protects could not be read again: every such cell failed.
    Unreadable,
}

/// Both at one size.
pub(super) struct Row<'a> {
    pub(super) point: Point,
    pub(super) first: &'a Record,
    pub(super) second: &'a Record,
    /// For each fork: ln(time of the second ÷ time of the first).
    pub(super) logs: Logs,
}

/// The two ciphers that a run lets you choose between: those of which one library has figures of both.
pub(super) fn pair(records: &[Record]) -> Option<CipherPair> {
    CipherPair::find(records.iter().filter(|record| measured(record).is_some()).map(|record| &record.cell))
}

/// Every library that was to have both at some size. Those that refuse one of them at every size do not have it.
pub(super) fn contests(records: &[Record], pair: CipherPair) -> Vec<Contest<'_>> {
    let mut cells = BTreeMap::<(&str, Point), [Option<&Record>; 2]>::new();
    for record in records.iter().filter(|record| pair.takes(&record.cell)) {
        for (place, cipher) in pair.both().into_iter().enumerate() {
            if cipher.is_of(&record.cell) {
                let key = (record.cell.provider.as_str(), Point::of(&record.cell.parameters));
                let known = &mut cells.entry(key).or_default()[place];
                if known.is_none() || measured(record).is_some() {
                    *known = Some(record);
                }
            }
        }
    }
    let mut contests: Vec<Contest> = Vec::new();
    for ((provider, point), both) in cells {
        let [Some(first), Some(second)] = both else { continue };
        if contests.last().is_none_or(|contest| contest.provider != provider) {
            let unfit = pair.both().map(|cipher| unfit(records, provider, cipher, pair));
            contests.push(Contest { provider, rows: Vec::new(), gaps: Vec::new(), unfit });
        }
        let Some(contest) = contests.last_mut() else { continue };
        match [first, second].into_iter().all(|record| measured(record).is_some()) {
            true => {
                let logs = estimate::logs(second, first);
                contest.rows.push(Row { point, first, second, logs });
            }
            false => contest.gaps.push(Gap { point, both: [first, second] }),
        }
    }
    contests.retain(|contest| !contest.rows.is_empty() || !contest.refuses_one());
    contests
}

fn unfit(records: &[Record], provider: &str, cipher: Cipher, pair: CipherPair) -> Option<Unfit> {
    let is_its = |record: &Record| record.cell.provider == provider && record.cell.algorithm == cipher.algorithm;
    if wrong_here(records).any(is_its) {
        return Some(Unfit::Wrong);
    }
    let own = |record: &&Record| is_here(record) && is_its(record);
    let reads = pair.read().both().into_iter().find(|other| other.algorithm == cipher.algorithm)?;
    let mut read =
        records.iter().filter(own).filter(|record| pair.takes(&record.cell) && reads.is_of(&record.cell)).peekable();
    // What was never made is only missing.
    let is_made = records.iter().filter(own).any(|record| cipher.is_of(&record.cell) && measured(record).is_some());
    let is_unreadable = reads.operation != cipher.operation
        && is_made
        && read.peek().is_some()
        && read.all(|record| matches!(record.outcome, Outcome::Failed { .. }));
    is_unreadable.then_some(Unfit::Unreadable)
}

impl<'a> Contest<'a> {
    /// All verdicts, which are to hold at once with those of further comparisons.
    pub(super) fn verdicts(&self, comparisons: usize) -> Vec<(Point, Comparison)> {
        self.rows.iter().map(|row| (row.point, Comparison::of_logs(&row.logs, Thresholds::of(comparisons)))).collect()
    }

    /// Whether it refuses one of them at every size.
    fn refuses_one(&self) -> bool {
        let is_refused = |record: &Record| matches!(record.outcome, Outcome::Unsupported { .. });
        (0..2).any(|place| self.gaps.iter().all(|gap| is_refused(gap.both[place])))
    }

    /// Why the cipher is not to be recommended from this library.
    pub(super) fn unfit(&self, cipher: Cipher, pair: CipherPair) -> Option<Unfit> {
        self.unfit[usize::from(cipher == pair.second)]
    }

    /// All sizes, whether or not they have a verdict.
    fn points(&self) -> Points {
        let rows = self.rows.iter().map(|row| row.point);
        let all: BTreeSet<Point> = rows.chain(self.gaps.iter().map(|gap| gap.point)).collect();
        Points(all.into_iter().collect())
    }

    /// What has no figure, and why: `openssl's AES-256-GCM failed at 64 B`.
    fn missing(&self, pair: CipherPair) -> Vec<String> {
        let points = self.points();
        let sorts: [Sort; 4] = [
            ("gave wrong output", |record| matches!(record.outcome, Outcome::WrongOutput { .. })),
            ("failed", |record| matches!(record.outcome, Outcome::Failed { .. })),
            ("was not measured", |record| matches!(record.outcome, Outcome::LeftOut(_) | Outcome::Unsupported { .. })),
            ("has no samples", |record| record.outcome == Outcome::Measured && measured(record).is_none()),
        ];
        let each = pair.both().into_iter().enumerate().flat_map(|each| sorts.map(|sort| (each, sort)));
        let said = each.filter_map(|((place, cipher), (what, is_so))| {
            let gaps = self.gaps.iter().filter(|gap| is_so(gap.both[place]));
            let at: Vec<Point> = gaps.map(|gap| gap.point).collect();
            (!at.is_empty())
                .then(|| format!("{} {what} {}", of_library(cipher.algorithm, self.provider), points.at(&at)))
        });
        said.collect()
    }

    /// The rows of a table that has room for so many. Where aad varies at several messages, those of the largest.
    pub(super) fn shown(&self, most: usize) -> Vec<&Row<'a>> {
        let points = || self.rows.iter().map(|row| row.point);
        let messages: BTreeSet<u64> = points().map(|point| point.message).collect();
        let sizes: BTreeSet<(u64, u64)> = points().map(|point| (point.message, point.aad)).collect();
        let kept: Vec<Point> = match messages.last() {
            Some(largest) if self.rows.len() > most && messages.len() * 2 < sizes.len() => {
                points().filter(|point| point.message == *largest).collect()
            }
            _ => points().collect(),
        };
        let kept = spread(kept, most);
        self.rows.iter().filter(|row| kept.contains(&row.point)).collect()
    }

    /// Which verdict each size has, without its figures.
    fn course(&self, comparisons: usize) -> Vec<(Point, Option<std::mem::Discriminant<Comparison>>)> {
        let verdicts = self.verdicts(comparisons).into_iter();
        let known = verdicts.map(|(point, verdict)| (point, Some(std::mem::discriminant(&verdict))));
        known.chain(self.gaps.iter().map(|gap| (gap.point, None))).collect()
    }

    /// Whether the same holds at the same sizes.
    pub(super) fn agrees(&self, other: &Self, comparisons: usize) -> bool {
        self.course(comparisons) == other.course(comparisons)
    }

    /// Where each is faster, where they are equal, and where there is no answer: `AES-256-GCM is faster at every size, 1.21× to 2.10×`.
    pub(super) fn sentence(&self, pair: CipherPair) -> String {
        sentence(&[self], pair, self.rows.len())
    }
}

/// The same of libraries that agree, of which the ratios reach from the least to the most; so many verdicts are to hold at once.
pub(super) fn sentence(alike: &[&Contest], pair: CipherPair, comparisons: usize) -> String {
    let Some(any) = alike.first() else { return String::new() };
    let points = any.points();
    let verdicts: Vec<_> = alike.iter().flat_map(|contest| contest.verdicts(comparisons)).collect();
    let those = |test: fn(&Comparison) -> bool| {
        let some: Vec<_> = verdicts.iter().filter(|(_, verdict)| test(verdict)).collect();
        let at: BTreeSet<Point> = some.iter().map(|(point, _)| *point).collect();
        let ratios = some.iter().filter_map(|(_, verdict)| verdict.said());
        (!some.is_empty()).then(|| (points.at(&at.into_iter().collect::<Vec<_>>()), reach(ratios)))
    };
    let mut parts = Vec::new();
    let faster = [
        (pair.first, those(|verdict| matches!(verdict, Comparison::First(_)))),
        (pair.second, those(|verdict| matches!(verdict, Comparison::Second(_)))),
    ];
    for (cipher, (at, reach)) in faster.into_iter().filter_map(|(cipher, those)| Some((cipher, those?))) {
        parts.push(format!("{} is faster {at} ({reach})", cipher.title()));
    }
    if let Some((at, _)) = those(|verdict| matches!(verdict, Comparison::Equal(_))) {
        parts.push(format!("they are equal {at}"));
    }
    if let Some((at, _)) = those(|verdict| matches!(verdict, Comparison::Unknown(_))) {
        parts.push(format!("there is no answer yet {at}"));
    }
    let gaps: Vec<Point> = any.gaps.iter().map(|gap| gap.point).collect();
    if !gaps.is_empty() {
        parts.push(format!("there is no figure {}", points.at(&gaps)));
    }
    listed(&parts)
}

/// At most so many are named.
const NAMED: usize = 2;

/// What has no figure, and why; of many the first.
pub(super) fn missing<'c, 'a: 'c>(contests: impl Iterator<Item = &'c Contest<'a>>, pair: CipherPair) -> String {
    let mut said: Vec<String> = contests.flat_map(|contest| contest.missing(pair)).collect();
    if said.len() > NAMED {
        let more = format!("{} more", said.len() + 1 - NAMED);
        said.truncate(NAMED - 1);
        said.push(more);
    }
    listed(&said)
}

/// `1.21× to 2.10×`
pub(crate) fn reach(ratios: impl Iterator<Item = f64>) -> String {
    let (least, most) = ratios.fold((f64::INFINITY, 0.0_f64), |(least, most), r| (least.min(r), most.max(r)));
    match (times(least), times(most)) {
        (least, most) if least == most => least,
        (least, most) => format!("{least} to {most}"),
    }
}
