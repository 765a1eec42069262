//! One long message, split among threads or encrypted by a graphics card (docs/parallel.md).
//!
//! All sizes are parts of their own, because their messages would not fit into memory together. What was timed is proven right in
//! three ways: where slices meet, and at a few other places, the bytes must be those that another provider makes of them under
//! counters of the harness's own reckoning; all of it must decrypt to what has the message's CRC-32; and in the pilot, the digest of a
//! message that is not too long must be the one that another provider makes anew.

mod fit;
mod output_check;
mod room;

use std::collections::BTreeSet;
use std::time::Duration;

use ciphermeter_core::{Cell, CellId, Metric, Record, Scenario};

use crate::kind::{Kind, Room, Share};
use crate::part::Part;
use crate::plan::Plan;
use crate::pool::Pool;
use crate::rounds::{self, Sampling, Setting};
use crate::verify::verify_messages;
use crate::{Affinity, Batch, SinkError};
use output_check::OutputCheck;
use room::keep_what_is_worth_it;

/// What its samples count.
const METRICS: &[Metric] =
    &[Metric::NS, Metric::CPU_NS, Metric::CYCLES, Metric::INSTRUCTIONS, Metric::CONTEXT, Metric::COMPILE, Metric::PIN];
/// So many calls are looked at, without a warm-up. Odd, because an even number of calls that undo each other leaves what none at all
/// leaves; several, because threads that meet between calls are part of what is timed.
const CHAIN: u64 = 3;

/// The kind of measurement.
#[derive(Default)]
pub struct Parallel {
    output_check: OutputCheck,
    /// The room that the size under way has in its run.
    room: Room,
}

impl Kind for Parallel {
    fn takes(&self, _: &Scenario, cell: &Cell) -> bool {
        cell.is_split()
    }

    fn metrics(&self) -> Vec<Metric> {
        METRICS.to_vec()
    }

    /// The contention probe looks at one core; a split message has all of them.
    fn conditions(&self) -> Part {
        Part { affinity: Affinity::AllCpus, ..Part::default() }
    }

    /// One size after the other, the smallest first.
    fn parts(&self, scenario: &Scenario, plan: &Plan) -> Vec<Part> {
        let cells = || plan.ids().map(|id| (id, &plan.get(id).cell)).filter(|(_, cell)| self.takes(scenario, cell));
        let sizes: BTreeSet<u64> = cells().map(|(_, cell)| cell.parameters.message()).collect();
        let of_size = |bytes| {
            let cells = cells().filter(|(_, cell)| cell.parameters.message() == bytes).map(|(id, _)| id).collect();
            Part { cells, ..self.conditions() }
        };
        sizes.into_iter().map(of_size).collect()
    }

    /// Seconds: what its process and its pilot take however short the message is, and its message at half a gigabyte a second, as
    /// it is filled, encrypted, looked at and decrypted again.
    fn weight(&self, cell: &Cell) -> f64 {
        3.0 + cell.parameters.message() as f64 / 5e8
    }

    fn held(&self, record: &Record) -> u32 {
        rounds::held(record)
    }

    fn left(&self, held: u32) -> f64 {
        rounds::left(held)
    }

    /// All messages, split in each way that the plan has.
    fn verify(&mut self, pool: &mut Pool<'_>, deadline: Duration) -> Result<(), SinkError> {
        self.output_check = OutputCheck::at(pool.options.input.clone());
        // What will not be measured shall have no share of the time.
        let sizes: BTreeSet<u64> = pool.plan.ids().map(|id| pool.plan.get(id).cell.parameters.message()).collect();
        let verified = std::mem::take(&mut pool.part);
        for bytes in sizes {
            let is_of_size = |id: &CellId| {
                let cell = &pool.plan.get(*id).cell;
                cell.is_split() && cell.parameters.message() == bytes
            };
            pool.part = Part { cells: pool.plan.ids().filter(is_of_size).collect(), ..self.conditions() };
            keep_what_is_worth_it(pool)?;
        }
        pool.part = verified;
        verify_messages(pool, deadline)
    }

    fn measure(&mut self, pool: &mut Pool<'_>, share: Share<'_>) -> Result<(), SinkError> {
        // The processes of the size before hold memory.
        pool.dismiss();
        keep_what_is_worth_it(pool)?;
        self.room = share.room;
        rounds::measure(pool, self, share)
    }
}

impl Sampling for Parallel {
    fn has_long_calls(&self) -> bool {
        true
    }

    fn trials(&self) -> u32 {
        3
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
        fit::keep(pool, settings, deadline, self.room)
    }

    fn confirm(&mut self, pool: &mut Pool<'_>, id: CellId, batch: &Batch) -> Result<(), SinkError> {
        let cell = pool.plan.get(id).cell.clone();
        if cell.algorithm.is_ceiling() {
            return Ok(());
        }
        let mut batch = batch.clone();
        if batch.last - batch.first + 1 != CHAIN {
            let expected = Duration::from_nanos(batch.ns() / batch.iterations * CHAIN);
            match pool.sample(id, 0, CHAIN, expected)? {
                Some(again) => batch = again,
                None => return Ok(()),
            }
        }
        match self.output_check.outcome(pool, id, &batch)? {
            Some(outcome) => pool.fall_out(id, outcome),
            None => Ok(()),
        }
    }

    fn title(&self) -> &'static str {
        "split messages: "
    }
}
