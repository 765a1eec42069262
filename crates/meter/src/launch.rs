//! How workers come to life: one process per provider, pinned by a mask that is set before it starts.

use std::io;

use ciphermeter_host::cpus::{self, Pinning};
use ciphermeter_protocol::{Command, Link, PipeLink};

/// Where a provider is to be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its name in this run; two copies of a provider have two names.
    pub name: String,
    /// Its name in the worker's own words.
    pub provider: String,
    /// How to start the worker.
    pub command: Command,
    /// Environment with which the C library's allocator counts, where there is such a thing: for processes that are never timed.
    pub counting: Vec<(String, String)>,
    /// How it is kept from some of the CPU's instructions.
    pub switch: Switch,
    /// Its library was installed with its worker, so that it is broken if it isn't there; else the system or the CPU decides.
    pub installed: bool,
}

/// How a library is kept from some of the CPU's instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Switch {
    /// Not asked for.
    Untouched,
    /// Its own switch is thrown in `command`.
    Thrown {
        /// How to start it with the switch not thrown.
        without: Command,
    },
    /// It has none.
    Missing {
        /// The reason.
        why: String,
    },
}

impl Source {
    /// A source that may use all that the CPU has.
    pub fn new(name: impl Into<String>, provider: impl Into<String>, command: Command) -> Self {
        let (name, provider, switch) = (name.into(), provider.into(), Switch::Untouched);
        Self { name, provider, command, counting: Vec::new(), switch, installed: false }
    }

    /// The same with its allocator counted.
    pub(crate) fn counted(&self) -> Self {
        let mut counted = self.clone();
        counted.command.environment.extend(self.counting.iter().cloned());
        counted
    }
}

/// Which CPUs a worker may use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Affinity {
    /// The one on which all take turns.
    #[default]
    OneCpu,
    /// All that this run may use. The harness's is one of them: it is blocked in read while a worker works.
    AllCpus,
}

/// Starts workers.
pub trait Launch {
    /// Starts a fresh process for one source.
    fn launch(&mut self, source: &Source, affinity: Affinity) -> io::Result<Box<dyn Link>>;

    /// Moves a process that had all CPUs to the one on which all take turns, with all its threads.
    fn pin(&mut self, process: u32) -> io::Result<()>;
}

/// Real processes.
pub struct Processes {
    pinning: Option<Pinning>,
}

impl Processes {
    /// Takes the pinning that `host` proposes and moves the calling thread, the harness, to its own.
    pub fn pinned() -> io::Result<Self> {
        let pinning = cpus::pinning();
        if let Some(pinning) = &pinning {
            cpus::pin(pinning.harness)?;
        }
        Ok(Self { pinning })
    }
}

impl Launch for Processes {
    fn launch(&mut self, source: &Source, affinity: Affinity) -> io::Result<Box<dyn Link>> {
        let link = PipeLink::start(&source.command, |command| match (&self.pinning, affinity) {
            (Some(pinning), Affinity::OneCpu) => cpus::with_mask(&[pinning.worker], || command.spawn())?,
            (Some(_), Affinity::AllCpus) => cpus::with_mask(&cpus::allowed(), || command.spawn())?,
            (None, _) => command.spawn(),
        });
        Ok(Box::new(link?))
    }

    fn pin(&mut self, process: u32) -> io::Result<()> {
        self.pinning.as_ref().map_or(Ok(()), |pinning| cpus::pin_process(process, pinning.worker))
    }
}
