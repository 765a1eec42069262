//! What is here: every source is started once and describes itself.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use ciphermeter_core::Algorithm;
use ciphermeter_host::file;
use ciphermeter_protocol::{LinkError, Offer};

use crate::worker::Ruler;
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
    /// What its clock can do.
    pub ruler: Ruler,
    /// The provider's algorithms.
    pub offers: Vec<Offer>,
    /// What of the provider can't be used here, with the reason.
    pub lacks: Vec<String>,
    /// SHA-256 of the worker's program in hex, if that is a file of its own.
    pub program: Option<String>,
}

impl Surveyed {
    /// Its offer of one algorithm.
    pub fn offer(&self, algorithm: Algorithm) -> Option<&Offer> {
        self.offers.iter().find(|offer| offer.algorithm == algorithm)
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
}

impl Missing {
    /// A sentence that names it and the reason.
    pub fn sentence(&self) -> String {
        format!("{} is not measured: {}", self.name, self.why)
    }
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
    let mut programs = BTreeMap::<&Path, Option<String>>::new();
    for source in sources {
        let program = source.command.program.as_path();
        match ask(source, launch, clock, patience) {
            Ok((mut surveyed, worker)) => {
                surveyed.program = programs.entry(program).or_insert_with(|| hash(program)).clone();
                here.push((surveyed, worker));
            }
            Err(error) => missing.push(error),
        }
    }
    (here, missing)
}

/// A program without a slash is looked for in PATH, mostly an interpreter: its file says little about what it runs.
fn hash(program: &Path) -> Option<String> {
    let own = program.parent().is_some_and(|folder| !folder.as_os_str().is_empty());
    own.then(|| file::sha256(program).ok()).flatten()
}

fn ask(
    source: &Source,
    launch: &mut dyn Launch,
    clock: &Rc<dyn Clock>,
    patience: Duration,
) -> Result<(Surveyed, Worker), Missing> {
    let program = source.command.program.display();
    let missing = |why, broken| Missing { name: source.name.clone(), why, broken };
    let broken = |why| missing(why, true);
    let link = launch
        .launch(source, Affinity::OneCpu)
        .map_err(|error| broken(format!("its worker {program} does not start: {error}")))?;
    let mut worker = Worker::new(link, clock.clone(), patience);
    let broke = |error: LinkError| broken(format!("its worker failed to describe itself: {error}"));
    let described = worker.describe().map_err(broke)?;
    let of_it = |(provider, why): (String, String)| (provider == source.provider).then_some(why);
    let lacks: Vec<String> = described.absent.into_iter().filter_map(of_it).collect();
    let mut offers = described.offers;
    offers.retain(|offer| offer.provider == source.provider);
    offers.dedup_by_key(|offer| offer.algorithm);
    if offers.is_empty() {
        if let Some(why) = lacks.into_iter().next() {
            return Err(missing(why, source.installed));
        }
        return Err(broken(format!("its worker offers nothing under the name `{}`", source.provider)));
    }
    let ruler = worker.clock().map_err(broke)?;
    let surveyed = Surveyed {
        source: source.clone(),
        worker: described.worker,
        runtime: described.runtime,
        background: described.background,
        compiles: described.compiles,
        ruler,
        offers,
        lacks,
        program: None,
    };
    Ok((surveyed, worker))
}
