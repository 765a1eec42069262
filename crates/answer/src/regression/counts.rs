//! Counts of devices in two stored runs: exact, so that any difference is one, and no reference is needed.
//!
//! A count does not depend on the machine that emulates, nor on which number a device has in its run; so cells are the same where
//! provider, algorithm, operation, form and sizes are.

use std::collections::BTreeMap;

use ciphermeter_core::{Cell, Counts, Record};
use ciphermeter_estimate::{Comparison, Counted, Ratio, counted};

use super::found::{Found, RUNS};
use super::verdict::{Compared, Unmatched, Verdict, worst_first};
use crate::devices::counts;

/// A cell without its device's number, and what is counted.
type Key = (Cell, Option<Counts>);

/// Compares every count of the earlier run, whose number is `a`, with that of the later one, `b`.
pub(super) fn exact(verdict: &mut Verdict, before: &[Record], after: &[Record], (a, b): (i64, i64)) {
    let (then, now) = (by_key(before), by_key(after));
    for ((cell, _), own) in &then {
        match now.iter().find(|((other, _), _)| other == cell) {
            None => verdict.unmatched.push(Unmatched::new(own, format!("only in run {a}"), false)),
            Some((_, other)) => pair(verdict, own, other),
        }
    }
    let only = now.iter().filter(|((cell, _), _)| !then.keys().any(|(other, _)| other == cell));
    verdict.unmatched.extend(only.map(|(_, own)| Unmatched::new(own, format!("only in run {b}"), false)));
    verdict.counts = worst_first(std::mem::take(&mut verdict.counts));
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

fn pair(verdict: &mut Verdict, before: &Record, after: &Record) {
    if let Some(found) = Found::unmeasured(before, after, RUNS) {
        verdict.take([before, after], found);
        return;
    }
    let of = |record: &Record| counted(record, counts(record)?.metric());
    let unmatched = |why: &str| Unmatched::new(after, why.into(), true);
    if counts(before) != counts(after) {
        return verdict.unmatched.push(unmatched("the runs count different things"));
    }
    match (of(before), of(after)) {
        (Some(then), Some(now)) => {
            let ratio = change(then, now);
            let comparison = Comparison::of_counts(ratio, verdict.threshold.0);
            verdict.counts.push(Compared::new(after, ratio, comparison));
        }
        _ => verdict.unmatched.push(unmatched("a run has no whole fork of it")),
    }
}

/// Count now ÷ count before; from the least to the most where forks of a run counted differently.
fn change(before: Counted, after: Counted) -> Ratio {
    Ratio::new(after.mid / before.mid, Some((after.low / before.high, after.high / before.low)))
}
