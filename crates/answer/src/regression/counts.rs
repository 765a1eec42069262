//! Counts of devices in two stored runs: exact, so that any difference is one, and no reference is needed.
//!
//! A count does not depend on the machine that emulates, nor on which number a device has in its run; so cells are the same where
//! provider, algorithm, operation, form and sizes are.

use std::collections::BTreeMap;

use ciphermeter_core::{Cell, Counts, Record, Share};
use ciphermeter_estimate::{Comparison, Counted, Ratio, counted};

use super::verdict::{Compared, Lost, Unmatched, worst_first};
use crate::devices::counts;

/// What the counts of two runs come to.
#[derive(Default)]
pub(super) struct Exact {
    /// Those that both have, the most dearer first.
    pub(super) cells: Vec<Compared>,
    pub(super) lost: Vec<Lost>,
    pub(super) unmatched: Vec<Unmatched>,
}

/// A cell without its device's number, and what is counted.
type Key = (Cell, Option<Counts>);

/// Compares every count of the earlier run, whose number is `a`, with that of the later one, `b`.
pub(super) fn exact(before: &[Record], after: &[Record], (a, b): (i64, i64), threshold: Share) -> Exact {
    let (then, now) = (by_key(before), by_key(after));
    let mut all = Exact::default();
    for ((cell, _), own) in &then {
        match now.iter().find(|((other, _), _)| other == cell) {
            None => all.unmatched.push(Unmatched::new(own, format!("only in run {a}"), false)),
            Some((_, other)) => pair(&mut all, own, other, threshold),
        }
    }
    let only = now.iter().filter(|((cell, _), _)| !then.keys().any(|(other, _)| other == cell));
    all.unmatched.extend(only.map(|(_, own)| Unmatched::new(own, format!("only in run {b}"), false)));
    Exact { cells: worst_first(all.cells), ..all }
}

/// Whether a record is one of these, rather than a time.
pub(super) fn is_count(record: &Record) -> bool {
    counts(record).is_some()
}

fn by_key(records: &[Record]) -> BTreeMap<Key, &Record> {
    let key = |record: &Record| {
        let mut cell = record.cell.clone();
        cell.parameters.0.remove("device");
        (cell, counts(record))
    };
    records.iter().filter(|record| is_count(record)).map(|record| (key(record), record)).collect()
}

fn pair(all: &mut Exact, before: &Record, after: &Record, threshold: Share) {
    match (after.outcome.in_words(), before.outcome.in_words()) {
        (Some(why), None) => return all.lost.push(Lost::new(after, why)),
        (Some(why), Some(_)) => {
            return all.unmatched.push(Unmatched::new(after, format!("measured in neither run: {why}"), false));
        }
        (None, Some(why)) => {
            return all.unmatched.push(Unmatched::new(after, format!("not measured in the earlier run: {why}"), false));
        }
        (None, None) => {}
    }
    let of = |record: &Record| counted(record, counts(record)?.metric());
    if counts(before) != counts(after) {
        return all.unmatched.push(Unmatched::new(after, "the runs count different things".into(), true));
    }
    match (of(before), of(after)) {
        (Some(before), Some(after_count)) => {
            let ratio = change(before, after_count);
            let comparison = Comparison::of_counts(ratio, threshold.0);
            all.cells.push(Compared::new(after, ratio, comparison));
        }
        _ => all.unmatched.push(Unmatched::new(after, "a run has no whole fork of it".into(), true)),
    }
}

/// Count now ÷ count before; from the least to the most where forks of a run counted differently.
fn change(before: Counted, after: Counted) -> Ratio {
    Ratio::new(after.mid / before.mid, Some((after.low / before.high, after.high / before.low)))
}
