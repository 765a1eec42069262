//! A timed batch of calls, as raw integers.

use crate::{CellId, Layout, Metric, Series};

/// A sample was preempted if its process did not run for more than one of so many parts of its time.
const LEAST_RUNNING: u64 = 50;

/// One timed batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// The cell that was sampled.
    pub cell: CellId,
    /// The cell sampled just before on the same core; `None` for the first sample of a round, or of a visit that begins
    /// with the probe.
    pub after: Option<CellId>,
    /// Its place in the order of its round, from 0: neighbours in time form the pairs.
    pub turn: u32,
    /// The calls in the batch, per thread; never 0.
    pub iterations: u64,
    /// The counts, each metric at most once.
    pub counts: Vec<(Metric, u64)>,
    /// What was recorded during the batch's last transfer, each series at most once and at most [`Series::MOST`] long.
    /// Empty where the batch consists of calls, or where nothing is recorded.
    pub series: Vec<(Series, Vec<u64>)>,
}

impl Sample {
    /// The count of one metric.
    pub fn count(&self, metric: Metric) -> Option<u64> {
        self.counts.iter().find(|(counted, _)| *counted == metric).map(|(_, count)| *count)
    }

    /// The entries of one series, as far as it was recorded.
    pub fn series(&self, series: Series) -> Option<&[u64]> {
        self.series.iter().find(|(followed, _)| *followed == series).map(|(_, entries)| entries.as_slice())
    }

    /// Whether the machine was undisturbed around the sample: the probe's reading is within the limit, and the worker's process had
    /// its CPU all the time. Without a reading or a limit, no disturbance of the core is known.
    pub fn is_undisturbed(&self, limit: Option<u64>) -> bool {
        let is_quiet = self.count(Metric::PROBE).zip(limit).is_none_or(|(reading, limit)| reading <= limit);
        is_quiet && !self.was_preempted()
    }

    /// Whether another process had the CPU during the timed calls. On an idle machine a sample is off its CPU for less than
    /// a thousandth of its time, or for a time slice of another process (METHODOLOGY.md, point 3a).
    /// A sample in which memory was collected is never held to have been preempted: a collector may
    /// wait for its own threads.
    pub fn was_preempted(&self) -> bool {
        let is_off = |off: u64| off.saturating_mul(LEAST_RUNNING) > self.ns();
        self.count(Metric::COLLECTIONS).unwrap_or(0) == 0 && self.count(Metric::OFF_CPU).is_some_and(is_off)
    }

    /// Where its stack and buffers lay, if they were moved for it.
    pub fn layout(&self) -> Option<Layout> {
        self.count(Metric::LAYOUT).and_then(Layout::from_packed)
    }

    /// Elapsed nanoseconds; every sample of a timed kind has them.
    pub fn ns(&self) -> u64 {
        self.count(Metric::NS).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sample_without_its_cpu_is_disturbed_unless_memory_was_collected() {
        let undisturbed = |counts: &[(Metric, u64)]| {
            let counts = [&[(Metric::NS, 300_000)], counts].concat();
            let (cell, series) = (CellId(0), Vec::new());
            Sample { cell, after: None, turn: 0, iterations: 9, counts, series }.is_undisturbed(Some(1000))
        };
        assert!(undisturbed(&[]));
        assert!(undisturbed(&[(Metric::OFF_CPU, 6_000)]), "an interrupt");
        assert!(!undisturbed(&[(Metric::OFF_CPU, 6_001)]));
        assert!(!undisturbed(&[(Metric::OFF_CPU, 200_000), (Metric::COLLECTIONS, 0)]));
        assert!(undisturbed(&[(Metric::OFF_CPU, 200_000), (Metric::COLLECTIONS, 1)]));
        assert!(!undisturbed(&[(Metric::PROBE, 1001)]));
    }
}
