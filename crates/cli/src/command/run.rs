//! `run`: measure a scenario, store it round by round, print what came of it.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, bail};
use ciphermeter_core::{MAX_INTEGER, Run, RunStatus, Scenario};
use ciphermeter_meter::{Before, End, MeterError, Options, Processes, Sink, SystemClock, Tools, measure};
use ciphermeter_store::Store;

use crate::args::{Format, RunOptions};
use crate::exit::{Exit, WithExit};
use crate::progress::Line;
use crate::recorder::Recorder;
use crate::sources::{Sources, gather};
use crate::{folders, output, scenarios};

/// Runs a scenario and prints its results.
pub fn run(named: Option<&str>, options: &RunOptions) -> Result<Exit> {
    let to_stdout =
        [&options.json, &options.csv].into_iter().flatten().filter(|to| to.as_path() == Path::new("-")).count();
    if to_stdout > 1 {
        bail!("only one of --json and --csv can go to standard output: give the other a file");
    }
    for to in [&options.json, &options.csv].into_iter().flatten() {
        // Better now than after a minute of measuring.
        output::check_writable(to)?;
    }
    let wanted = Wanted::read(named, options)?;
    let store = Store::open(&folders::store(&options.store)?)?;
    let (id, end) = measured(wanted, options, &store)?;
    let (run, records) = store.load(id)?;
    if !options.quiet {
        output::tell_notes(&run, &records);
    }
    for (to, format) in [(&options.json, Format::Json), (&options.csv, Format::Csv)] {
        if let Some(to) = to {
            output::write(&run, &records, format, to)?;
        }
    }
    if to_stdout == 0 {
        output::show(&run, &records, &options.look)?;
    }
    Ok(exit(&end))
}

fn exit(end: &End) -> Exit {
    match end {
        End { status: RunStatus::Interrupted, .. } => Exit::Interrupted,
        End { wrong_output: true, .. } => Exit::WrongOutput,
        End { measured: false, .. } => Exit::Nothing,
        End { status: RunStatus::Partial, .. } => Exit::Partial,
        End { .. } => Exit::Fine,
    }
}

/// What a run is to measure: known before a store is made for it.
pub enum Wanted {
    /// A new run.
    New(Box<Run>),
    /// One that was cut off: that of the number, or the latest, if it is of the named scenario.
    Resumed(Option<i64>, Option<String>),
}

impl Wanted {
    /// What the arguments ask for.
    pub fn read(named: Option<&str>, options: &RunOptions) -> Result<Self> {
        match options.resume {
            Some(id) => Ok(Self::Resumed(id, named.map(String::from))),
            None => Ok(Self::New(Box::new(new_run(named, options)?))),
        }
    }
}

/// Measures into the store; comes back with the run's number there.
pub fn measured(wanted: Wanted, options: &RunOptions, store: &Store) -> Result<(i64, End)> {
    let _lock = folders::lock(store.path())?;
    let (run, before) = match wanted {
        Wanted::New(run) => (*run, None),
        Wanted::Resumed(id, named) => resumed(id, named.as_deref(), store)?,
    };
    let scenario = run.scenario.clone();
    let Sources { sources, notes } = gather(&scenario, &options.workers)?;
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // The second one ends the process at once: whoever asks twice doesn't want to wait for the round.
        signal_hook::flag::register_conditional_shutdown(signal, 130, interrupted.clone())?;
        signal_hook::flag::register(signal, interrupted.clone())?;
    }
    let line = Line::new(options.quiet);
    let mut launch = Processes::seated().context("the CPU mask can't be set")?;
    let seed = run.seed;
    let mut recorder = Recorder::new(store, run, &line);
    for note in notes {
        recorder.note(&note).map_err(|error| anyhow::anyhow!(error))?;
    }
    let clock = Rc::new(SystemClock::start());
    let tools = Tools { launch: &mut launch, clock, sink: &mut recorder, interrupted: &interrupted };
    let settings = Options { patience: options.patience.duration(), ..Options::seeded(seed) };
    let ended = measure(&scenario, &sources, before, &settings, tools);
    line.clear();
    close(ended, &mut recorder)
}

/// Ends the run in the store, whichever way measuring ended.
fn close(ended: Result<End, MeterError>, recorder: &mut Recorder<'_>) -> Result<(i64, End)> {
    let id = recorder.id();
    let with = |exit, message| anyhow::Error::new(WithExit { exit, message });
    match ended {
        Ok(end) => {
            recorder.finish(end.status).map_err(|error| anyhow::anyhow!(error))?;
            Ok((id, end))
        }
        Err(error @ MeterError::Nothing(_)) => Err(with(Exit::Nothing, error.to_string())),
        Err(error @ MeterError::Changed(_)) => Err(with(Exit::Usage, error.to_string())),
        // The store itself failed, so it can't be told how the run ended; `--resume` finds it open.
        Err(MeterError::Sink(error)) if id == 0 => Err(with(Exit::Usage, error.to_string())),
        Err(MeterError::Sink(error)) => {
            let kept =
                format!("{error} (run {id} keeps every round before this; `ciphermeter run --resume={id}` goes on)");
            Err(with(Exit::Partial, kept))
        }
    }
}

fn new_run(named: Option<&str>, options: &RunOptions) -> Result<Run> {
    let mut scenario = scenarios::find(named)?;
    scenario.budget = options.budget.unwrap_or(scenario.budget);
    scenario.precision = options.precision.unwrap_or(scenario.precision);
    Ok(begin(scenario, options.seed))
}

/// A run of that scenario that begins now.
pub fn begin(scenario: Scenario, seed: Option<u64>) -> Run {
    Run {
        id: 0,
        started: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        version: env!("CARGO_PKG_VERSION").into(),
        seed: seed.unwrap_or_else(|| fastrand::u64(0..=MAX_INTEGER)),
        scenario,
        host: ciphermeter_host::facts(),
        status: RunStatus::Open,
        notes: Vec::new(),
    }
}

/// A stored run that was cut off, with its broken sitting closed as short.
fn resumed(id: Option<i64>, named: Option<&str>, store: &Store) -> Result<(Run, Option<Before>)> {
    let id = match id {
        Some(id) => id,
        None => store.last_open()?.context("no run was cut off; `ciphermeter list` shows how each ended")?,
    };
    let (run, _) = store.load(id)?;
    if let Some(named) = named.filter(|named| *named != run.scenario.name) {
        bail!("run {id} is of the scenario `{}`, not `{named}`: leave the name out", run.scenario.name);
    }
    if matches!(run.status, RunStatus::Complete | RunStatus::Partial) {
        bail!("run {id} ended: {}; there is nothing to resume", run.status);
    }
    store.close_broken_sittings(id)?;
    let (run, records) = store.load(id)?;
    let next_sitting = store.next_sitting(id)?;
    Ok((run, Some(Before { records, next_sitting })))
}
