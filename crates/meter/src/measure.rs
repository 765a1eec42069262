//! The whole procedure, phase after phase.

use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ciphermeter_core::{CellId, Outcome, Record, RunStatus, Scenario, Sitting};

use crate::crew::Crew;
use crate::plan::Plan;
use crate::sitting::{Bench, Time};
use crate::witness::Witness;
use crate::{Clock, Launch, Progress, Sink, SinkError, Source, survey};

/// Into so many sittings the budget is divided at least.
const FEWEST: u32 = 12;
/// A resumed run has time for so many more, however many it has.
const LEAST_MORE: u32 = 2;

/// What can be set about a run beside its scenario.
#[derive(Debug, Clone)]
pub struct Options {
    /// Seed of keys, nonces, messages and of everything drawn at random.
    pub seed: u64,
    /// How long a worker may be silent beyond the time that a question asks for.
    pub patience: Duration,
    /// Time that one sample should take.
    pub sample: Duration,
}

impl Options {
    /// The method's own values, under a seed.
    pub fn seeded(seed: u64) -> Self {
        Self { seed, patience: Duration::from_secs(20), sample: Duration::from_micros(300) }
    }
}

/// What the procedure needs of the world.
pub struct Tools<'a> {
    /// Starts workers.
    pub launch: &'a mut dyn Launch,
    /// Tells the time.
    pub clock: Rc<dyn Clock>,
    /// Takes what is measured.
    pub sink: &'a mut dyn Sink,
    /// Set when the user wants it to end; looked at between rounds.
    pub interrupted: &'a AtomicBool,
}

/// What a resumed run has already.
#[derive(Debug, Default)]
pub struct Before {
    /// Its records with their samples.
    pub records: Vec<Record>,
    /// The number of its next sitting.
    pub next_sitting: u32,
}

impl Before {
    fn whole_sittings(&self) -> u32 {
        let whole = |record: &Record| record.sittings.iter().filter(|sitting| !sitting.short).count();
        self.records.iter().map(whole).max().unwrap_or(0) as u32
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// How far it came.
    pub status: RunStatus,
    /// Whether a provider's output was wrong.
    pub wrong_output: bool,
    /// Whether any cell has samples.
    pub measured: bool,
}

/// Why nothing, or nothing more, was measured.
#[derive(Debug, thiserror::Error)]
pub enum MeterError {
    /// No worker offers anything that the scenario asks for.
    #[error("nothing here can be measured: {}", .0.join("; "))]
    Nothing(Vec<String>),
    /// A resumed run doesn't fit what is here now.
    #[error("the run can't be resumed: {0}")]
    Changed(String),
    /// The store, or whatever takes the records, refused. What it took before is kept.
    #[error("{0}")]
    Sink(#[from] SinkError),
}

/// Measures a scenario on the sources that are here.
pub fn measure(
    scenario: &Scenario,
    sources: &[Source],
    before: Option<Before>,
    options: &Options,
    tools: Tools<'_>,
) -> Result<End, MeterError> {
    let Tools { launch, clock, sink, interrupted } = tools;
    let began = clock.now();
    let held = before.as_ref().map_or(0, Before::whole_sittings);
    let fewest = FEWEST.saturating_sub(held).max(LEAST_MORE);
    let deadline = began + scenario.budget.duration() * fewest / FEWEST;
    sink.progress(&Progress {
        stage: "asking",
        what: "what the workers have".into(),
        sitting: 0,
        rounds: 0,
        done: 0.0,
        left: scenario.budget.duration(),
    });
    let (here, missing) = survey(sources, launch, &clock, options.patience);
    let (surveyed, workers): (Vec<_>, Vec<_>) = here.into_iter().map(|(found, worker)| (found, Some(worker))).unzip();
    let (plan, notes) = match &before {
        Some(before) => (Plan::again(&before.records, &surveyed).map_err(MeterError::Changed)?, Vec::new()),
        None => Plan::new(scenario, &surveyed),
    };
    if plan.groups.is_empty() {
        let nothing = "no provider here has what the scenario asks for".to_string();
        return Err(MeterError::Nothing(missing.into_iter().map(|missing| missing.why).chain([nothing]).collect()));
    }
    let partial = missing.iter().any(|missing| missing.broken);
    for note in missing.iter().map(|missing| &missing.why).chain(&notes) {
        sink.note(note)?;
    }
    let breaks = vec![0; surveyed.len()];
    let random = fastrand::Rng::with_seed(options.seed);
    let copies = scenario.copies.is_some();
    let witness = Witness::find(&surveyed);
    let mut crew =
        Crew { launch, clock, sink, options, random, surveyed, plan, workers, breaks, copies, witness, offset: 0 };
    if before.is_none() {
        crew.sink.planned(&crew.plan.records())?;
    }
    let earlier = before.unwrap_or_default();
    let whole = sittings(&mut crew, scenario, Time { deadline, fewest }, earlier, interrupted)?;
    Ok(crew.end(partial, whole))
}

/// Verifies, pilots, and holds sittings until the precision is reached or the time is over. False if interrupted.
fn sittings(
    crew: &mut Crew<'_>,
    scenario: &Scenario,
    time: Time,
    before: Before,
    interrupted: &AtomicBool,
) -> Result<bool, MeterError> {
    let stop = || interrupted.load(Ordering::Relaxed);
    crew.verify(time.deadline)?;
    if stop() {
        return Ok(false);
    }
    let Some(pilot) = crew.pilot(time.deadline, scenario.budget.duration())? else { return Ok(true) };
    let mut samples: Vec<Vec<Sitting>> = before.records.into_iter().map(|record| record.sittings).collect();
    samples.resize(crew.plan.cells.len(), Vec::new());
    let mut bench = Bench::new(crew, pilot, samples, scenario.precision.0, time);
    let mut number = before.next_sitting;
    while !stop() && bench.goes_on() {
        bench.sitting(number, interrupted)?;
        bench.sum_up()?;
        number += 1;
    }
    bench.close()?;
    Ok(!stop())
}

impl Crew<'_> {
    fn end(&self, partial: bool, whole: bool) -> End {
        let has = |test: fn(&Outcome) -> bool| self.plan.cells.iter().any(|planned| test(&planned.outcome));
        let fell_out = has(|outcome| matches!(outcome, Outcome::Failed { .. }));
        let wrong_output = has(|outcome| matches!(outcome, Outcome::WrongOutput { .. }));
        let status = match (whole, partial || fell_out || wrong_output) {
            (false, _) => RunStatus::Interrupted,
            (true, true) => RunStatus::Partial,
            (true, false) => RunStatus::Complete,
        };
        End { status, wrong_output, measured: has(|outcome| *outcome == Outcome::Measured) }
    }

    /// A name for progress and messages.
    pub(crate) fn name(&self, id: CellId) -> String {
        self.plan.get(id).cell.to_string()
    }
}
