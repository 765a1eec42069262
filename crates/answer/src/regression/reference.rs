//! What did not change between two runs: the reference that both have.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Algorithm, Cell, Group, Outcome, Record};

use super::identity::difference;

#[derive(Debug, Clone, Copy)]
pub(super) struct Both<'a> {
    pub(super) before: &'a Record,
    pub(super) after: &'a Record,
}

impl Both<'_> {
    /// Whether its code is proven to be the same.
    pub(super) fn is_same(&self) -> bool {
        self.changed().is_none()
    }

    fn changed(&self) -> Option<String> {
        difference(self.before.provenance.as_ref(), self.after.provenance.as_ref())
    }

    pub(super) fn is_measured(&self) -> bool {
        [self.before, self.after].iter().all(|record| record.outcome == Outcome::Measured)
    }

    fn undisturbed_samples(&self) -> usize {
        [self.before, self.after].iter().map(|record| undisturbed_samples(record)).sum()
    }
}

fn undisturbed_samples(record: &Record) -> usize {
    let limits = record.limits();
    record.forks.iter().filter(|fork| !fork.short).flat_map(|fork| fork.undisturbed(&limits)).count()
}

/// Each group's reference, or why it has none.
pub(super) type References<'a> = BTreeMap<Group, Result<Both<'a>, String>>;

/// Chosen by what a cell is and by how many samples it has, never by its times: the same code in both runs, ceilings last
/// because they touch little of what a cipher does, then the most undisturbed samples.
pub(super) fn references<'a>(both: &BTreeMap<&Cell, Both<'a>>) -> References<'a> {
    let mut groups = BTreeMap::<Group, Vec<Both>>::new();
    for (cell, pair) in both.iter().filter(|(cell, _)| cell.algorithm != Algorithm::Probe) {
        groups.entry(cell.group()).or_default().push(*pair);
    }
    groups.into_iter().map(|(group, members)| (group, reference(&members))).collect()
}

fn reference<'a>(members: &[Both<'a>]) -> Result<Both<'a>, String> {
    let is_ceiling = |pair: &Both| pair.after.cell.algorithm.is_ceiling();
    // A cipher that is alone can't be compared with itself.
    let is_alone = members.iter().filter(|pair| !is_ceiling(pair)).count() == 1;
    let rank = |pair: &&Both| {
        let is_last = is_ceiling(pair) != is_alone;
        (is_last, Reverse(pair.undisturbed_samples()), pair.after.cell.clone())
    };
    let eligible = members.iter().filter(|pair| pair.is_measured() && pair.is_same());
    eligible.min_by_key(rank).copied().ok_or_else(|| why_none(members))
}

/// What might have been one, each provider once for each reason.
fn why_none(members: &[Both]) -> String {
    let why = |pair: &Both| pair.changed().unwrap_or_else(|| "not measured in both runs".into());
    let reasons: BTreeSet<_> = members.iter().map(|pair| (&pair.after.cell.provider, why(pair))).collect();
    let reasons: Vec<_> = reasons.iter().map(|(provider, why)| format!("{provider}: {why}")).collect();
    format!("no common reference ({})", reasons.join("; "))
}
