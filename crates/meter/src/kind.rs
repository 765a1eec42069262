//! A kind of measurement: what a run asks of each.
//!
//! A kind is one file in `kinds/`, named once in [`crate::measure`]. It says which cells it measures, where their workers run, how
//! much of the time it wants, how it verifies and how it measures. Kinds that take samples in shuffled rounds leave that to
//! [`crate::rounds`].

use std::time::Duration;

use ciphermeter_core::{Cell, Metric, Record, Scenario};

use crate::SinkError;
use crate::part::Part;
use crate::plan::Plan;
use crate::pool::Pool;

/// A way of measuring cells.
pub trait Kind {
    /// Whether it measures a cell of this scenario.
    fn takes(&self, scenario: &Scenario, cell: &Cell) -> bool;

    /// What its samples count. Latencies and memory are no samples.
    fn metrics(&self) -> Vec<Metric>;

    /// Under which conditions it measures; its cells are filled in.
    fn conditions(&self) -> Part;

    /// What is measured in one go, in this order: all its cells, unless a kind says otherwise.
    fn parts(&self, scenario: &Scenario, plan: &Plan) -> Vec<Part> {
        let cells = plan.ids().filter(|id| self.takes(scenario, &plan.get(*id).cell)).collect();
        vec![Part { cells, ..self.conditions() }]
    }

    /// How much of the time a cell asks for, where a cell of one thread asks for 1.
    fn weight(&self, cell: &Cell) -> f64;

    /// How many whole forks an earlier life of the run has of a cell.
    fn held(&self, record: &Record) -> u32;

    /// The same of a whole part: by the cell that has the most, as one that fell out has fewer.
    fn held_of_part(&self, records: &[&Record]) -> u32 {
        records.iter().map(|record| self.held(record)).max().unwrap_or(0)
    }

    /// How much of its time it still wants with so many forks: 1 with none.
    fn left(&self, held: u32) -> f64;

    /// Takes out what is not proven right, before anything is timed. Nothing by default: where kinds measure the same cells, one of
    /// them verifies.
    fn verify(&mut self, _pool: &mut Pool<'_>, _deadline: Duration) -> Result<(), SinkError> {
        Ok(())
    }

    /// Measures the pool's part.
    fn measure(&mut self, pool: &mut Pool<'_>, share: Share<'_>) -> Result<(), SinkError>;
}

/// What a part has of its run.
pub struct Share<'a> {
    /// What is measured.
    pub scenario: &'a Scenario,
    /// When its time is over.
    pub deadline: Duration,
    /// What it may take beyond that, and what a longer run would have for it.
    pub room: Room,
    /// How many whole forks an earlier life of the run has of it.
    pub held: u32,
    /// What an earlier life measured, by cell; empty in a new run.
    pub earlier: &'a [Record],
    /// The number of the next fork; each fork that is begun takes one.
    pub next_fork: &'a mut u32,
}

/// A part's place in the time of its run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Room {
    /// When the part began.
    pub began: Duration,
    /// When its time would be over if the later parts of its kind had none.
    pub latest: Duration,
    /// What went before all parts: verification.
    pub preparing: Duration,
    /// The part's share of the time of all parts, as a fraction.
    pub portion: f64,
}

impl Room {
    /// The budget of a run that leaves so much to this part.
    pub fn budget_for(&self, part: Duration) -> Duration {
        self.preparing + Duration::try_from_secs_f64(part.as_secs_f64() / self.portion).unwrap_or(Duration::MAX)
    }
}

impl Share<'_> {
    /// The number of the fork that begins now.
    pub fn begin_fork(&mut self) -> u32 {
        *self.next_fork += 1;
        *self.next_fork - 1
    }
}
