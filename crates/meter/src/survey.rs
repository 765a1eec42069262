//! What is here: every source is started once and describes itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use ciphermeter_core::{Algorithm, Cell, Counts, Device, Note, quoted_path};
use ciphermeter_host::file;
use ciphermeter_protocol::{DeviceFacts, LinkError, Offer};

use crate::batch::{Counter, Ruler};
use crate::{Affinity, Clock, Launch, Source, Worker};

/// A source that is here, and what its provider offers.
#[derive(Debug, Clone)]
pub struct Surveyed {
    /// Where it is to be had.
    pub source: Source,
    /// The worker's name.
    pub worker: String,
    /// Its language's runtime.
    pub runtime: String,
    /// Whether its process must be stopped while others are measured.
    pub background: bool,
    /// Whether its runtime compiles while it runs.
    pub compiles: bool,
    /// Whether it moves stack, buffers and keys.
    pub layouts: bool,
    /// Whether it has cells of several texts and keys.
    pub rotates: bool,
    /// Whether the CPU time of its samples is that of its process.
    pub process_cpu: bool,
    /// What its clock can do.
    pub ruler: Ruler,
    /// What its counter can do, where it counts instead.
    pub counter: Option<Counter>,
    /// What it says of its device, and how much that takes at once.
    pub facts: DeviceFacts,
    /// The provider's algorithms.
    pub offers: Vec<Offer>,
    /// What of the provider can't be used here, with the reason.
    pub lacks: Vec<String>,
    /// Which known answers came out wrong when the worker asked for them itself.
    pub wrong: Vec<String>,
    /// SHA-256 of the worker's program in hex, if that is a file of its own.
    pub program: Option<String>,
}

impl Surveyed {
    /// Its offer of one algorithm.
    pub fn offer(&self, algorithm: Algorithm) -> Option<&Offer> {
        self.offers.iter().find(|offer| offer.algorithm == algorithm)
    }

    /// Its offer of a cell: that of transfers stands beside another one of the same algorithm.
    pub fn offer_of(&self, cell: &Cell) -> Option<&Offer> {
        self.offers.iter().find(|offer| offer.algorithm == cell.algorithm && offer.operations.contains(&cell.operation))
    }

    /// What its samples count instead of time.
    pub fn counts(&self) -> Option<Counts> {
        self.facts.counts
    }

    /// A note on each algorithm whose output is wrong, as its worker found out itself.
    pub fn wrong_notes(&self) -> impl Iterator<Item = Note> {
        let name = &self.source.name;
        self.wrong.iter().map(move |why| Note::other(format!("{name} is not measured whole: {}", wrong_output(why))))
    }

    /// The device that it is on; `None`: this machine.
    pub fn device(&self) -> Option<Device> {
        let DeviceFacts { counts, emulated, board, clock_hz, code_in, .. } = &self.facts;
        Some(Device {
            name: self.source.device.as_ref()?.name.clone(),
            board: board.clone().unwrap_or_else(|| self.worker.clone()),
            counts: *counts,
            emulated: *emulated,
            clock_hz: *clock_hz,
            code_in: *code_in,
        })
    }
}

/// A source that isn't measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// Its name.
    pub name: String,
    /// The reason.
    pub why: String,
    /// Whether its worker broke; otherwise it said itself that it can't run here.
    pub broken: bool,
    /// Whether its output is wrong, as its worker found out itself.
    pub wrong: bool,
}

impl Missing {
    /// A note that names it and the reason.
    pub fn note(&self) -> Note {
        Note::not_measured(&[&self.name], &self.why)
    }
}

/// What a worker found wrong, as a reason.
fn wrong_output(why: &str) -> String {
    format!("its output is wrong, as its worker found itself: {why}")
}

/// Asks every source. Comes back with the live worker of each that is here, and the reason for each that isn't.
pub fn survey(
    sources: &[Source],
    launch: &mut dyn Launch,
    clock: &Rc<dyn Clock>,
    patience: Duration,
) -> (Vec<(Surveyed, Worker)>, Vec<Missing>) {
    let (mut here, mut missing) = (Vec::new(), Vec::new());
    // Many sources are one program, and hashing takes some milliseconds.
    let mut programs = BTreeMap::<PathBuf, Option<String>>::new();
    for source in sources {
        match ask(source, launch, clock, patience) {
            Ok((mut surveyed, worker)) => {
                let hashed = |program: PathBuf| programs.entry(program).or_insert_with_key(|file| hash(file)).clone();
                surveyed.program = program(source).and_then(hashed);
                here.push((surveyed, worker));
            }
            Err(error) => missing.push(error),
        }
    }
    (here, missing)
}

/// The file that says what is run: an emulator's image, or the program. A program without a slash is looked for in PATH, mostly an
/// interpreter: its file says little about what it runs.
fn program(source: &Source) -> Option<PathBuf> {
    let is_own = |program: &&PathBuf| program.parent().is_some_and(|folder| !folder.as_os_str().is_empty());
    match &source.device {
        Some(_) => source.image.clone(),
        None => source.command().map(|command| &command.program).filter(is_own).cloned(),
    }
}

fn hash(file: &Path) -> Option<String> {
    file::sha256(file).ok()
}

/// Why what a device times is not measured; `None` if it is.
pub fn times_mean_nothing(facts: &DeviceFacts) -> Option<&'static str> {
    (facts.emulated && facts.counts.is_none())
        .then_some("it is emulated and counts neither instructions nor cycles: its times mean nothing")
}

fn ask(
    source: &Source,
    launch: &mut dyn Launch,
    clock: &Rc<dyn Clock>,
    patience: Duration,
) -> Result<(Surveyed, Worker), Missing> {
    let missing = |why, broken| Missing { name: source.name.clone(), why, broken, wrong: false };
    let broken = |why| missing(why, true);
    let link = launch.launch(source, Affinity::OneCpu).map_err(|error| {
        broken(match source.command() {
            Some(command) => format!("its worker {} does not start: {error}", quoted_path(&command.program)),
            None => error.to_string(),
        })
    })?;
    let mut worker = Worker::new(link, clock.clone(), patience);
    let is_on_line = source.is_on_line();
    let broke = |error: LinkError| {
        let error = if is_on_line { error.on_device() } else { error.to_string() };
        broken(format!("its worker failed to describe itself: {error}"))
    };
    let described = worker.describe().map_err(broke)?;
    let of_it = |(provider, why): (String, String)| (provider == source.provider).then_some(why);
    let lacks: Vec<String> = described.absent.into_iter().filter_map(&of_it).collect();
    let wrong: Vec<String> = described.wrong.into_iter().filter_map(&of_it).collect();
    let mut offers = described.offers;
    offers.retain(|offer| offer.provider == source.provider);
    if offers.is_empty() {
        if let Some(why) = wrong.first() {
            return Err(Missing { wrong: true, ..missing(wrong_output(why), true) });
        }
        if let Some(why) = lacks.into_iter().next() {
            return Err(missing(why, source.installed));
        }
        return Err(broken(format!("its worker offers nothing under the name `{}`", source.provider)));
    }
    let facts = described.device;
    if let Some(why) = times_mean_nothing(&facts) {
        return Err(missing(why.into(), true));
    }
    let counter = facts.counts.map(|_| worker.counter()).transpose().map_err(broke)?;
    let ruler = if counter.is_none() { worker.clock().map_err(broke)? } else { Ruler::default() };
    let surveyed = Surveyed {
        source: source.clone(),
        worker: described.worker,
        runtime: described.runtime,
        // An emulated core waits for its next request as busily as it works.
        background: described.background || (facts.emulated && source.command().is_some()),
        compiles: described.compiles,
        layouts: described.layouts,
        rotates: described.rotates,
        process_cpu: described.process_cpu,
        ruler,
        counter,
        facts,
        offers,
        lacks,
        wrong,
        program: None,
    };
    worker.stop_between_requests(surveyed.background);
    Ok((surveyed, worker))
}
