//! What a worker says of a timed batch, and of what it times with.

use std::time::Duration;

use ciphermeter_core::{Metric, Series};

/// One timed batch, believed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    /// Timed calls.
    pub iterations: u64,
    /// What was counted.
    pub counts: Vec<(Metric, u64)>,
    /// First iteration since the buffers were set up.
    pub first: u64,
    /// Last iteration.
    pub last: u64,
    /// What was followed through a transfer.
    pub series: Vec<(Series, Vec<u64>)>,
    /// From the request to the answer, by the harness's clock.
    pub elapsed: Duration,
}

impl Batch {
    /// The count of a metric, 0 where it was not counted.
    pub fn count(&self, metric: Metric) -> u64 {
        self.counts.iter().find(|(counted, _)| *counted == metric).map_or(0, |(_, count)| *count)
    }

    /// Nanoseconds that the batch took beside those that are timed: of transfers handshakes, and waiting for the disk.
    pub fn beside_ns(&self) -> u64 {
        self.count(Metric::HANDSHAKE) + self.count(Metric::DURABLE).saturating_sub(self.ns())
    }

    /// Elapsed nanoseconds.
    pub fn ns(&self) -> u64 {
        self.count(Metric::NS)
    }
}

/// What a worker says of its clock, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ruler {
    /// Smallest step.
    pub step_ns: u64,
    /// Cost of one reading.
    pub call_ns: u64,
    /// Cost of an empty iteration.
    pub loop_ns: u64,
}

/// What a worker that counts says of its counter, in what it counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counter {
    /// Smallest step.
    pub step: u64,
    /// Cost of one reading.
    pub call: u64,
    /// Cost of an empty iteration.
    pub empty: u64,
}
