//! Percentiles of single calls: what they came to over whole forks, and how far the forks lie apart.

use ciphermeter_core::{Histogram, Record};
use ciphermeter_stats::{Percentile, Refused};

/// The percentiles of one cell.
pub struct Percentiles {
    /// Calls of all whole forks.
    pub calls: u64,
    /// What one reading of the clock cost, in nanoseconds: the middle of the forks.
    pub clock_ns: u64,
    /// Each percentile, or why it isn't given.
    pub at: Vec<(Percentile, Result<Figure, Refused>)>,
}

/// One percentile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// Nanoseconds, of all calls together.
    pub ns: u64,
    /// From the least to the most that it was in any fork; `None` with a single fork.
    pub range: Option<(f64, f64)>,
}

impl Percentiles {
    /// `None` without calls of a whole fork.
    pub fn of(record: &Record) -> Option<Self> {
        let whole = || record.latency.iter().filter(|latency| !latency.short && latency.calls.calls() > 0);
        let clock_ns = middle(whole().map(|latency| latency.clock_ns).collect())?;
        let mut pooled = Histogram::default();
        whole().for_each(|latency| pooled.merge(&latency.calls));
        let (all, forks): (Vec<_>, Vec<Vec<_>>) =
            (pooled.iter().collect(), whole().map(|latency| latency.calls.iter().collect()).collect());
        let figure = |percentile: Percentile| {
            let ns = percentile.judged(&all, clock_ns)?;
            Ok(Figure { ns, range: range(percentile, ns, &forks) })
        };
        let at = Percentile::ALL.map(|percentile| (percentile, figure(percentile))).into();
        Some(Self { calls: pooled.calls(), clock_ns, at })
    }

    /// One of them, where it is given.
    pub fn get(&self, percentile: Percentile) -> Option<Figure> {
        self.at.iter().find(|(at, _)| *at == percentile).and_then(|(_, figure)| figure.ok())
    }
}

/// Where the forks' own percentiles lie. A burst of slow calls falls into one fork or into none, so an interval over eight of them would be
/// wrong in a third of the cases.
fn range(percentile: Percentile, ns: u64, forks: &[Vec<(u64, u64)>]) -> Option<(f64, f64)> {
    let own: Vec<f64> = forks.iter().filter_map(|calls| percentile.of(calls)).collect();
    let ends = own.iter().fold((ns as f64, ns as f64), |(low, high), own| (low.min(*own), high.max(*own)));
    (own.len() > 1).then_some(ends)
}

fn middle(mut values: Vec<u64>) -> Option<u64> {
    values.sort_unstable();
    values.get(values.len().checked_sub(1)? / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use ciphermeter_core::Latency;

    fn record(lengths: &[(u64, bool)]) -> Record {
        let (_, mut records) = fixtures::run();
        let latency = |(fork, (ns, short)): (u32, &(u64, bool))| {
            let mut calls = Histogram::default();
            calls.add_many(*ns, 5_000);
            Latency { fork, short: *short, clock_ns: 20 + u64::from(fork), calls }
        };
        records[0].latency = (0..).zip(lengths).map(latency).collect();
        records.swap_remove(0)
    }

    #[test]
    fn forks_are_the_replicate() {
        let percentiles = Percentiles::of(&record(&[(400, false), (410, false), (9, true), (420, false)])).unwrap();
        assert_eq!((percentiles.calls, percentiles.clock_ns), (15_000, 21), "a short fork is skipped");
        let (low, high) = percentiles.get(Percentile::P50).unwrap().range.unwrap();
        assert!((low - 400.0).abs() < 6.0 && (high - 420.0).abs() < 6.0, "{low} {high}");
        assert_eq!(percentiles.get(Percentile::P99).unwrap().ns, 425);
        assert_eq!(percentiles.at[3].1, Err(Refused::Calls { calls: 15_000, needed: 100_000 }));
    }

    #[test]
    fn one_fork_has_no_interval_and_none_no_percentile() {
        let one = Percentiles::of(&record(&[(400, false)])).unwrap();
        assert_eq!(one.get(Percentile::P50), Some(Figure { ns: 400, range: None }));
        assert!(Percentiles::of(&record(&[(400, true)])).is_none());
        assert!(Percentiles::of(&record(&[])).is_none());
    }
}
