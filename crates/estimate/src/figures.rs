//! Figures of one cell: where its samples lie, and what each fork came to.

use std::collections::BTreeMap;

use ciphermeter_core::{Fork, Limits, Metric, Record, Sample, SampleRange};
use ciphermeter_stats::{Undisturbed, forks_that_count, median, quantile};

/// What a cell took in one whole fork.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForkTime {
    /// Calls of its undisturbed samples, per thread.
    pub iterations: u64,
    /// The median of its undisturbed samples: nanoseconds for each iteration.
    pub ns: f64,
}

/// Where the samples' figures lie, those of short forks too: for each call, or as they are where the metric is a state or a peak.
/// `None` where no sample counts it.
pub fn figures(record: &Record, metric: Metric) -> Option<SampleRange> {
    range_of(&record.forks, &Limits::default(), |sample| Some(metric.figure(sample.count(metric)?, sample.iterations)))
}

/// A figure of samples: its median over those that are undisturbed by this limit, and the range of all, those of short forks too.
/// Samples without the figure are left out; `None` where all are.
pub fn range_of(forks: &[Fork], limits: &Limits, figure: impl Fn(&Sample) -> Option<f64>) -> Option<SampleRange> {
    let samples = || forks.iter().flat_map(|fork| &fork.samples);
    let mut all: Vec<f64> = samples().filter_map(&figure).collect();
    let undisturbed = forks.iter().flat_map(|fork| fork.undisturbed(limits));
    let mut undisturbed: Vec<f64> = undisturbed.filter_map(|(_, sample)| figure(sample)).collect();
    let (low, high) = (quantile(&mut all, 0.05)?, quantile(&mut all, 0.95)?);
    let mid = median(&mut undisturbed).or_else(|| median(&mut all))?;
    Some(SampleRange { low: low.min(mid), mid, high: high.max(mid) })
}

/// One for each whole fork with enough undisturbed samples.
pub fn fork_times(record: &Record) -> Vec<ForkTime> {
    time_of_forks(record).into_values().collect()
}

/// The same by the forks' numbers.
pub fn time_of_forks(record: &Record) -> BTreeMap<u32, ForkTime> {
    let limits = record.limits();
    let is_timed = |(_, sample): &(u32, &Sample)| sample.ns() > 0 && sample.iterations > 0;
    let undisturbed = |fork| Fork::undisturbed(fork, &limits).filter(is_timed).map(|(_, sample)| sample).collect();
    let whole = record.forks.iter().filter(|fork| !fork.short);
    let forks: Vec<(&Fork, Vec<&Sample>)> = whole.map(|fork| (fork, undisturbed(fork))).collect();
    let taken = |(fork, own): &(&Fork, Vec<&Sample>)| Undisturbed { pairs: own.len(), samples: fork.samples.len() };
    let counting = forks_that_count(&forks.iter().map(taken).collect::<Vec<_>>());
    let time = |(fork, samples): (&Fork, Vec<&Sample>)| {
        let mut each: Vec<f64> = samples.iter().map(|sample| sample.ns() as f64 / sample.iterations as f64).collect();
        let iterations = samples.iter().fold(0, |sum: u64, sample| sum.saturating_add(sample.iterations));
        Some((fork.number, ForkTime { iterations, ns: median(&mut each)? }))
    };
    let counting = forks.into_iter().zip(counting).filter(|(_, counts)| *counts);
    counting.filter_map(|(fork, _)| time(fork)).collect()
}
