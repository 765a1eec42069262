//! The course of a run: verify, then each part with its share of the time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ciphermeter_core::{CellId, Record, Scenario, Sitting};

use crate::crew::Crew;
use crate::phase::{Part, Phase};
use crate::sitting::{Bench, Time};
use crate::{Before, SinkError, latency, memory};

/// Into so many sittings a part's time is divided at least.
const FEWEST: u32 = 12;
/// A resumed run has time for so many more, however many it has.
const LEAST_MORE: u32 = 2;

/// What the parts of a run share of time and samples.
pub struct Course<'a> {
    scenario: &'a Scenario,
    began: Duration,
    records: Vec<Record>,
    next_sitting: u32,
    interrupted: &'a AtomicBool,
}

impl<'a> Course<'a> {
    /// The course of a run that began then, or goes on with what it had before.
    pub fn new(scenario: &'a Scenario, began: Duration, before: Before, interrupted: &'a AtomicBool) -> Self {
        Self { scenario, began, records: before.records, next_sitting: before.next_sitting, interrupted }
    }

    /// Whether the user wants it to end.
    pub fn is_stopped(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Verifies, then goes through the parts.
    pub fn run(&mut self, crew: &mut Crew<'_>) -> Result<(), SinkError> {
        let budget = self.scenario.budget.duration();
        crew.verify(self.began + budget)?;
        let parts = Part::all(&crew.plan);
        let all: f64 = parts.iter().map(|part| part.weight(&crew.plan)).sum();
        let end = self.began + budget.mul_f64(self.weight_left(crew, &parts) / all.max(f64::MIN_POSITIVE));
        for (place, part) in parts.iter().enumerate() {
            let (own, rest) = (self.weight_left(crew, &parts[place..=place]), self.weight_left(crew, &parts[place..]));
            if own == 0.0 || self.is_stopped() {
                continue;
            }
            // What an earlier part left over is there for the later ones.
            let now = crew.clock.now();
            let deadline = now + end.saturating_sub(now).mul_f64(own / rest);
            crew.part = part.clone();
            match part.phase {
                Phase::Calls => self.calls(crew, deadline)?,
                Phase::Memory => self.memories(crew, deadline)?,
                Phase::Turns | Phase::Threads | Phase::Transfers => self.rounds(crew, deadline)?,
            }
        }
        Ok(())
    }

    /// How much these parts ask for: of a resumed run less, but never too little for anything.
    fn weight_left(&self, crew: &Crew<'_>, parts: &[Part]) -> f64 {
        let left = |part: &Part| {
            let held = self.held(crew, part);
            let (sittings, of) = match part.phase {
                Phase::Calls => (latency::SITTINGS.saturating_sub(held), latency::SITTINGS),
                Phase::Memory => (memory::PROCESSES.saturating_sub(held), memory::PROCESSES),
                Phase::Turns | Phase::Threads | Phase::Transfers => {
                    (FEWEST.saturating_sub(held).max(LEAST_MORE), FEWEST)
                }
            };
            part.weight(&crew.plan) * f64::from(sittings) / f64::from(of)
        };
        parts.iter().map(left).sum()
    }

    /// Whole sittings that a part has.
    fn held(&self, crew: &Crew<'_>, part: &Part) -> u32 {
        let inside = |id: &CellId| part.takes(crew.plan.get(*id));
        let records = crew.plan.ids().filter(inside).filter_map(|id| self.records.get(id.index()));
        let whole = |record: &Record| match part.phase {
            Phase::Calls => record.latency.iter().filter(|latency| !latency.short).count(),
            Phase::Memory => record.memory.len(),
            Phase::Turns | Phase::Threads | Phase::Transfers => {
                record.sittings.iter().filter(|sitting| !sitting.short).count()
            }
        };
        records.map(whole).max().unwrap_or(0) as u32
    }

    /// A pilot, then sittings until the precision is reached or the time is over.
    fn rounds(&mut self, crew: &mut Crew<'_>, deadline: Duration) -> Result<(), SinkError> {
        let fewest = FEWEST.saturating_sub(self.held(crew, &crew.part)).max(LEAST_MORE);
        let budget = deadline.saturating_sub(crew.clock.now());
        let Some(pilot) = crew.pilot(deadline, budget)? else { return Ok(()) };
        let mut samples: Vec<Vec<Sitting>> = self.records.iter().map(|record| record.sittings.clone()).collect();
        samples.resize(crew.plan.cells.len(), Vec::new());
        let time = Time { deadline, fewest };
        let mut bench = Bench::new(crew, pilot, samples, self.scenario.precision.0, time);
        while !self.is_stopped() && bench.goes_on() {
            bench.sitting(self.next_sitting, self.interrupted)?;
            bench.sum_up()?;
            self.next_sitting += 1;
        }
        bench.close()
    }

    fn calls(&mut self, crew: &mut Crew<'_>, deadline: Duration) -> Result<(), SinkError> {
        let held = self.held(crew, &crew.part);
        crew.single_calls(deadline, held, &mut self.next_sitting, self.interrupted)
    }

    fn memories(&mut self, crew: &mut Crew<'_>, deadline: Duration) -> Result<(), SinkError> {
        let held = self.held(crew, &crew.part);
        crew.memories(deadline, held, &mut self.next_sitting, self.interrupted)
    }
}
