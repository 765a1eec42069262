//! Log-ratios of two cells, by fork.

use std::collections::BTreeMap;

use ciphermeter_core::{CellId, Fork, Layout, Sample};
use ciphermeter_stats::{LEAST_PAIRS, Timed, Turn, median, rounds};

/// ln(time of a cell ÷ time of another) in one round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paired {
    /// The logarithm.
    pub log: f64,
    /// The cell that was sampled just before on the same core.
    pub after: Option<CellId>,
    /// Where stack and buffers lay, if they were moved for either of the two: both have the round's.
    pub layout: Option<Layout>,
}

/// For each whole fork that both cells have: its number and the log-ratios of their undisturbed samples, drawn within rounds.
///
/// A fork with too few of them is left out: a few undisturbed moments of a disturbed fork are too few for its median.
pub fn pairs(own: &[Fork], other: &[Fork], limit: Option<u64>) -> BTreeMap<u32, Vec<Paired>> {
    let of_fork = |fork: &Fork| {
        let other = other.iter().find(|other| other.number == fork.number && !other.short)?;
        let pairs = within(fork, other, limit);
        let least = LEAST_PAIRS.min(fork.samples.len()).max(1);
        (pairs.len() >= least).then_some((fork.number, pairs))
    };
    own.iter().filter(|fork| !fork.short).filter_map(of_fork).collect()
}

/// The value of each fork of [`pairs`].
pub fn medians(own: &[Fork], other: &[Fork], limit: Option<u64>) -> BTreeMap<u32, f64> {
    let each = pairs(own, other, limit).into_iter();
    each.filter_map(|(number, pairs)| Some((number, middle(&pairs)?))).collect()
}

/// The value of a fork: the median of its log-ratios within each stratum of layout, then the mean over the strata. `None` of none.
///
/// A median over two levels is one of them, by chance either; within a stratum there is one level.
pub(crate) fn middle(pairs: &[Paired]) -> Option<f64> {
    let mut strata: [Vec<f64>; Layout::STRATA] = Default::default();
    for pair in pairs {
        strata[pair.layout.map_or(0, Layout::stratum)].push(pair.log);
    }
    let medians: Vec<f64> = strata.iter_mut().filter_map(|logs| median(logs)).collect();
    (!medians.is_empty()).then(|| medians.iter().sum::<f64>() / medians.len() as f64)
}

fn within(own: &Fork, other: &Fork, limit: Option<u64>) -> Vec<Paired> {
    let mut others: BTreeMap<u32, Vec<(u32, Turn)>> = BTreeMap::new();
    let mut layouts: BTreeMap<u32, Layout> = BTreeMap::new();
    for (round, sample) in undisturbed(other, limit) {
        others.entry(round).or_default().push((round, turn(sample)));
        layouts.extend(sample.layout().map(|layout| (round, layout)));
    }
    let paired = |(round, sample): (u32, &Sample)| {
        let near = others.get(&round)?.iter().copied();
        let log = ciphermeter_stats::pairs(&rounds([(round, turn(sample))], near)).first().copied()?;
        let layout = sample.layout().or_else(|| layouts.get(&round).copied());
        Some(Paired { log, after: sample.after, layout })
    };
    undisturbed(own, limit).filter_map(paired).collect()
}

fn undisturbed(fork: &Fork, limit: Option<u64>) -> impl Iterator<Item = (u32, &Sample)> {
    let all = fork.rounds.iter().copied().zip(&fork.samples);
    all.filter(move |(_, sample)| sample.is_undisturbed(limit) && sample.ns() > 0 && sample.iterations > 0)
}

fn turn(sample: &Sample) -> Turn {
    Turn { turn: sample.turn, timed: Timed { ns: sample.ns(), iterations: sample.iterations } }
}
