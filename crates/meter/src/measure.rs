//! The whole procedure: ask, plan, verify, measure kind after kind.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ciphermeter_core::{Kind as ScenarioKind, Metric, Note, Outcome, Record, RunStatus, Scenario};
use ciphermeter_host::energy::Meters;

use crate::course::Course;
use crate::kind::Kind;
use crate::kinds::{Calls, Devices, Energy, MemoryUsed, Parallel, Processes, Sustained, Threads, Transfers, Turns};
use crate::mask::{Masked, keep_masked, without_switch};
use crate::options::Options;
use crate::plan::Plan;
use crate::pool::Pool;
use crate::stop::Stop;
use crate::unoffered;
use crate::{Clock, Launch, Missing, Progress, Sink, SinkError, Source, Surveyed, Worker, survey};

/// What the procedure needs of the world.
pub struct Tools<'a> {
    /// How cells are measured: [`kinds`] of the scenario, in that order.
    pub kinds: Vec<Box<dyn Kind>>,
    /// Starts workers.
    pub launch: &'a mut dyn Launch,
    /// Tells the time.
    pub clock: Rc<dyn Clock>,
    /// When the run began, by that clock: its budget counts from there.
    pub began: Duration,
    /// Takes what is measured.
    pub sink: &'a mut dyn Sink,
    /// Set when the user wants it to end; looked at before each sample.
    pub interrupted: &'a AtomicBool,
    /// The counters of energy that are read; none where a run needs none.
    pub meters: Meters,
}

/// What a resumed run has already.
#[derive(Debug, Default)]
pub struct Before {
    /// Its records with their samples.
    pub records: Vec<Record>,
    /// The number of its next fork.
    pub next_fork: u32,
    /// The providers on boards that were given up.
    pub lost: BTreeSet<String>,
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
    /// All that there was put out something wrong.
    #[error("nothing here can be measured: {}", .0.join("; "))]
    Wrong(Vec<String>),
    /// A sustained load is one cell, and the scenario comes to these.
    #[error(
        "a sustained load measures one cell, but {} are selected: {}; choose one with --provider, --algorithm, --operation and --message",
        .0.len(), .0.join(", ")
    )]
    Several(Vec<String>),
    /// The user ended the run while workers were asked what they have.
    #[error("interrupted before anything was measured")]
    Interrupted,
    /// A resumed run doesn't fit what is here now.
    #[error("the run cannot be resumed: {0}")]
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
    let Tools { mut kinds, launch, clock, began, sink, interrupted, meters } = tools;
    let Asked { here, missing, masked } = ask(scenario, sources, options, launch, &clock, sink);
    if interrupted.load(Ordering::Relaxed) {
        return Err(MeterError::Interrupted);
    }
    let (plan, notes) = plan(scenario, &here, before.as_ref(), options)?;
    let wrong: Vec<Note> = here.iter().flat_map(|(found, _)| found.wrong_notes()).collect();
    let is_wrong = !wrong.is_empty() || missing.iter().any(|missing| missing.wrong);
    if plan.peers.is_empty() {
        let surveyed: Vec<_> = here.into_iter().map(|(found, _)| found).collect();
        let older = notes.into_iter().filter(|_| options.against);
        let nothing = unoffered::sentence(scenario, &surveyed, options, !missing.is_empty());
        let notes = missing.iter().map(Missing::note).chain(wrong).chain(masked).chain(older);
        let why = notes.map(|note| note.to_string()).chain(nothing).collect();
        return Err(if is_wrong { MeterError::Wrong(why) } else { MeterError::Nothing(why) });
    }
    if scenario.kind == ScenarioKind::Sustained && plan.cells.len() > 1 {
        return Err(MeterError::Several(plan.cells.iter().map(|planned| planned.cell.to_string()).collect()));
    }
    let partial = options.partial || missing.iter().any(|missing| missing.broken);
    for note in missing.iter().map(Missing::note).chain(wrong).chain(masked).chain(notes) {
        sink.note(note)?;
    }
    let stop = Stop::new(interrupted, began, scenario.budget.duration());
    let mut pool = Pool::new((launch, clock, sink), stop, meters, options, here, plan);
    let Before { records, next_fork, .. } = match before {
        Some(before) => {
            take_back(&mut pool, &before)?;
            before
        }
        None => {
            pool.sink.planned(&pool.plan.records(), &metrics(&kinds))?;
            Before::default()
        }
    };
    let mut course = Course { scenario, began, earlier: records, next_fork };
    course.run(&mut pool, &mut kinds)?;
    if pool.stop.is_overrun(pool.clock.now()) {
        pool.cut_short = true;
        pool.sink.note(Note::other(
            "the run was cut off: workers answered so slowly that it took far longer than its budget",
        ))?;
    }
    let end = end(&pool.plan, partial || is_wrong || pool.cut_short, !pool.stop.is_interrupted());
    Ok(End { wrong_output: end.wrong_output || is_wrong, ..end })
}

/// Stores which cells of a resumed run are measured again, and says which providers are there again.
fn take_back(pool: &mut Pool<'_>, before: &Before) -> Result<(), SinkError> {
    for id in pool.plan.changed(&before.records) {
        pool.sink.outcome(id, &pool.plan.get(id).outcome)?;
    }
    before.lost.iter().try_for_each(|provider| pool.sink.note(Note::back(provider)))
}

/// The kinds of measurement of a scenario, in the order in which a run goes through them: single calls are timed after samples, so that
/// their thousands of readings disturb no sample; memory comes after both, because its counters may slow calls down. `window` is
/// how long the counters of energy must be read for a figure; `None` where there are none.
pub fn kinds(scenario: &Scenario, seed: u64, window: Option<Duration>) -> Vec<Box<dyn Kind>> {
    match scenario.kind {
        ScenarioKind::Message => vec![
            Box::new(Turns),
            Box::new(Threads),
            Box::new(Processes::default()),
            Box::new(Calls),
            Box::new(MemoryUsed),
            Box::new(Devices::default()),
        ],
        ScenarioKind::Transfer => vec![Box::new(Transfers::new(seed))],
        ScenarioKind::Parallel => {
            let energy = window.map(|window| Box::new(Energy::new(window)) as Box<dyn Kind>);
            std::iter::once(Box::<Parallel>::default() as Box<dyn Kind>).chain(energy).collect()
        }
        ScenarioKind::Sustained => vec![Box::new(Sustained::new(seed, scenario.budget.duration()))],
    }
}

/// What all of them count, each metric once.
fn metrics(kinds: &[Box<dyn Kind>]) -> Vec<Metric> {
    let mut metrics = Vec::new();
    for metric in kinds.iter().flat_map(|kind| kind.metrics()) {
        if !metrics.contains(&metric) {
            metrics.push(metric);
        }
    }
    metrics
}

/// What asking the sources came to.
struct Asked {
    here: Vec<(Surveyed, Worker)>,
    missing: Vec<Missing>,
    /// What is left out because it cannot be kept from the CPU's instructions.
    masked: Vec<Note>,
}

fn ask(
    scenario: &Scenario,
    sources: &[Source],
    options: &Options,
    launch: &mut dyn Launch,
    clock: &Rc<dyn Clock>,
    sink: &mut dyn Sink,
) -> Asked {
    let (what, left) = ("what the workers have".into(), scenario.budget.duration());
    sink.progress(&Progress { stage: "asking", what, fork: 0, rounds: 0, done: 0.0, left: Some(left) });
    let (mut here, mut missing) = survey(sources, launch, clock, options.patience);
    let again = without_switch(sources, &mut missing);
    let (more, still_missing) = survey(&again, launch, clock, options.patience);
    here.extend(more);
    missing.extend(still_missing);
    let Some(mask) = options.mask else { return Asked { here, missing, masked: Vec::new() } };
    let wanted = |name: &str, algorithm| !scenario.cells_for(name, algorithm, options.cpus).is_empty();
    let Masked { here, notes } = keep_masked(here, wanted, mask, launch, clock, options.patience);
    Asked { here, missing, masked: notes }
}

/// What is measured: all that is here, or what the earlier life of a resumed run had.
fn plan(
    scenario: &Scenario,
    here: &[(Surveyed, Worker)],
    before: Option<&Before>,
    options: &Options,
) -> Result<(Plan, Vec<Note>), MeterError> {
    let surveyed: Vec<_> = here.iter().map(|(found, _)| found.clone()).collect();
    match before {
        Some(before) => {
            let again = Plan::again(scenario, &before.records, &surveyed, options);
            Ok((again.map_err(MeterError::Changed)?, Vec::new()))
        }
        None => Ok(Plan::new(scenario, &surveyed, options)),
    }
}

fn end(plan: &Plan, partial: bool, whole: bool) -> End {
    let has = |test: fn(&Outcome) -> bool| plan.cells.iter().any(|planned| test(&planned.outcome));
    let fell_out = has(|outcome| matches!(outcome, Outcome::Failed { .. }));
    let wrong_output = has(|outcome| matches!(outcome, Outcome::WrongOutput { .. }));
    let status = match (whole, partial || fell_out || wrong_output) {
        (false, _) => RunStatus::Interrupted,
        (true, true) => RunStatus::Partial,
        (true, false) => RunStatus::Complete,
    };
    End { status, wrong_output, measured: has(|outcome| *outcome == Outcome::Measured) }
}
