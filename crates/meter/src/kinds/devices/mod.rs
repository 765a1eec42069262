//! Cells on devices, one device after the other (docs/devices.md).
//!
//! A board that counts time is measured in rounds, as this machine is, but with samples that are worth the way over its line, and
//! without the contention probe: nothing else runs on it. A device that counts instructions or cycles is exact, and is counted twice.

mod charge;
mod counting;

use std::collections::BTreeSet;
use std::time::Duration;

use ciphermeter_core::{Cell, CellId, Metric, Record, Scenario};

use crate::kind::{Kind, Share};
use crate::outputs::confirm;
use crate::part::Part;
use crate::plan::Plan;
use crate::pool::Pool;
use crate::rounds::{self, Sampling};
use crate::{Affinity, Batch, SinkError};

/// What samples on devices count.
const METRICS: &[Metric] = &[
    Metric::NS,
    Metric::CYCLES,
    Metric::INSTRUCTIONS,
    Metric::ELAPSED,
    Metric::ENERGY_MACHINE,
    Metric::CHARGE,
    Metric::VOLTAGE,
    Metric::IDLE_CURRENT,
    Metric::STACK,
    Metric::STATE,
    Metric::CODE,
];

/// What a board's cells have to fit into, however short the budget is.
const LEAST_BUDGET: Duration = Duration::from_secs(60);

/// The kind of measurement.
#[derive(Default)]
pub struct Devices {
    /// What stands before notes on the device that is on.
    device: String,
    /// How long a request and its answer take on its line beside the sample, at the most.
    link: Duration,
}

impl Kind for Devices {
    fn takes(&self, _: &Scenario, cell: &Cell) -> bool {
        cell.parameters.device().is_some()
    }

    fn metrics(&self) -> Vec<Metric> {
        METRICS.to_vec()
    }

    /// An emulated core is not timed, so it may run wherever there is room.
    fn conditions(&self) -> Part {
        Part { affinity: Affinity::AllCpus, ..Part::default() }
    }

    fn parts(&self, scenario: &Scenario, plan: &Plan) -> Vec<Part> {
        let cells = || plan.ids().filter(|id| self.takes(scenario, &plan.get(*id).cell));
        let number = |id: CellId| plan.get(id).cell.parameters.device();
        let devices: BTreeSet<_> = cells().map(number).collect();
        let of_device =
            |device| Part { cells: cells().filter(|id| number(*id) == device).collect(), ..self.conditions() };
        devices.into_iter().map(of_device).collect()
    }

    fn weight(&self, _: &Cell) -> f64 {
        1.0
    }

    fn held(&self, record: &Record) -> u32 {
        match counting::is_counted(record) {
            true => counting::held(record),
            false => rounds::held(record),
        }
    }

    fn left(&self, held: u32) -> f64 {
        rounds::left(held)
    }

    fn measure(&mut self, pool: &mut Pool<'_>, mut share: Share<'_>) -> Result<(), SinkError> {
        let (counted, timed): (BTreeSet<CellId>, BTreeSet<CellId>) =
            pool.part.cells.iter().copied().partition(|id| counting::counts(pool, *id).is_some());
        if !counted.is_empty() {
            pool.part.cells = counted;
            let began = pool.clock.now();
            counting::measure(pool, &mut share)?;
            pool.set_beside(began);
            share.deadline += pool.clock.now() - began;
        }
        pool.part.cells = timed;
        let Some(first) = pool.part.cells.first() else { return Ok(()) };
        let device = pool.plan.get(*first).cell.device().unwrap_or_default();
        (self.device, self.link) = (format!("{device}: "), Duration::ZERO);
        let Share { scenario, deadline, room, held, earlier, next_fork } = share;
        rounds::measure(pool, self, Share { scenario, deadline, room, held, earlier, next_fork: &mut *next_fork })?;
        let began = pool.clock.now();
        charge::measure(pool, &mut Share { scenario, deadline, room, held, earlier, next_fork })?;
        pool.set_beside(began);
        Ok(())
    }
}

impl Sampling for Devices {
    /// A sample is worth the way over the line: 20 ms.
    fn length(&self) -> u32 {
        67
    }

    fn link(&self) -> f64 {
        self.link.as_secs_f64()
    }

    /// Nothing else runs there, so half of the time need not be the reference's.
    fn brackets(&self) -> bool {
        false
    }

    fn least_rounds(&self) -> u32 {
        2
    }

    /// Nothing else runs on a board, and an emulator counts the same beside anything.
    fn is_disturbed(&self) -> bool {
        false
    }

    fn shares_a_core(&self) -> bool {
        false
    }

    /// A line is slow, and whoever connects a board waits for it: it has its six forks even if the budget is over before.
    fn patience(&self, budget: Duration) -> Duration {
        budget.max(LEAST_BUDGET)
    }

    fn insists(&self) -> bool {
        true
    }

    fn confirm(&mut self, pool: &mut Pool<'_>, id: CellId, batch: &Batch) -> Result<(), SinkError> {
        let timed = Duration::from_nanos(batch.ns());
        self.link = self.link.max(batch.elapsed.saturating_sub(timed));
        confirm(pool, id, batch)
    }

    fn device(&self) -> &str {
        &self.device
    }
}
