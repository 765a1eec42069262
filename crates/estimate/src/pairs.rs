//! Log-ratios of two cells, by fork.

use std::collections::BTreeMap;

use ciphermeter_core::{Fork, Layout, Limits, Sample};
use ciphermeter_stats::{Timed, Turn, Undisturbed, forks_that_count, rounds};

use crate::layout_costs::LayoutCosts;
use crate::paired::Paired;

/// Which samples count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moments {
    /// Those around which the machine was undisturbed: all figures but where others are named.
    Undisturbed,
    /// Those that other figures leave out.
    Disturbed,
}

/// For each whole fork that both cells have: its number and the log-ratios of their undisturbed samples, drawn within rounds.
///
/// A fork with too few of them is left out ([`ciphermeter_stats::forks_that_count`]).
pub fn pairs(own: &[Fork], other: &[Fork], limits: &Limits) -> BTreeMap<u32, Vec<Paired>> {
    pairs_at(own, other, limits, Moments::Undisturbed)
}

/// The same of the samples of such moments.
pub(crate) fn pairs_at(own: &[Fork], other: &[Fork], limits: &Limits, moments: Moments) -> BTreeMap<u32, Vec<Paired>> {
    let of_fork = |fork: &Fork| {
        let other = other.iter().find(|other| other.number == fork.number && !other.short)?;
        Some((fork.number, fork.samples.len(), within(fork, other, limits, moments)))
    };
    let forks: Vec<(u32, usize, Vec<Paired>)> = own.iter().filter(|fork| !fork.short).filter_map(of_fork).collect();
    let undisturbed =
        |(_, samples, pairs): &(u32, usize, Vec<Paired>)| Undisturbed { pairs: pairs.len(), samples: *samples };
    let counting = forks_that_count(&forks.iter().map(undisturbed).collect::<Vec<_>>());
    let counting = forks.into_iter().zip(counting).filter(|(_, counts)| *counts);
    counting.map(|((number, _, pairs), _)| (number, pairs)).collect()
}

/// The median of each fork of [`pairs`], at the mean over layouts.
pub fn medians(forks: &BTreeMap<u32, Vec<Paired>>) -> BTreeMap<u32, f64> {
    let costs = LayoutCosts::of(forks.values());
    forks.iter().map(|(number, fork)| (*number, costs.median(fork))).collect()
}

fn within(own: &Fork, other: &Fork, limits: &Limits, moments: Moments) -> Vec<Paired> {
    let mut others: BTreeMap<u32, Vec<(u32, Turn)>> = BTreeMap::new();
    let mut layouts: BTreeMap<u32, Layout> = BTreeMap::new();
    for (round, sample) in timed(other, limits, moments) {
        others.entry(round).or_default().push((round, turn(sample)));
        layouts.extend(sample.layout().map(|layout| (round, layout)));
    }
    let paired = |(round, sample): (u32, &Sample)| {
        let near = others.get(&round)?.iter().copied();
        let log = ciphermeter_stats::pairs(&rounds([(round, turn(sample))], near)).first().copied()?;
        let layout = sample.layout().or_else(|| layouts.get(&round).copied());
        Some(Paired { log, layout })
    };
    timed(own, limits, moments).filter_map(paired).collect()
}

/// The samples of such moments that have a time.
fn timed<'f>(fork: &'f Fork, limits: &Limits, moments: Moments) -> Box<dyn Iterator<Item = (u32, &'f Sample)> + 'f> {
    let is_timed = |(_, sample): &(u32, &Sample)| sample.ns() > 0 && sample.iterations > 0;
    match moments {
        Moments::Undisturbed => Box::new(fork.undisturbed(limits).filter(is_timed)),
        Moments::Disturbed => Box::new(fork.disturbed(limits).filter(is_timed)),
    }
}

fn turn(sample: &Sample) -> Turn {
    Turn { turn: sample.turn, timed: Timed { ns: sample.ns(), iterations: sample.iterations } }
}
