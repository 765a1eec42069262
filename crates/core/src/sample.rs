//! A timed batch of calls, as raw integers.

use crate::{CellId, Layout, Metric, Series};

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

    /// Whether the machine was undisturbed around the sample: the probe's reading is within the limit. Without a
    /// reading or a limit, no disturbance is known.
    pub fn is_undisturbed(&self, limit: Option<u64>) -> bool {
        self.count(Metric::PROBE).zip(limit).is_none_or(|(reading, limit)| reading <= limit)
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
