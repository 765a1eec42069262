//! What devices count exactly: instructions or cycles of a call, and bytes.
//!
//! A count has no distribution: forks that did the same work counted the same. Where they did not, the range says so.

use ciphermeter_core::{Fork, Metric, Record};
use ciphermeter_stats::median;

/// A count of one call, over all whole forks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Counted {
    /// The least of any sample.
    pub low: f64,
    /// The median of the forks.
    pub mid: f64,
    /// The most of any sample.
    pub high: f64,
    /// How many forks counted.
    pub forks: usize,
}

/// A count of one whole fork.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForkCount {
    /// Calls of its samples.
    pub iterations: u64,
    /// Of one call: the median of its samples.
    pub count: f64,
}

impl Counted {
    /// How far its samples lie apart, as a share of the least; 0 where all counted the same.
    pub fn spread(self) -> f64 {
        if self.low > 0.0 { self.high / self.low - 1.0 } else { 0.0 }
    }
}

/// What a call counts; `None` where no whole fork counted anything.
pub fn counted(record: &Record, metric: Metric) -> Option<Counted> {
    let whole = || record.forks.iter().filter(|fork| !fork.short);
    let mut forks: Vec<f64> = fork_counts(record, metric).iter().map(|fork| fork.count).collect();
    let each = || whole().flat_map(|fork| counts(fork, metric)).map(|(_, count)| count);
    let (low, high) = (each().fold(f64::INFINITY, f64::min), each().fold(0.0, f64::max));
    Some(Counted { low, high, forks: forks.len(), mid: median(&mut forks)? })
}

/// One for each whole fork that counted.
pub fn fork_counts(record: &Record, metric: Metric) -> Vec<ForkCount> {
    let count = |fork: &Fork| {
        let all = || counts(fork, metric);
        let iterations = all().fold(0, |sum: u64, (iterations, _)| sum.saturating_add(iterations));
        Some(ForkCount { iterations, count: median(&mut all().map(|(_, count)| count).collect::<Vec<_>>())? })
    };
    record.forks.iter().filter(|fork| !fork.short).filter_map(count).collect()
}

/// The largest count of any sample, of a state or a peak such as bytes of stack; `None` where no sample has it.
pub fn most(record: &Record, metric: Metric) -> Option<u64> {
    record.forks.iter().flat_map(|fork| &fork.samples).filter_map(|sample| sample.count(metric)).max()
}

/// Iterations and the count of one call, of each sample that counts.
fn counts(fork: &Fork, metric: Metric) -> impl Iterator<Item = (u64, f64)> {
    let each = move |sample: &ciphermeter_core::Sample| {
        Some((sample.iterations, metric.figure(sample.count(metric)?, sample.iterations)))
    };
    fork.samples.iter().filter_map(each).filter(|(iterations, count)| *iterations > 0 && *count > 0.0)
}
