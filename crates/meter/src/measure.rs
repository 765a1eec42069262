//! The whole procedure, phase after phase.

use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ciphermeter_core::{CellId, Kind, Mask, Outcome, Record, RunStatus, Scenario};

use crate::course::Course;
use crate::mask::{Masked, keep_masked, without_switch};
use crate::phase::{Part, Phase};
use crate::plan::{Asked, Plan};
use crate::pool::Pool;
use crate::probe::Probe;
use crate::transfer::Contents;
use crate::{Clock, Launch, Missing, Progress, Sink, SinkError, Source, survey};

/// What can be set about a run beside its scenario.
#[derive(Debug, Clone)]
pub struct Options {
    /// Seed of keys, nonces, messages and of everything drawn at random.
    pub seed: u64,
    /// How long a worker may be silent beyond the time that a question asks for.
    pub patience: Duration,
    /// Time that one sample should take.
    pub sample: Duration,
    /// How many CPUs threads may spread over.
    pub cpus: u32,
    /// Providers are held against their older selves, which have [`Against::MARK`] behind their names, and nothing else is measured.
    pub against: bool,
    /// Which of the CPU's instructions providers are kept from.
    pub mask: Option<Mask>,
    /// Somebody who is wished for is not there at all, so that the run is partial whatever comes.
    pub partial: bool,
}

impl Options {
    /// The method's own values, under a seed.
    pub fn seeded(seed: u64) -> Self {
        let (patience, sample) = (Duration::from_secs(20), Duration::from_micros(300));
        Self { seed, patience, sample, cpus: 1, against: false, mask: None, partial: false }
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
    /// The number of its next fork.
    pub next_fork: u32,
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
    sink.progress(&Progress {
        stage: "asking",
        what: "what the workers have".into(),
        fork: 0,
        rounds: 0,
        done: 0.0,
        left: scenario.budget.duration(),
    });
    let (mut here, mut missing) = survey(sources, launch, &clock, options.patience);
    let again = without_switch(sources, &mut missing);
    let (more, still_missing) = survey(&again, launch, &clock, options.patience);
    here.extend(more);
    missing.extend(still_missing);
    let Masked { here, notes: held } = match options.mask {
        Some(mask) => {
            let wanted = |name: &str, algorithm| !scenario.cells_for(name, algorithm, options.cpus).is_empty();
            keep_masked(here, wanted, mask, launch, &clock, options.patience)
        }
        None => Masked { here, notes: Vec::new() },
    };
    let (surveyed, workers): (Vec<_>, Vec<_>) = here.into_iter().map(|(found, worker)| (found, Some(worker))).unzip();
    let asked = Asked { cpus: options.cpus, against: options.against };
    let (plan, notes) = match &before {
        Some(before) => {
            let again = Plan::again(scenario, &before.records, &surveyed, asked);
            (again.map_err(MeterError::Changed)?, Vec::new())
        }
        None => Plan::new(scenario, &surveyed, asked),
    };
    if plan.peers.is_empty() {
        let nothing = "no provider here has what the scenario asks for".to_string();
        return Err(MeterError::Nothing(missing.iter().map(Missing::sentence).chain(held).chain([nothing]).collect()));
    }
    let partial = options.partial || missing.iter().any(|missing| missing.broken);
    for note in missing.iter().map(Missing::sentence).chain(held).chain(notes) {
        sink.note(&note)?;
    }
    let breaks = vec![0; surveyed.len()];
    let random = fastrand::Rng::with_seed(options.seed);
    let copies = scenario.copies.is_some();
    // It looks at one core for microseconds; a transfer has all of them for as long as seconds.
    let probe = Probe::find(&surveyed).filter(|_| scenario.kind == Kind::Message);
    let (part, offset) = (Part { phase: Phase::Turns, group: None }, 0);
    let contents = Contents::new(options.seed);
    let mut pool = Pool {
        launch,
        clock,
        sink,
        options,
        random,
        settled: vec![Vec::new(); surveyed.len()],
        starting: Duration::ZERO,
        surveyed,
        plan,
        workers,
        breaks,
        copies,
        probe,
        offset,
        part,
        contents,
    };
    if before.is_none() {
        pool.sink.planned(&pool.plan.records())?;
    }
    let mut course = Course::new(scenario, began, before.unwrap_or_default(), interrupted);
    course.run(&mut pool)?;
    Ok(pool.end(partial, !course.is_stopped()))
}

impl Pool<'_> {
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
