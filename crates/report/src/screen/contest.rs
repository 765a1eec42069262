//! Two ciphers by one library, at every size at which both were measured.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Form, Operation, Record};
use ciphermeter_estimate as estimate;

use super::cipher::{Cipher, Direction, Point, Points, pairs, spread};
use super::verdict::{Verdict, times};
use crate::measured::{is_here, measured};
use crate::phrases::listed;

/// The two ciphers that a run lets you choose between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) first: Cipher,
    pub(super) second: Cipher,
    pub(super) form: Form,
}

/// What a library has of both, smallest size first.
pub(super) struct Contest<'a> {
    pub(super) provider: &'a str,
    pub(super) rows: Vec<Row<'a>>,
}

/// Both at one size.
pub(super) struct Row<'a> {
    pub(super) point: Point,
    pub(super) first: &'a Record,
    pub(super) second: &'a Record,
    /// For each fork: ln(time of the second ÷ time of the first).
    pub(super) logs: Vec<f64>,
}

impl Pair {
    /// The likeliest pair of which one library has both, in the form that most have.
    pub(super) fn find(records: &[Record]) -> Option<Self> {
        let with_forms = |(first, second)| {
            let rows = |form| -> usize {
                contests(records, Self { first, second, form }).iter().map(|contest| contest.rows.len()).sum()
            };
            let form = Form::ALL.iter().copied().rev().max_by_key(|form| rows(*form))?;
            (rows(form) > 0).then_some(Self { first, second, form })
        };
        [Direction::Protect, Direction::Read, Direction::Transfer].into_iter().flat_map(pairs).find_map(with_forms)
    }

    /// The same read again.
    pub(super) fn read(self) -> Self {
        let direction = if self.moves_files() { Direction::Transfer } else { Direction::Read };
        let read = |cipher: Cipher| Cipher::new(cipher.algorithm, direction);
        Self { first: read(self.first), second: read(self.second), ..self }
    }

    pub(super) fn moves_files(self) -> bool {
        self.first.operation == Operation::Transfer
    }
}

/// Every library that has both at some size.
pub(super) fn contests(records: &[Record], pair: Pair) -> Vec<Contest<'_>> {
    let mut cells = BTreeMap::<(&str, Point), [Option<&Record>; 2]>::new();
    let alone = |record: &&Record| {
        let cell = &record.cell;
        // Calls of several threads are compared with one thread, not with another cipher.
        let alone = cell.parameters.cpus().is_none() || cell.operation == Operation::Transfer;
        cell.form == pair.form && alone && is_here(record) && measured(record).is_some()
    };
    for record in records.iter().filter(alone) {
        for (place, cipher) in [pair.first, pair.second].into_iter().enumerate() {
            if cipher.is_of(&record.cell) {
                cells.entry((&record.cell.provider, Point::of(&record.cell.parameters))).or_default()[place] =
                    Some(record);
            }
        }
    }
    let mut contests: Vec<Contest> = Vec::new();
    for ((provider, point), both) in cells {
        let [Some(first), Some(second)] = both else { continue };
        let row = Row { point, first, second, logs: estimate::logs(second, first).into_values().collect() };
        match contests.last_mut().filter(|contest| contest.provider == provider) {
            Some(contest) => contest.rows.push(row),
            None => contests.push(Contest { provider, rows: vec![row] }),
        }
    }
    contests
}

impl<'a> Contest<'a> {
    /// All verdicts, which are to hold at once with those of further comparisons.
    pub(super) fn verdicts(&self, comparisons: usize) -> Vec<(Point, Verdict)> {
        self.rows.iter().map(|row| (row.point, Verdict::new(&row.logs, comparisons))).collect()
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

    /// Where each is faster, where they are level, and where there is no answer: `AES-256-GCM is faster at every size, 1.21× to 2.10×`.
    pub(super) fn sentence(&self, pair: Pair) -> String {
        let points = Points(self.rows.iter().map(|row| row.point).collect());
        let verdicts = self.verdicts(self.rows.len());
        let those = |test: fn(&Verdict) -> bool| {
            let some: Vec<_> = verdicts.iter().filter(|(_, verdict)| test(verdict)).collect();
            let at = points.at(&some.iter().map(|(point, _)| *point).collect::<Vec<_>>());
            let ratios = some.iter().filter_map(|(_, verdict)| verdict.said());
            (!some.is_empty()).then(|| (at, reach(ratios)))
        };
        let mut parts = Vec::new();
        let faster = [
            (pair.first, those(|verdict| matches!(verdict, Verdict::First(_)))),
            (pair.second, those(|verdict| matches!(verdict, Verdict::Second(_)))),
        ];
        for (cipher, (at, reach)) in faster.into_iter().filter_map(|(cipher, those)| Some((cipher, those?))) {
            parts.push(format!("{} is faster {at} ({reach})", cipher.title()));
        }
        if let Some((at, _)) = those(|verdict| matches!(verdict, Verdict::Level(_))) {
            parts.push(format!("they are level {at}"));
        }
        if let Some((at, _)) = those(|verdict| matches!(verdict, Verdict::Unknown)) {
            parts.push(format!("there is no answer yet {at}"));
        }
        listed(&parts)
    }
}

/// `1.21× to 2.10×`
pub(crate) fn reach(ratios: impl Iterator<Item = f64>) -> String {
    let (least, most) = ratios.fold((f64::INFINITY, 0.0_f64), |(least, most), r| (least.min(r), most.max(r)));
    match (times(least), times(most)) {
        (least, most) if least == most => least,
        (least, most) => format!("{least} to {most}"),
    }
}
