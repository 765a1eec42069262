//! The course of a run: verify, then each part with its share of the time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ciphermeter_core::{CellId, Fork, Record, Scenario};

use crate::fork::{Bench, Time};
use crate::phase::{Part, Phase};
use crate::pool::Pool;
use crate::{Before, SinkError, latency, memory};

/// Into so many forks a part's time is divided at least.
const FEWEST: u32 = 12;
/// A resumed run has time for so many more, however many it has.
const LEAST_MORE: u32 = 2;

/// What the parts of a run share of time and samples.
pub struct Course<'a> {
    scenario: &'a Scenario,
    began: Duration,
    records: Vec<Record>,
    next_fork: u32,
    interrupted: &'a AtomicBool,
}

impl<'a> Course<'a> {
    /// The course of a run that began then, or goes on with what it had before.
    pub fn new(scenario: &'a Scenario, began: Duration, before: Before, interrupted: &'a AtomicBool) -> Self {
        Self { scenario, began, records: before.records, next_fork: before.next_fork, interrupted }
    }

    /// Whether the user wants it to end.
    pub fn is_stopped(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Verifies, then goes through the parts.
    pub fn run(&mut self, pool: &mut Pool<'_>) -> Result<(), SinkError> {
        let budget = self.scenario.budget.duration();
        pool.verify(self.began + budget)?;
        let parts = Part::all(&pool.plan);
        let all: f64 = parts.iter().map(|part| part.weight(&pool.plan)).sum();
        let end = self.began + budget.mul_f64(self.weight_left(pool, &parts) / all.max(f64::MIN_POSITIVE));
        for (place, part) in parts.iter().enumerate() {
            let (own, rest) = (self.weight_left(pool, &parts[place..=place]), self.weight_left(pool, &parts[place..]));
            if own == 0.0 || self.is_stopped() {
                continue;
            }
            // What an earlier part left over is there for the later ones.
            let now = pool.clock.now();
            let deadline = now + end.saturating_sub(now).mul_f64(own / rest);
            pool.part = part.clone();
            match part.phase {
                Phase::Calls => self.calls(pool, deadline)?,
                Phase::Memory => self.memories(pool, deadline)?,
                Phase::Turns | Phase::Threads | Phase::Transfers => self.rounds(pool, deadline)?,
            }
        }
        Ok(())
    }

    /// How much these parts ask for: of a resumed run less, but never too little for anything.
    fn weight_left(&self, pool: &Pool<'_>, parts: &[Part]) -> f64 {
        let left = |part: &Part| {
            let held = self.held(pool, part);
            let (forks, of) = match part.phase {
                Phase::Calls => (latency::FORKS.saturating_sub(held), latency::FORKS),
                Phase::Memory => (memory::PROCESSES.saturating_sub(held), memory::PROCESSES),
                Phase::Turns | Phase::Threads | Phase::Transfers => {
                    (FEWEST.saturating_sub(held).max(LEAST_MORE), FEWEST)
                }
            };
            part.weight(&pool.plan) * f64::from(forks) / f64::from(of)
        };
        parts.iter().map(left).sum()
    }

    /// Whole forks that a part has.
    fn held(&self, pool: &Pool<'_>, part: &Part) -> u32 {
        let inside = |id: &CellId| part.takes(pool.plan.get(*id));
        let records = pool.plan.ids().filter(inside).filter_map(|id| self.records.get(id.index()));
        let whole = |record: &Record| match part.phase {
            Phase::Calls => record.latency.iter().filter(|latency| !latency.short).count(),
            Phase::Memory => record.memory.len(),
            Phase::Turns | Phase::Threads | Phase::Transfers => record.forks.iter().filter(|fork| !fork.short).count(),
        };
        records.map(whole).max().unwrap_or(0) as u32
    }

    /// A pilot, then forks until the precision is reached or the time is over.
    fn rounds(&mut self, pool: &mut Pool<'_>, deadline: Duration) -> Result<(), SinkError> {
        let fewest = FEWEST.saturating_sub(self.held(pool, &pool.part)).max(LEAST_MORE);
        let budget = deadline.saturating_sub(pool.clock.now());
        let Some(pilot) = pool.pilot(deadline, budget)? else { return Ok(()) };
        let mut samples: Vec<Vec<Fork>> = self.records.iter().map(|record| record.forks.clone()).collect();
        samples.resize(pool.plan.cells.len(), Vec::new());
        let time = Time { deadline, fewest };
        let mut bench = Bench::new(pool, pilot, samples, self.scenario.precision.0, time);
        while !self.is_stopped() && bench.goes_on() {
            bench.fork(self.next_fork, self.interrupted)?;
            bench.sum_up()?;
            self.next_fork += 1;
        }
        bench.close()
    }

    fn calls(&mut self, pool: &mut Pool<'_>, deadline: Duration) -> Result<(), SinkError> {
        let held = self.held(pool, &pool.part);
        pool.single_calls(deadline, held, &mut self.next_fork, self.interrupted)
    }

    fn memories(&mut self, pool: &mut Pool<'_>, deadline: Duration) -> Result<(), SinkError> {
        let held = self.held(pool, &pool.part);
        pool.memories(deadline, held, &mut self.next_fork, self.interrupted)
    }
}
