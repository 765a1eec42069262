//! `run`: measure a scenario, store it round by round, print what came of it.

use std::path::{Path, PathBuf, absolute};
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use ciphermeter_core::{Kind, Run, RunStatus};
use ciphermeter_host::energy::MeterReading;
use ciphermeter_host::{cpus, downclocking};
use ciphermeter_meter::{Before, End, MeterError, Options, Processes, Sink, SystemClock, Tools, kinds, measure};
use ciphermeter_native::OwnFiles;
use ciphermeter_report::{Finding, against};
use ciphermeter_store::Store;
use ciphermeter_terminal::{Exit, WithExit};

use crate::args::{Format, RunOptions, StoreOption};
use crate::command::other_program::PushTo;
use crate::command::show;
use crate::interrupt::interruptible;
use crate::kept_folder::KeptFolder;
use crate::meters::meters;
use crate::notes::Notes;
use crate::progress::ProgressLine;
use crate::recorder::Recorder;
use crate::request::{self, How, Start};
use crate::sources::Sources;
use crate::{folders, own_files, run_output};

pub fn run(named: Option<&str>, options: &RunOptions) -> Result<Exit> {
    let to_stdout =
        [&options.json, &options.csv].into_iter().flatten().filter(|to| to.as_path() == Path::new("-")).count();
    if to_stdout > 1 {
        bail!("only one of --json and --csv can go to standard output: give the other a file");
    }
    let whole = |to: &Option<PathBuf>| to.as_deref().map(absolute).transpose();
    if options.json.is_some() && whole(&options.json)? == whole(&options.csv)? && to_stdout == 0 {
        bail!("--json and --csv name the same file: give each its own");
    }
    for to in [&options.json, &options.csv].into_iter().flatten() {
        // Better now than after a minute of measuring.
        run_output::check_writable(to, &options.store)?;
    }
    let push = options.push.as_deref().map(PushTo::new).transpose()?;
    let (start, how) = request::read(named, options)?;
    let store = Store::open(&folders::store_to_write(&how.options.store)?)?;
    let folder = how.files.output.as_deref().map(KeptFolder::make).transpose()?;
    let (id, end) = measured(start, &how, &store)?;
    let (run, records) = show::load(&store, id, &options.store)?;
    if let Some(folder) = folder {
        folder.settle(&records);
    }
    let notes = if options.quiet { Notes::default() } else { Notes::of(&run, &records, options.detail) };
    let mut files = [(&options.json, Format::Json), (&options.csv, Format::Csv)];
    // Files first: the reader of standard output may have gone.
    files.sort_by_key(|(to, _)| to.as_deref() == Some(Path::new("-")));
    for (to, format) in files {
        if let Some(to) = to {
            run_output::write(&run, &records, format, to)?;
        }
    }
    let is_answered = match to_stdout {
        0 => run_output::show(&run, &records, options.detail, &options.look, &notes)?,
        _ => run_output::is_answered(&run, &records),
    };
    notes.tell();
    let is_pushed = push.map(|push| push.send(id, &options.store)).transpose()?.unwrap_or(true);
    match against(&run, &records, Some(0), run_output::table_options(&options.look)) {
        // The verdict, or what went wrong beside it.
        Some((_, verdict)) if end.status != RunStatus::Interrupted => Ok(match verdict.finding() {
            Finding::Fine => exit(&end),
            finding => run_output::exit(finding),
        }),
        _ if !(is_answered && is_pushed) && exit(&end) == Exit::Fine => Ok(Exit::Partial),
        _ => Ok(exit(&end)),
    }
}

pub fn exit(end: &End) -> Exit {
    match end {
        End { status: RunStatus::Interrupted, .. } => Exit::Interrupted,
        End { wrong_output: true, .. } => Exit::WrongOutput,
        End { measured: false, .. } => Exit::Nothing,
        End { status: RunStatus::Partial, .. } => Exit::Partial,
        End { .. } => Exit::Fine,
    }
}

/// Measures into the store; comes back with the run's number there.
fn measured(start: Start, how: &How<'_>, store: &Store) -> Result<(i64, End)> {
    let _lock = folders::lock(store.path())?;
    let begun = start.begin(how, store)?;
    let options = how.options;
    let (patience, meter) = (options.patience.duration(), options.meter.as_deref());
    let way = Way { quiet: options.quiet, patience, store: &options.store, files: &how.files, meter };
    measured_so(begun, &way, store)
}

/// What of how a run is measured is not in the run itself.
pub struct Way<'a> {
    pub quiet: bool,
    /// How long a worker may be silent.
    pub patience: Duration,
    pub store: &'a StoreOption,
    /// Files of the user's own.
    pub files: &'a OwnFiles,
    /// An external power meter.
    pub meter: Option<&'a str>,
}

/// Measures a run, or the rest of it, from these sources. The caller holds the store's lock.
pub fn measured_so(begun: (Run, Option<Before>, Sources), way: &Way<'_>, store: &Store) -> Result<(i64, End)> {
    let (mut run, before, sources) = begun;
    let Sources { sources, notes, partial, folder: _folder } = sources;
    // Reading a long file takes a while: until then, Ctrl-C ends all.
    let input = own_files::open(&mut run, way.files)?;
    let interrupted = interruptible()?;
    let line = ProgressLine::new(way.quiet);
    let mut launch = Processes::pinned().context("cannot set the CPU mask")?.interruptible(interrupted.clone());
    let settings = Options {
        patience: way.patience,
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
    let mut run = Run { store: folders::typed_store(way.store), ..run };
    // What the idle machine draws is measured within the budget, too.
    let clock = Rc::new(SystemClock::start());
    let meters = meters(&mut run, way.meter, &interrupted)?;
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
    let id = recorder.run.id;
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
            let further = match recorder.run.scenario.kind {
                Kind::Sustained => format!("`{}` prints them", recorder.run.command(&format!("show {id}"))),
                _ => format!("`{}` continues it", recorder.run.resume()),
            };
            Err(with(Exit::Partial, format!("{error} (run {id} keeps every round before this; {further})")))
        }
    }
}
