//! What providers of libraries opened at run time have in common: they are tried before anything is offered, are
//! reported with their file, and refuse what their library gets wrong.

use ciphermeter_core::{Algorithm, Form, Operation, Setup};

use super::opened::File;
use super::trial::{self, Trial};
use super::{Offered, Provider, Unsupported, Want};
use crate::task::Task;

/// A library that stays open for the life of the process.
pub trait Library: Sync + 'static {
    /// The version that runs.
    fn version(&self) -> String;

    /// Its file.
    fn file(&self) -> File;

    /// The algorithms of its interface here.
    fn has(&'static self) -> Vec<Has>;

    /// Creates the timed loop for one of them, as [`Provider::task`] does.
    fn task(&'static self, want: &Want<'_>) -> Result<Box<dyn Task>, Unsupported>;
}

/// An algorithm of a library's interface.
#[derive(Debug, Clone, Copy)]
pub struct Has {
    pub algorithm: Algorithm,
    pub forms: &'static [Form],
    pub setup: Setup,
    /// Code path on this CPU.
    pub path: &'static str,
}

/// The provider of a library.
struct Installed<L: 'static> {
    library: &'static L,
    has: Vec<(Has, Trial)>,
}

/// Tries each algorithm of a library with empty inputs. Those that it gets wrong with other inputs are offered all the
/// same: finding and reporting that is the harness's task.
pub fn provider<L: Library>(library: &'static L) -> Box<dyn Provider> {
    let trial = |has: Has| trial::of(&|want| library.task(want), has.algorithm).unwrap_or(Trial::SOUND);
    let has = library.has().into_iter().map(|has| (has, trial(has))).collect();
    Box::new(Installed { library, has })
}

impl<L: Library> Provider for Installed<L> {
    fn offers(&self) -> Vec<Offered> {
        let version = self.library.version();
        let offered = |(has, _): &(Has, Trial)| Offered {
            algorithm: has.algorithm,
            version: version.clone(),
            forms: has.forms,
            path: has.path,
            setup: has.setup,
        };
        self.has.iter().map(offered).collect()
    }

    fn task(&self, want: &Want<'_>) -> Result<Box<dyn Task>, Unsupported> {
        let has = self.has.iter().find(|(has, _)| has.algorithm == want.algorithm);
        let (_, trial) = has.ok_or_else(|| Unsupported::algorithm(want.algorithm))?;
        refuse(*trial, want, || format!("version {}", self.library.version()))?;
        self.library.task(want)
    }

    fn file(&self) -> Option<File> {
        Some(self.library.file())
    }
}

/// Refuses what a trial has shown to be wrong; `who` names the library.
pub fn refuse(trial: Trial, want: &Want<'_>, who: impl Fn() -> String) -> Result<(), Unsupported> {
    let Want { algorithm, operation, message, aad, .. } = *want;
    if operation == Operation::KeySetup {
        Ok(())
    } else if message == 0 && !trial.empty_message {
        Err(Unsupported(format!("{} gets {algorithm} of an empty message wrong", who())))
    } else if aad == 0 && !trial.empty_aad {
        Err(Unsupported(format!("{} gets {algorithm} with an empty aad wrong", who())))
    } else {
        Ok(())
    }
}
