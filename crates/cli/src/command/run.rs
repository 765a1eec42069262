//! `run`: measure a scenario, store it round by round, print what came of it.

use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use ciphermeter_core::{
    Against, Fact, Kind, MAX_INTEGER, METHOD, Note, Run, RunPlan, RunStatus, Scenario, Share, all_lost, escaped,
    method, option_words,
};
use ciphermeter_host::energy::MeterReading;
use ciphermeter_host::{cpus, downclocking};
use ciphermeter_meter::{Before, End, MeterError, Options, Processes, Sink, SystemClock, Tools, kinds, measure};
use ciphermeter_report::{Finding, against, program};
use ciphermeter_store::Store;
use ciphermeter_terminal::{Exit, WithExit, utc};

use crate::args::{Format, RunOptions};
use crate::command::show;
use crate::devices::{self, DeviceSpec, Devices};
use crate::interrupt::interruptible;
use crate::meters::{check_boards, meters};
use crate::progress::ProgressLine;
use crate::recorder::Recorder;
use crate::sources::{Sources, Wish, gather};
use crate::{folders, openssl_speed, own_files, own_worker, run_output, spot, sustained, transfers};

/// Runs a scenario and prints its results.
pub fn run(named: Option<&str>, options: &RunOptions) -> Result<Exit> {
    let to_stdout =
        [&options.json, &options.csv].into_iter().flatten().filter(|to| to.as_path() == Path::new("-")).count();
    if to_stdout > 1 {
        bail!("only one of --json and --csv can go to standard output: give the other a file");
    }
    for to in [&options.json, &options.csv].into_iter().flatten() {
        // Better now than after a minute of measuring.
        run_output::check_writable(to, &options.store)?;
    }
    let wanted = Wanted::read(named, options)?;
    let store = Store::open(&folders::store_to_write(&options.store)?)?;
    let folder = own_files::make_folder(options)?;
    let (id, end) = measured(wanted, options, &store)?;
    let (run, records) = show::load(&store, id, &options.store)?;
    if let Some(folder) = folder {
        folder.settle(&records);
    }
    if !options.quiet {
        run_output::tell_notes(&run, &records, options.detail);
    }
    for (to, format) in [(&options.json, Format::Json), (&options.csv, Format::Csv)] {
        if let Some(to) = to {
            run_output::write(&run, &records, format, to)?;
        }
    }
    let is_answered = match to_stdout {
        0 => run_output::show(&run, &records, options.detail, &options.look)?,
        _ => run_output::is_answered(&run, &records),
    };
    match against(&run, &records, false, run_output::table_options(&options.look)) {
        Some((_, verdict)) if end.status != RunStatus::Interrupted => Ok(found(verdict.finding(), &end)),
        _ if !is_answered && exit(&end) == Exit::Fine => Ok(Exit::Partial),
        _ => Ok(exit(&end)),
    }
}

/// What a run that is compared with something comes to: the verdict, and what went wrong beside it.
fn found(finding: Finding, end: &End) -> Exit {
    match finding {
        Finding::Fine => exit(end),
        finding => run_output::exit(finding),
    }
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

/// What a run is to measure: known, and there to be asked, before a store is made for it.
enum Wanted {
    /// A new run, and whom it asks.
    New(Box<Run>, Sources),
    /// One that was cut off: that of the number, or the latest, if it is of the named scenario.
    Resumed(Option<i64>, Option<String>),
}

impl Wanted {
    /// What the arguments ask for.
    fn read(named: Option<&str>, options: &RunOptions) -> Result<Self> {
        match options.resume {
            Some(id) => Ok(Self::Resumed(id, named.map(String::from))),
            None => {
                let (run, devices) = new_run(named, options)?;
                devices.check_any()?;
                let sources = asked(&run, options, &devices)?;
                Ok(Self::New(Box::new(run), sources))
            }
        }
    }
}

/// Measures into the store; comes back with the run's number there.
fn measured(wanted: Wanted, options: &RunOptions, store: &Store) -> Result<(i64, End)> {
    let _lock = folders::lock(store.path())?;
    match wanted {
        Wanted::New(run, sources) => measure_into(store, *run, None, sources, options),
        Wanted::Resumed(id, named) => {
            let (run, before) = resumed(id, named.as_deref(), options, store)?;
            let devices = devices::find(&options.device, &options.workers)?;
            let sources = asked(&run, options, &devices)?;
            measure_into(store, run, Some(before), sources, options)
        }
    }
}

fn asked(run: &Run, options: &RunOptions, devices: &Devices) -> Result<Sources> {
    let peer = options.peer.as_deref().map(transfers::peer).transpose()?;
    if peer.is_some() && !run.scenario.moves_files() {
        bail!("{} transfers no files, so --peer has nothing to do: remove --peer", run.scenario.name);
    }
    own_files::check_temporary(&run.scenario, options)?;
    gather(&Wish {
        scenario: Some(&run.scenario),
        named: &options.spot.provider,
        mask: run.mask,
        workers: &options.workers,
        worker: &options.worker,
        openssl: &options.openssl,
        against: run.against.as_ref().map(|against| against.old.as_str()),
        devices: Some(devices),
        peer: peer.as_ref(),
        files: own_files::read(options)?,
        patience: options.patience.duration(),
    })
}

/// Measures these sources into the store, whose lock is held.
fn measure_into(
    store: &Store,
    mut run: Run,
    before: Option<Before>,
    Sources { sources, notes, partial, folder: _folder }: Sources,
    options: &RunOptions,
) -> Result<(i64, End)> {
    // Reading a long file takes a while: until then, Ctrl-C ends all.
    let input = own_files::open(&mut run, options)?;
    let interrupted = interruptible()?;
    let line = ProgressLine::new(options.quiet);
    let mut launch = Processes::pinned().context("cannot set the CPU mask")?.interruptible(interrupted.clone());
    let settings = Options {
        patience: options.patience.duration(),
        cpus: u32::try_from(cpus::allowed().len()).unwrap_or(1),
        against: run.against.is_some(),
        mask: run.mask,
        input,
        partial,
        ..Options::seeded(run.seed)
    };
    let warmup = downclocking().map_or(settings.warmup, |lasts| settings.warmup.max(lasts));
    let settings = Options { warmup, ..settings };
    let scenario = run.scenario.clone();
    let mut run = Run { store: folders::typed_store(&options.store), ..run };
    // What the idle machine draws is measured within the budget, too.
    let clock = Rc::new(SystemClock::start());
    let meters = meters(&mut run, options.meter.as_deref(), &interrupted)?;
    let mut recorder = Recorder::new(store, run, &line);
    for note in notes.clone() {
        recorder.note(note).map_err(|error| anyhow::anyhow!(error))?;
    }
    let window = (!meters.found.is_empty()).then(|| MeterReading::least(&meters));
    let kinds = kinds(&scenario, settings.seed, window);
    let (began, sink) = (Duration::ZERO, &mut recorder);
    let tools = Tools { kinds, launch: &mut launch, clock, began, sink, interrupted: &interrupted, meters };
    let ended = measure(&scenario, &sources, before, &settings, tools).map_err(|error| match error {
        // What could not even be started is the likeliest reason.
        MeterError::Nothing(why) => MeterError::Nothing(notes.iter().map(ToString::to_string).chain(why).collect()),
        error => error,
    });
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
        Err(error @ MeterError::Interrupted) => Err(with(Exit::Interrupted, error.to_string())),
        Err(error @ MeterError::Wrong(_)) => Err(with(Exit::WrongOutput, error.to_string())),
        Err(error @ (MeterError::Changed(_) | MeterError::Several(_))) => Err(with(Exit::Usage, error.to_string())),
        // The store itself failed, so it can't be told how the run ended; `--resume` finds it open.
        Err(MeterError::Sink(error)) if id == 0 => Err(with(Exit::Usage, error.to_string())),
        Err(MeterError::Sink(error)) => {
            let further = match recorder.kind() {
                Kind::Sustained => format!("`{}` prints them", recorder.command(&format!("show {id}"))),
                _ => format!("`{}` continues it", recorder.command(&format!("run --resume={id}"))),
            };
            Err(with(Exit::Partial, format!("{error} (run {id} keeps every round before this; {further})")))
        }
    }
}

/// How many devices are measured that no emulator runs.
fn boards(options: &RunOptions) -> usize {
    options.device.iter().filter(|spec| matches!(spec, DeviceSpec::Board(_))).count()
}

/// A new run of the scenario, and the devices that it measures on.
fn new_run(named: Option<&str>, options: &RunOptions) -> Result<(Run, Devices)> {
    let mut scenario = spot::scenario(named, options)?;
    scenario.budget = options.budget.unwrap_or(scenario.budget);
    own_files::adapt(&mut scenario, options)?;
    if scenario.kind == Kind::Sustained {
        sustained::check(&scenario, options)?;
    } else if options.transfer {
        bail!("--transfer belongs to sustained runs: `ciphermeter run sustained --transfer`");
    } else if let Some(place) = options.meter.as_deref().filter(|_| scenario.kind != Kind::Parallel) {
        check_boards(place, boards(options))?;
    }
    scenario.precision = options.precision.unwrap_or(scenario.precision);
    for command in &options.worker {
        own_worker::read(command, options.patience.duration())?.join(&mut scenario);
    }
    let mut devices = devices::find(&options.device, &options.workers)?;
    if !options.device.is_empty() {
        devices.note_lacking(&options.spot.provider);
    }
    if options.spot.provider.is_empty() {
        devices.join(&mut scenario);
    }
    if options.against.is_some() && scenario.copies.is_some() {
        bail!("a scenario with `copies` cannot be compared with another library: remove --against");
    }
    if options.against.is_some() && options.precision.is_none() {
        // All cells together are to be known better than the threshold, which takes each to be known better still.
        scenario.precision = Share(scenario.precision.0.min(options.threshold.threshold.0 / 2.0).max(1e-5));
    }
    let against = options.against.clone().map(|old| Against { old, threshold: options.threshold.threshold });
    let mut run = Run { against, mask: options.cpu, ..begin(scenario, options.seed) };
    run.notes.extend(named.and_then(program).map(|program| Note::other(program.says.clone())));
    if run.scenario.kind == Kind::Sustained {
        sustained::settle(&mut run)?;
    }
    let facts = openssl_speed::facts(&run);
    run.host.extend(facts);
    if let Some(peer) = &options.peer {
        run.host.push(Fact::present("peer", transfers::peer(peer)?.addresses.join(", ")));
    }
    run.host.extend(own_files::fact(options)?);
    devices::check(&mut run, options)?;
    Ok((run, devices))
}

/// A run of that scenario that begins now.
fn begin(scenario: Scenario, seed: Option<u64>) -> Run {
    Run {
        id: 0,
        store: None,
        is_measuring: false,
        started: utc::now(),
        version: env!("CARGO_PKG_VERSION").into(),
        seed: seed.unwrap_or_else(|| fastrand::u64(0..=MAX_INTEGER)),
        scenario,
        host: ciphermeter_host::facts(),
        status: RunStatus::Open,
        plan: RunPlan { method: METHOD, ..RunPlan::default() },
        notes: Vec::new(),
        against: None,
        mask: None,
    }
}

/// A stored run that was cut off, with its broken fork closed as short.
fn resumed(id: Option<i64>, named: Option<&str>, options: &RunOptions, store: &Store) -> Result<(Run, Before)> {
    let id = match id {
        Some(id) => id,
        None => store.last_open()?.with_context(|| {
            let store = folders::store_words(&options.store);
            format!("no interrupted run to resume; `ciphermeter list{store}` shows how each ended")
        })?,
    };
    let (run, records) = store.load(id)?;
    let named = named.map(|named| program(named).map_or(named, |program| &program.name));
    if let Some(named) = named.filter(|named| *named != run.scenario.name) {
        bail!("run {id} belongs to the scenario `{}`, not `{named}`: remove the name", run.scenario.name);
    }
    if run.scenario.kind == Kind::Sustained {
        bail!(
            "run {id} is a sustained run, which cannot be resumed: the machine has cooled down since; start a new one"
        );
    }
    // A board that was lost may be there again.
    let lost = all_lost(&run.notes, &records);
    let is_over = match run.status {
        RunStatus::Complete => true,
        RunStatus::Partial => lost.is_empty(),
        RunStatus::Open | RunStatus::Interrupted => false,
    };
    if is_over {
        bail!("run {id} ended: {}; there is nothing to resume", run.status);
    }
    if run.plan.method != METHOD {
        let was = method(run.plan.method);
        bail!("run {id} was measured by {was}, and this build measures by {}: start a new run", method(METHOD));
    }
    // What a store names is no reason to start it: the user says it again.
    match (&run.against, &options.against) {
        (Some(then), now) if now.as_deref().map(escaped).as_ref() != Some(&then.old) => {
            bail!("run {id} was compared with {}: resume it with `{}`", then.old, option_words("--against", &then.old))
        }
        (None, Some(_)) => bail!("run {id} was not started with --against: remove --against, or start a new run"),
        _ => {}
    }
    own_files::check_resumed(&run, options)?;
    devices::check_resumed(&run, options)?;
    store.close_broken_forks(id)?;
    let (run, records) = store.load(id)?;
    let next_fork = store.next_fork(id)?;
    Ok((run, Before { records, next_fork, lost }))
}
