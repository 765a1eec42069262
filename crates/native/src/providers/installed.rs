//! What providers of libraries opened at run time have in common: they are tried before anything is offered, are
//! reported with their file, and refuse what their library gets wrong.

use ciphermeter_core::{Algorithm, Form, Operation, Setup};

use super::opened::File;
use super::trial::{self, Trial};
use super::{LoopParameters, Offered, Provider, Unsupported};
use crate::timed_loop::TimedLoop;

/// A library that stays open for the life of the process.
pub trait Library: Sync + 'static {
    /// The version that runs.
    fn version(&self) -> String;

    /// Its file.
    fn file(&self) -> File;

    /// The algorithms of its interface here.
    fn supported(&'static self) -> Vec<Supported>;

    /// As [`Provider::refuses_keys`].
    fn refuses_keys(&self, _keys: u64) -> Option<String> {
        None
    }

    /// Creates the timed loop for one of them, as [`Provider::timed_loop`] does.
    fn timed_loop(&'static self, parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported>;
}

/// An algorithm of a library's interface.
#[derive(Debug, Clone, Copy)]
pub struct Supported {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The forms that the library really has.
    pub forms: &'static [Form],
    /// Whether the key is set up within each call.
    pub setup: Setup,
    /// Code path on this CPU.
    pub path: &'static str,
}

/// The provider of a library.
struct Installed<L: 'static> {
    library: &'static L,
    supported: Vec<(Supported, Trial)>,
}

/// Tries each algorithm of a library with empty inputs. Those that it gets wrong with other inputs are offered all the
/// same: finding and reporting that is the harness's task.
pub fn provider<L: Library>(library: &'static L) -> Box<dyn Provider> {
    let trial = |supported: Supported| {
        trial::run(&|parameters| library.timed_loop(parameters), supported.algorithm).unwrap_or(Trial::SOUND)
    };
    let supported = library.supported().into_iter().map(|supported| (supported, trial(supported))).collect();
    Box::new(Installed { library, supported })
}

impl<L: Library> Provider for Installed<L> {
    fn offers(&self) -> Vec<Offered> {
        let version = self.library.version();
        let offered = |(supported, _): &(Supported, Trial)| Offered {
            algorithm: supported.algorithm,
            version: version.clone(),
            forms: supported.forms,
            path: supported.path,
            setup: supported.setup,
        };
        self.supported.iter().map(offered).collect()
    }

    fn timed_loop(&self, parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
        let supported = self.supported.iter().find(|(supported, _)| supported.algorithm == parameters.algorithm);
        let (_, trial) = supported.ok_or_else(|| Unsupported::algorithm(parameters.algorithm))?;
        refuse(*trial, parameters, || format!("version {}", self.library.version()))?;
        self.library.timed_loop(parameters)
    }

    fn refuses_keys(&self, keys: u64) -> Option<String> {
        self.library.refuses_keys(keys)
    }

    fn file(&self) -> Option<File> {
        Some(self.library.file())
    }
}

/// Refuses what a trial has shown to be wrong; `who` names the library.
pub fn refuse(trial: Trial, parameters: &LoopParameters<'_>, who: impl Fn() -> String) -> Result<(), Unsupported> {
    let LoopParameters { algorithm, operation, message, aad, .. } = *parameters;
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
