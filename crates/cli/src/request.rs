//! What `run` is asked to do: its options, read once and checked together, before a store is made.

use std::path::{PathBuf, absolute};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use ciphermeter_core::{
    Against, Fact, Kind, MAX_INTEGER, METHOD, Named, NamedOption, Note, Run, RunPlan, RunStatus, Scenario, Share,
    all_lost, escaped, method, option_words,
};
use ciphermeter_meter::Before;
use ciphermeter_native::OwnFiles;
use ciphermeter_report::program;
use ciphermeter_store::Store;
use ciphermeter_terminal::utc;
use ciphermeter_transfer::Ticket;

use crate::args::{RunOptions, StoreOption, WorkersOption};
use crate::devices::{self, DeviceSpec, Devices};
use crate::meters::check_boards;
use crate::sources::{Sources, Wish, gather};
use crate::spot::Hosts;
use crate::{folders, openssl_speed, own_files, own_worker, spot, sustained, transfers};

/// A run that is asked for.
pub struct Request {
    /// What is measured.
    pub start: Start,
    /// How.
    pub how: How,
}

/// What is measured: known, and there to be asked, before a store is made for it.
pub enum Start {
    /// A new run, and whom it asks.
    New(Box<Run>, Sources),
    /// One that was cut off: that of the number, or the latest.
    Resumed(Option<i64>),
}

/// How it is measured, whether it is new or resumed.
pub struct How {
    /// The scenario's name, as it was typed.
    named: Option<String>,
    /// Files of the user's own.
    pub files: OwnFiles,
    /// The machine to which files go.
    peer: Option<Ticket>,
    devices: Vec<DeviceSpec>,
    providers: Vec<String>,
    workers: WorkersOption,
    /// Commands of further workers.
    own_workers: Vec<String>,
    openssl: Vec<PathBuf>,
    /// What is older.
    against: Option<String>,
    /// The place of a power meter.
    pub meter: Option<String>,
    /// Where all of these are.
    places: Vec<Named>,
    /// How long a silent worker is waited for.
    pub patience: Duration,
    /// Without progress and notes.
    pub quiet: bool,
    /// Where runs are kept.
    pub store: StoreOption,
}

/// A run that can begin, or go on after what was measured before.
pub struct Begun {
    /// The run.
    pub run: Run,
    /// What was measured before.
    pub before: Option<Before>,
    /// Whom it asks.
    pub sources: Sources,
}

impl Request {
    /// What the options ask for.
    pub fn read(named: Option<&str>, options: &RunOptions) -> Result<Self> {
        let how = How::read(named, options)?;
        let start = match options.resume {
            Some(id) => Start::Resumed(id),
            None => {
                let (run, devices) = how.new_run(options)?;
                devices.check_any()?;
                let sources = how.sources(&run, &devices)?;
                Start::New(Box::new(run), sources)
            }
        };
        Ok(Self { start, how })
    }
}

impl Start {
    /// With the store, whose lock is held.
    pub fn begin(self, how: &How, store: &Store) -> Result<Begun> {
        match self {
            Self::New(run, sources) => Ok(Begun { run: *run, before: None, sources }),
            Self::Resumed(id) => {
                let (run, before) = resumed(id, how, store)?;
                let devices = devices::find(&how.devices, &how.workers)?;
                let sources = how.sources(&run, &devices)?;
                Ok(Begun { run, before: Some(before), sources })
            }
        }
    }
}

impl How {
    fn read(named: Option<&str>, options: &RunOptions) -> Result<Self> {
        Ok(Self {
            named: named.map(String::from),
            files: own_files::read(options)?,
            peer: options.peer.as_deref().map(transfers::peer).transpose()?,
            devices: options.device.clone(),
            providers: options.spot.provider.clone(),
            workers: options.workers.clone(),
            own_workers: options.worker.clone(),
            openssl: options.openssl.clone(),
            against: options.against.clone(),
            meter: options.meter.clone(),
            places: places(options)?,
            patience: options.patience.duration(),
            quiet: options.quiet,
            store: options.store.clone(),
        })
    }

    fn sources(&self, run: &Run, devices: &Devices) -> Result<Sources> {
        if self.peer.is_some() && !run.scenario.moves_files() {
            bail!("{} transfers no files, so --peer has nothing to do: remove --peer", run.scenario.name);
        }
        own_files::check_temporary(&run.scenario, &self.files)?;
        gather(&Wish {
            scenario: Some(&run.scenario),
            named: &self.providers,
            mask: run.mask,
            workers: &self.workers,
            worker: &self.own_workers,
            openssl: &self.openssl,
            against: run.against.as_ref().map(|against| against.old.as_str()),
            devices: Some(devices),
            peer: self.peer.as_ref(),
            files: self.files.clone(),
            patience: self.patience,
        })
    }

    /// What a resumed run must be given again, each option with its value as a store has it.
    fn named(&self) -> Vec<(&'static str, String)> {
        let input = own_files::fact(&self.files).and_then(|fact| fact.value).map(|input| ("--input", input));
        let devices = devices::fact(&self.devices).and_then(|fact| fact.value).map(|devices| ("--device", devices));
        let peer = self.peer.as_ref().map(|_| ("--peer", "TICKET".to_owned()));
        let against = self.against.as_deref().map(|old| ("--against", escaped(old)));
        let places = self.places.iter().map(|named| (named.option.as_str(), named.value.clone()));
        input.into_iter().chain(devices).chain(peer).chain(against).chain(places).collect()
    }

    /// How many devices are measured that no emulator runs.
    fn boards(&self) -> usize {
        self.devices.iter().filter(|spec| matches!(spec, DeviceSpec::Board(_))).count()
    }

    /// A new run, and the devices that it measures on.
    fn new_run(&self, options: &RunOptions) -> Result<(Run, Devices)> {
        let scenario = self.scenario(options)?;
        let mut devices = devices::find(&self.devices, &self.workers)?;
        if !self.devices.is_empty() {
            devices.note_lacking(&self.providers);
        }
        let mut run = begin(scenario, options.seed);
        if self.providers.is_empty() {
            devices.join(&mut run.scenario);
        }
        if self.against.is_some() && run.scenario.copies.is_some() {
            bail!("a scenario with `copies` cannot be compared with another library: remove --against");
        }
        let threshold = options.threshold.threshold;
        if self.against.is_some() && options.precision.is_none() {
            // All cells together are to be known better than the threshold, which takes each to be known better still.
            run.scenario.precision = Share(run.scenario.precision.0.min(threshold.0 / 2.0).max(1e-5));
        }
        (run.against, run.mask) = (self.against.clone().map(|old| Against { old, threshold }), options.cpu);
        run.notes.extend(self.named.as_deref().and_then(program).map(|program| Note::other(&program.says)));
        if run.scenario.kind == Kind::Sustained {
            sustained::settle(&mut run)?;
        }
        run.host.extend(openssl_speed::facts(&run));
        run.host.extend(self.peer.as_ref().map(|peer| Fact::present("peer", peer.addresses.join(", "))));
        run.host.extend(own_files::fact(&self.files));
        run.plan.named.clone_from(&self.places);
        devices::check(&mut run, &self.devices)?;
        Ok((run, devices))
    }

    /// What is measured, with all that the options change in it.
    fn scenario(&self, options: &RunOptions) -> Result<Scenario> {
        let is_here = self.own_workers.is_empty() && self.devices.is_empty();
        let hosts = if is_here { Hosts::Here(&self.workers) } else { Hosts::Elsewhere };
        let mut scenario = spot::scenario(self.named.as_deref(), &options.spot, hosts)?;
        scenario.budget = options.budget.unwrap_or(scenario.budget);
        own_files::adapt(&mut scenario, &self.files, &options.spot)?;
        if scenario.kind == Kind::Sustained {
            sustained::check(&scenario, options.transfer, &options.given)?;
        } else if options.transfer {
            bail!("--transfer belongs to sustained runs: `ciphermeter run sustained --transfer`");
        } else if let Some(place) = self.meter.as_deref().filter(|_| scenario.kind != Kind::Parallel) {
            check_boards(place, self.boards())?;
        }
        scenario.precision = options.precision.unwrap_or(scenario.precision);
        for command in &self.own_workers {
            own_worker::read(command, self.patience)?.join(&mut scenario);
        }
        Ok(scenario)
    }
}

/// Where providers and meters are, as the command line names them, files with whole paths: what the environment or a file of options
/// names is there when the run is resumed, too.
fn places(options: &RunOptions) -> Result<Vec<Named>> {
    let mut places = Vec::new();
    let folders = options.workers.workers.iter().map(|folder| (NamedOption::Workers, folder));
    for (option, path) in folders.chain(options.openssl.iter().map(|file| (NamedOption::Openssl, file))) {
        places.push(Named::new(option, &absolute(path)?.to_string_lossy()));
    }
    places.extend(options.worker.iter().map(|command| Named::new(NamedOption::Worker, command)));
    places.extend(options.meter.iter().map(|place| Named::new(NamedOption::Meter, place)));
    places.retain(|named| options.is_given(named.option.as_str().trim_start_matches('-')));
    Ok(places)
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

/// A store may come from elsewhere, so what it names is opened and started only if the user names it, too.
fn check_named(run: &Run, how: &How) -> Result<()> {
    if how.files.output.is_some() {
        bail!("--keep-output is for new runs, which make the folder: remove it");
    }
    let (then, now) = (run.named_again(), how.named());
    let is_now = |(option, value): &(&str, &str)| now.iter().any(|now| (now.0, now.1.as_str()) == (*option, *value));
    let lacking: Vec<String> =
        then.iter().filter(|then| !is_now(then)).map(|(option, value)| option_words(option, value)).collect();
    if !lacking.is_empty() {
        let run = Run { store: folders::typed_store(&how.store), ..run.clone() };
        bail!("run {} was started with `{}`: resume it with `{}`", run.id, lacking.join(" "), run.resume());
    }
    let of_the_run = ["--input", "--device", "--peer", "--against"];
    let is_further = |option: &&str| of_the_run.contains(option) && then.iter().all(|then| then.0 != *option);
    match now.iter().map(|(option, _)| *option).find(is_further) {
        Some(option) => bail!("run {} was not started with {option}: remove {option}, or start a new run", run.id),
        None => Ok(()),
    }
}

/// A stored run that was cut off, with its broken fork closed as short.
fn resumed(id: Option<i64>, how: &How, store: &Store) -> Result<(Run, Before)> {
    let id = match id {
        Some(id) => id,
        None => store.last_open()?.with_context(|| {
            let store = folders::store_words(&how.store);
            format!("no interrupted run to resume; `ciphermeter list{store}` shows how each ended")
        })?,
    };
    let (run, records) = store.load(id)?;
    let named = how.named.as_deref().map(|named| program(named).map_or(named, |program| &program.name));
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
    check_named(&run, how)?;
    store.close_broken_forks(id)?;
    let (run, records) = store.load(id)?;
    let next_fork = store.next_fork(id)?;
    Ok((run, Before { records, next_fork, lost }))
}
