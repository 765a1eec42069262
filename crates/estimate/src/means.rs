//! What a call costs on average: costs add up, so they are means, with every slow call in them.

use std::collections::BTreeMap;

use ciphermeter_core::{Fork, Metric, Record};

/// What the undisturbed samples of each whole fork count for a call of one thread, by the forks' numbers: of 20 samples of which one took
/// eight times as long, a third more than the median. Forks in which no such sample counts it are left out.
pub fn fork_costs(record: &Record, metric: Metric) -> BTreeMap<u32, f64> {
    let limits = record.limits();
    let of_fork = |fork: &Fork| {
        let counted =
            fork.undisturbed(&limits).filter_map(|(_, sample)| Some((sample.count(metric)?, sample.iterations)));
        let (count, calls) = counted
            .fold((0.0, 0.0), |(count, calls), (own, iterations)| (count + own as f64, calls + iterations as f64));
        (count > 0.0 && calls > 0.0).then(|| (fork.number, count / calls))
    };
    record.forks.iter().filter(|fork| !fork.short).filter_map(of_fork).collect()
}
