//! Levels of a cell's time that hold for a whole process or for a layout: what a figure's interval would call noise, or would not see.

use std::collections::BTreeMap;

use ciphermeter_core::{Cell, CellId, Fork, Layout, Limits, Metric, Sample};
use ciphermeter_stats::{Slower, Timed, Warning, median, slower_strata, two_levels_of_processes};

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

/// The cells of which whole processes are slower than others, each with its warning. A fork in which all of a group are slower is a slow
/// hour: what most of them have in common is taken off. Two cells that were measured together do not tell which of them it is.
pub(crate) fn by_process(cells: &[(CellId, &[Fork])], limits: &Limits) -> BTreeMap<CellId, Warning> {
    let mut forks: BTreeMap<u32, Vec<(CellId, f64)>> = BTreeMap::new();
    for (id, own) in cells {
        let mid = |fork: &Fork| {
            median(&mut fork.undisturbed(limits).filter_map(|(_, sample)| log(sample)).collect::<Vec<_>>())
        };
        let mids: Vec<(u32, f64)> =
            own.iter().filter(|fork| !fork.short).filter_map(|fork| Some((fork.number, mid(fork)?))).collect();
        let usual = median(&mut mids.iter().map(|(_, mid)| *mid).collect::<Vec<_>>()).unwrap_or(0.0);
        mids.into_iter().for_each(|(number, mid)| forks.entry(number).or_default().push((*id, mid - usual)));
    }
    let mut left: BTreeMap<CellId, Vec<f64>> = BTreeMap::new();
    for fork in forks.into_values().filter(|fork| fork.len() > 2) {
        let common = median(&mut fork.iter().map(|(_, by)| *by).collect::<Vec<_>>()).unwrap_or(0.0);
        fork.into_iter().for_each(|(id, by)| left.entry(id).or_default().push(by - common));
    }
    left.into_iter().filter_map(|(id, values)| Some((id, two_levels_of_processes(&values)?))).collect()
}
