//! Calls of which each has a process of its own (PROTOCOL.md, Processes), on one CPU.
//!
//! Starting a process takes a thousand times as long as a short call, so a sample is one call, as a transfer is, and the probe, which looks
//! at microseconds, does not run. What the process takes beside its call is reckoned by the harness's clock.

use std::time::Duration;

use ciphermeter_core::{Cell, CellId, Metric, Record, Scenario};

use crate::kind::{Kind, Room, Share};
use crate::outputs::confirm;
use crate::part::Part;
use crate::pool::Pool;
use crate::rounds::{self, Sampling, Setting, TooLong};
use crate::{Affinity, Batch, SinkError};

/// The kind of measurement.
#[derive(Default)]
pub struct Processes {
    /// The room that the group under way has in its run.
    room: Room,
}

impl Kind for Processes {
    fn takes(&self, _: &Scenario, cell: &Cell) -> bool {
        cell.has_processes()
    }

    fn metrics(&self) -> Vec<Metric> {
        vec![Metric::NS]
    }

    fn conditions(&self) -> Part {
        Part { affinity: Affinity::OneCpu, ..Part::default() }
    }

    /// Starting a process for each call takes the time of many samples.
    fn weight(&self, _: &Cell) -> f64 {
        4.0
    }

    fn held(&self, record: &Record) -> u32 {
        rounds::held(record)
    }

    fn left(&self, held: u32) -> f64 {
        rounds::left(held)
    }

    fn measure(&mut self, pool: &mut Pool<'_>, share: Share<'_>) -> Result<(), SinkError> {
        self.room = share.room;
        rounds::measure(pool, self, share)
    }
}

impl Sampling for Processes {
    fn has_long_calls(&self) -> bool {
        true
    }

    fn beside_ns(&self, batch: &Batch) -> u64 {
        u64::try_from(batch.elapsed.as_nanos()).unwrap_or(u64::MAX).saturating_sub(batch.ns())
    }

    fn keep_what_fits(
        &self,
        pool: &mut Pool<'_>,
        settings: &mut [Option<Setting>],
        _budget: Duration,
        deadline: Duration,
    ) -> Result<Duration, SinkError> {
        TooLong::take_out_dearest(pool, settings, self.room, deadline, "process")?;
        Ok(deadline)
    }

    fn confirm(&mut self, pool: &mut Pool<'_>, id: CellId, batch: &Batch) -> Result<(), SinkError> {
        confirm(pool, id, batch)
    }

    fn title(&self) -> &'static str {
        "calls in processes of their own: "
    }
}
