//! Levels of a cell's time that hold for a whole process or for a layout: what a figure's interval would call noise, or would not see.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Cell, CellId, Fork, Layout, Limits, Metric, Sample};
use ciphermeter_stats::{LevelCause, Levels, Slower, Timed, Warning, levels, median, slower_strata};

use crate::measured::Measured;

/// The logarithm of a sample's time for each call; `None` where it has none.
pub(crate) fn log(sample: &Sample) -> Option<f64> {
    let is_timed = sample.ns() > 0 && sample.iterations > 0;
    is_timed.then(|| Timed { ns: sample.ns(), iterations: sample.iterations }.each().ln())
}

/// In which strata of layout a cell's own samples are slower, if in some they are. Each fork's median is taken off, so that
/// neither a slow process nor a slow hour counts for a stratum.
pub(crate) fn by_layout(forks: &[Fork], limits: &Limits) -> Option<Warning> {
    let mut strata: [Vec<f64>; Layout::STRATA] = Default::default();
    for fork in forks.iter().filter(|fork| !fork.short) {
        let samples =
            || fork.undisturbed(limits).filter_map(|(_, sample)| Some((sample.layout()?.stratum(), log(sample)?)));
        let Some(mid) = median(&mut samples().map(|(_, log)| log).collect::<Vec<_>>()) else { continue };
        samples().for_each(|(stratum, log)| strata[stratum].push(log - mid));
    }
    let Slower { apart, strata } = slower_strata(&mut strata)?;
    // The last one is that of unaligned texts.
    let (stack, unaligned): (Vec<usize>, Vec<usize>) =
        strata.into_iter().partition(|stratum| *stratum < Layout::STRATA - 1);
    let stack = stack.into_iter().fold(0, |bits, place| bits | 1 << place);
    Some(Warning::ByLayout { apart, stack, unaligned: !unaligned.is_empty() })
}

/// Whether a cell is slower while its calls fault in pages, by its own samples.
pub(crate) fn by_faults(forks: &[Fork], limits: &Limits) -> Option<Warning> {
    let undisturbed = forks.iter().filter(|fork| !fork.short).flat_map(|fork| fork.undisturbed(limits));
    let faults = |sample: &Sample| Some(sample.count(Metric::FAULTS)? as f64 / sample.iterations as f64);
    let samples = undisturbed.filter_map(|(_, sample)| Some((log(sample)?, faults(sample)?)));
    ciphermeter_stats::by_faults(&samples.map(|(log, faults)| (faults, log)).collect::<Vec<_>>())
}

/// Whether processes that have just started differ from those that have served for a while; `values` has each fork's.
pub(crate) fn by_age(cell: &Cell, values: &BTreeMap<u32, f64>) -> Option<Warning> {
    if !cell.depends_on_age() {
        return None;
    }
    let (served, new): (Vec<_>, Vec<_>) = values.iter().partition(|(number, _)| Fork::has_served(**number));
    let logs = |forks: Vec<(&u32, &f64)>| forks.into_iter().map(|(_, log)| *log).collect::<Vec<f64>>();
    ciphermeter_stats::by_age(&logs(new), &logs(served))
}

/// What a cell took in each fork, less what it took in most, and less what most of the other cells took more in the same fork: a fork in
/// which all of a group are slower is a slow hour.
struct Shifts<'c> {
    id: CellId,
    provider: &'c str,
    by_fork: BTreeMap<u32, f64>,
}

impl Shifts<'_> {
    /// How much more these forks have than the others, as medians. 0 where either is unknown.
    fn in_forks(&self, forks: &BTreeSet<u32>) -> f64 {
        let (inside, outside): (Vec<_>, Vec<_>) = self.by_fork.iter().partition(|(fork, _)| forks.contains(fork));
        let mid = |part: Vec<(&u32, &f64)>| median(&mut part.into_iter().map(|(_, by)| *by).collect::<Vec<_>>());
        mid(inside).zip(mid(outside)).map_or(0.0, |(inside, outside)| inside - outside)
    }
}

/// The cells of a group of which whole processes are slower than others, each with its warning.
///
/// It is the library's doing only if no cell of another worker shifts, by a third as much, in the same forks; with fewer than three
/// workers, nobody knows which of them it was.
pub(crate) fn by_process(cells: &[&Measured], limits: &Limits) -> BTreeMap<CellId, Warning> {
    let all = shifts(cells, limits);
    let workers: BTreeSet<&str> = all.iter().map(|cell| cell.provider).collect();
    let warning = |own: &Shifts| {
        let values: Vec<f64> = own.by_fork.values().copied().collect();
        let Levels { apart, upper, count } = levels(&values)?;
        let slower: BTreeSet<u32> = own.by_fork.iter().filter(|(_, by)| **by >= upper).map(|(fork, _)| *fork).collect();
        let mut others = all.iter().filter(|other| other.provider != own.provider);
        let cause = match others.any(|other| other.in_forks(&slower).abs() > apart / 3.0) {
            _ if workers.len() < 3 => LevelCause::Unknown,
            true => LevelCause::Machine,
            false => LevelCause::Library,
        };
        Some((own.id, Warning::ByProcess { apart: apart.exp_m1(), slower: count, all: values.len(), cause }))
    };
    all.iter().filter_map(warning).collect()
}

fn shifts<'c>(cells: &[&Measured<'c>], limits: &Limits) -> Vec<Shifts<'c>> {
    let of_cell = |measured: &&Measured<'c>| {
        let mid = |fork: &Fork| {
            median(&mut fork.undisturbed(limits).filter_map(|(_, sample)| log(sample)).collect::<Vec<_>>())
        };
        let whole = measured.forks.iter().filter(|fork| !fork.short);
        let mut by_fork: BTreeMap<u32, f64> = whole.filter_map(|fork| Some((fork.number, mid(fork)?))).collect();
        let usual = median(&mut by_fork.values().copied().collect::<Vec<_>>()).unwrap_or(0.0);
        by_fork.values_mut().for_each(|mid| *mid -= usual);
        Shifts { id: measured.id, provider: &measured.cell.provider, by_fork }
    };
    let own: Vec<Shifts> = cells.iter().map(of_cell).collect();
    let beside = |cell: &Shifts, fork: u32| {
        let others = own.iter().filter(|other| other.id != cell.id);
        median(&mut others.filter_map(|other| other.by_fork.get(&fork).copied()).collect::<Vec<_>>())
    };
    let shift = |cell: &Shifts<'c>| {
        let by_fork = cell.by_fork.iter().filter_map(|(fork, by)| Some((*fork, by - beside(cell, *fork)?)));
        Shifts { by_fork: by_fork.collect(), ..*cell }
    };
    own.iter().map(shift).collect()
}
