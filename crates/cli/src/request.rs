//! What `run` is asked to do: its options, read once and checked together, before a store is made.

use std::path::absolute;

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

use crate::args::RunOptions;
use crate::devices::{self, DeviceSpec, Devices};
use crate::meters::check_boards;
use crate::sources::{Sources, Wish, gather};
use crate::{folders, openssl_speed, own_files, own_worker, spot, sustained, switches, transfers};

/// What is measured: known, and there to be asked, before a store is made for it.
pub enum Start {
    /// A new run, and whom it asks.
    New(Box<Run>, Sources),
    /// One that was cut off: that of the number, or the latest.
    Resumed(Option<i64>),
}

/// How it is measured, whether it is new or resumed.
pub struct How<'a> {
    /// The scenario's name, as it was typed.
    named: Option<&'a str>,
    pub options: &'a RunOptions,
    /// Files of the user's own.
    pub files: OwnFiles,
    /// The machine to which files go.
    peer: Option<Ticket>,
    /// Where all else is that it asks.
    places: Vec<Named>,
}

/// What the options ask for: what is measured, and how.
pub fn read<'a>(named: Option<&'a str>, options: &'a RunOptions) -> Result<(Start, How<'a>)> {
    let how = How {
        named,
        options,
        files: own_files::read(options)?,
        peer: options.peer.as_deref().map(transfers::peer).transpose()?,
        places: places(options)?,
    };
    let start = match options.resume {
        Some(id) => Start::Resumed(id),
        None => {
            let (mut run, devices) = how.new_run()?;
            devices.check_any()?;
            let sources = how.sources(&run, &devices)?;
            switches::settle(&mut run, &sources.sources);
            Start::New(Box::new(run), sources)
        }
    };
    Ok((start, how))
}

impl Start {
    /// The run, what of it was measured before, and whom it asks. The caller holds the store's lock.
    pub fn begin(self, how: &How<'_>, store: &Store) -> Result<(Run, Option<Before>, Sources)> {
        match self {
            Self::New(run, sources) => Ok((*run, None, sources)),
            Self::Resumed(id) => {
                let (run, before) = resumed(id, how, store)?;
                let devices = how.devices()?;
                let sources = how.sources(&run, &devices)?;
                switches::check(&run, &sources.sources)?;
                Ok((run, Some(before), sources))
            }
        }
    }
}

impl How<'_> {
    fn devices(&self) -> Result<Devices> {
        devices::find(&self.options.device, &self.options.workers)
    }

    fn sources(&self, run: &Run, devices: &Devices) -> Result<Sources> {
        if self.peer.is_some() && !run.scenario.moves_files() {
            bail!("{} transfers no files, so --peer has nothing to do: remove --peer", run.scenario.name);
        }
        own_files::check_temporary(&run.scenario, &self.files)?;
        gather(&Wish {
            scenario: Some(&run.scenario),
            named: &self.options.spot.provider,
            mask: run.mask,
            workers: self.options.workers.clone(),
            worker: &self.options.worker,
            openssl: &self.options.openssl,
            against: run.against.as_ref().map(|against| against.old.as_str()),
            devices: Some(devices),
            peer: self.peer.as_ref(),
            files: self.files.clone(),
            patience: self.options.patience.duration(),
        })
    }

    /// What a resumed run must be given again, each option with its value as a store has it.
    fn named(&self) -> Vec<(&'static str, String)> {
        let input = own_files::fact(&self.files).and_then(|fact| fact.value).map(|input| ("--input", input));
        let devices =
            devices::fact(&self.options.device).and_then(|fact| fact.value).map(|devices| ("--device", devices));
        let peer = self.peer.as_ref().map(|_| ("--peer", "TICKET".to_owned()));
        let against = self.against().map(|old| ("--against", escaped(&old)));
        let places = self.places.iter().map(|named| (named.option.as_str(), named.value.clone()));
        input.into_iter().chain(devices).chain(peer).chain(against).chain(places).collect()
    }

    /// What is older: a file with its whole path, a command as it is.
    fn against(&self) -> Option<String> {
        let old = self.options.against.as_deref()?;
        let whole = absolute(old).ok().filter(|whole| whole.exists());
        Some(whole.and_then(|whole| whole.to_str().map(String::from)).unwrap_or_else(|| old.to_owned()))
    }

    /// How many devices are measured that no emulator runs.
    fn boards(&self) -> usize {
        self.options.device.iter().filter(|spec| matches!(spec, DeviceSpec::Board(_))).count()
    }

    /// A new run, and the devices that it measures on.
    fn new_run(&self) -> Result<(Run, Devices)> {
        let options = self.options;
        let scenario = self.scenario()?;
        let mut devices = self.devices()?;
        if !options.device.is_empty() {
            devices.note_lacking(&options.spot.provider);
        }
        let mut run = begin(scenario, options.seed);
        if options.spot.provider.is_empty() {
            devices.join(&mut run.scenario);
        }
        if options.against.is_some() && run.scenario.copies.is_some() {
            bail!("a scenario with `copies` cannot be compared with another library: remove --against");
        }
        let against = self.against().map(|old| Against { old, threshold: options.threshold.threshold, may_hide: None });
        if let Some(against) = against {
            compare(&mut run, against, options.precision);
        }
        run.mask = options.cpu;
        run.notes.extend(self.named.and_then(program).map(|program| Note::other(&program.says)));
        if run.scenario.kind == Kind::Sustained {
            sustained::settle(&mut run)?;
        }
        run.host.extend(openssl_speed::facts(&run));
        run.host.extend(self.peer.as_ref().map(|peer| Fact::present("peer", peer.addresses.join(", "))));
        run.host.extend(own_files::fact(&self.files));
        run.plan.named.clone_from(&self.places);
        run.plan.asked.clone_from(&options.asked);
        devices::check(&mut run, &options.device)?;
        Ok((run, devices))
    }

    /// What is measured, with all that the options change in it.
    fn scenario(&self) -> Result<Scenario> {
        let options = self.options;
        let is_here = options.worker.is_empty() && options.device.is_empty();
        let here = is_here.then_some(&options.workers);
        let mut scenario = spot::scenario(self.named, &options.spot, here)?;
        scenario.budget = options.budget.unwrap_or(scenario.budget);
        own_files::adapt(&mut scenario, &self.files, &options.spot)?;
        if scenario.kind == Kind::Sustained {
            sustained::check(&scenario, options.transfer, &options.given)?;
        } else if options.transfer {
            bail!("--transfer belongs to sustained runs: `ciphermeter run sustained --transfer`");
        } else if let Some(place) = options.meter.as_deref().filter(|_| scenario.kind != Kind::Parallel) {
            check_boards(place, self.boards())?;
        }
        scenario.precision = options.precision.unwrap_or(scenario.precision);
        for command in &options.worker {
            own_worker::read(command, options.patience.duration())?.join(&mut scenario);
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

/// Has a run compare with what is older.
pub fn compare(run: &mut Run, against: Against, precision: Option<Share>) {
    if precision.is_none() {
        // All cells together are to be known better than the threshold, which takes each to be known better still.
        run.scenario.precision = Share(run.scenario.precision.0.min(against.threshold.0 / 2.0).max(1e-5));
    }
    run.against = Some(against);
}

/// A run of that scenario that begins now.
pub fn begin(scenario: Scenario, seed: Option<u64>) -> Run {
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
fn check_named(run: &Run, how: &How<'_>) -> Result<()> {
    if how.files.output.is_some() {
        bail!("--keep-output is for new runs, which make the folder: remove it");
    }
    let (then, now) = (run.named_again(), how.named());
    let is_now = |(option, value): &(&str, &str)| now.iter().any(|now| (now.0, now.1.as_str()) == (*option, *value));
    let lacking: Vec<String> =
        then.iter().filter(|then| !is_now(then)).map(|(option, value)| option_words(option, value)).collect();
    if !lacking.is_empty() {
        let run = Run { store: folders::typed_store(&how.options.store), ..run.clone() };
        bail!("run {} was started with `{}`: resume it with `{}`", run.id, lacking.join(" "), run.resume());
    }
    // A folder of workers, or a meter, changes nothing in what is measured.
    let changes = |option: &str| !["--workers", "--meter"].contains(&option);
    let is_further = |(option, value): &&(&str, String)| changes(option) && !then.contains(&(option, value.as_str()));
    match now.iter().find(is_further) {
        Some((option, value)) => {
            let words = option_words(option, value);
            bail!("run {} was not started with `{words}`: remove {option}, or start a new run", run.id)
        }
        None => Ok(()),
    }
}

/// A stored run that was cut off, with its broken fork closed as short.
fn resumed(id: Option<i64>, how: &How<'_>, store: &Store) -> Result<(Run, Before)> {
    if let (None, Some(number)) = (id, how.named.filter(|named| named.parse::<i64>().is_ok())) {
        bail!("`--resume {number}` names a scenario: a run's number needs the equals sign, `--resume={number}`");
    }
    let id = match id {
        Some(id) => id,
        None => store.last_open()?.with_context(|| {
            let store = folders::store_words(&how.options.store);
            format!("no interrupted run to resume; `ciphermeter list{store}` shows how each ended")
        })?,
    };
    let (run, records) = store.load(id)?;
    let named = how.named.map(|named| program(named).map_or(named, |program| &program.name));
    if let Some(named) = named.filter(|named| *named != run.scenario.name) {
        bail!("run {id} belongs to the scenario `{}`, not `{named}`: remove the name", run.scenario.name);
    }
    if run.plan.is_imported {
        bail!("run {id} was imported, and is resumed only where it was measured: start a new one");
    }
    if run.is_of_guard() {
        bail!("run {id} was measured for a guard, which measures a pair as a whole: run `ciphermeter guard` again");
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
