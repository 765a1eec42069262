//! How workers come to life: one process per provider, pinned by a mask that is set before it starts; or a line to a device.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ciphermeter_host::cpus::{self, Pinning};
use ciphermeter_protocol::{Address, Command, DeviceLines, Link, PipeLink};

/// Where a provider is to be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its name in this run; two copies of a provider have two names.
    pub name: String,
    /// Its name in the worker's own words.
    pub provider: String,
    /// The language whose programs call it, where that is known.
    pub language: Option<String>,
    /// How its worker is reached.
    pub reach: Reach,
    /// The device that it is on; `None`: this machine.
    pub device: Option<OnDevice>,
    /// What an emulator runs: the code behind the figures is this file's.
    pub image: Option<PathBuf>,
    /// Environment with which the C library's allocator counts, where there is such a thing: for processes that are never timed.
    pub counting: Vec<(String, String)>,
    /// How it is kept from some of the CPU's instructions.
    pub switch: Switch,
    /// Its library was installed with its worker, so that it is broken if it isn't there; else the system or the CPU decides.
    pub installed: bool,
}

/// How a worker is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// A process, started with this; an emulator of a device is one, too.
    Command(Command),
    /// A line to a device.
    Line(Address),
}

/// A device in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnDevice {
    /// Its number, from 1.
    pub number: u64,
    /// Its name.
    pub name: String,
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
        let reach = Reach::Command(command);
        let (language, device, image, counting) = (None, None, None, Vec::new());
        Self { name, provider, language, reach, device, image, counting, switch, installed: false }
    }

    /// A provider on a device, which its name says behind an `@`.
    pub fn on_device(provider: &str, device: OnDevice, reach: Reach) -> Self {
        Self {
            name: format!("{provider}@{}", device.name),
            provider: provider.into(),
            language: None,
            reach,
            device: Some(device),
            image: None,
            counting: Vec::new(),
            switch: Switch::Untouched,
            // You named the device, so the run lacks something without it.
            installed: true,
        }
    }

    /// What it is started with; `None` on a line.
    pub fn command(&self) -> Option<&Command> {
        match &self.reach {
            Reach::Command(command) => Some(command),
            Reach::Line(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn command_mut(&mut self) -> Option<&mut Command> {
        match &mut self.reach {
            Reach::Command(command) => Some(command),
            Reach::Line(_) => None,
        }
    }

    /// Whether it shares a line with other providers of its device.
    pub(crate) fn is_on_line(&self) -> bool {
        matches!(self.reach, Reach::Line(_))
    }

    /// The same with its allocator counted.
    pub(crate) fn counted(&self) -> Self {
        let mut counted = self.clone();
        if let Some(command) = counted.command_mut() {
            command.environment.extend(self.counting.iter().cloned());
        }
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
    /// Starts a fresh process for one source, or gives a link to its device: a device is reset when nobody else has its line.
    fn launch(&mut self, source: &Source, affinity: Affinity) -> io::Result<Box<dyn Link>>;

    /// Moves a process that had all CPUs to the one on which all take turns, with all its threads.
    fn pin(&mut self, process: u32) -> io::Result<()>;
}

/// Real processes, and lines to real devices.
pub struct Processes {
    pinning: Option<Pinning>,
    lines: DeviceLines,
    /// The user has ended the run: nothing is started any more.
    interrupted: Arc<AtomicBool>,
}

impl Processes {
    /// Takes the pinning that `host` proposes and moves the calling thread, the harness, to its own.
    pub fn pinned() -> io::Result<Self> {
        let pinning = cpus::pinning();
        if let Some(pinning) = &pinning {
            cpus::pin(pinning.harness)?;
        }
        Ok(Self { pinning, lines: DeviceLines::default(), interrupted: Arc::default() })
    }

    /// The same in a run that the user ends by setting this: no wait for a worker lasts long after that.
    #[must_use]
    pub fn interruptible(self, interrupted: Arc<AtomicBool>) -> Self {
        Self { lines: self.lines.interruptible(interrupted.clone()), interrupted, ..self }
    }
}

impl Launch for Processes {
    fn launch(&mut self, source: &Source, affinity: Affinity) -> io::Result<Box<dyn Link>> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(io::Error::new(io::ErrorKind::Interrupted, "you ended the run"));
        }
        let command = match &source.reach {
            Reach::Command(command) => command,
            Reach::Line(address) => return Ok(Box::new(self.lines.link(address).map_err(io::Error::other)?)),
        };
        let link = PipeLink::start(command, |command| match (&self.pinning, affinity) {
            (Some(pinning), Affinity::OneCpu) => cpus::with_mask(&[pinning.worker], || command.spawn())?,
            (Some(_), Affinity::AllCpus) => cpus::with_mask(&cpus::allowed(), || command.spawn())?,
            (None, _) => command.spawn(),
        })?;
        let link = link.interruptible(self.interrupted.clone());
        // An emulator does not end with its input, and has nothing to tidy up.
        Ok(Box::new(if source.device.is_some() { link.killed_at_once() } else { link }))
    }

    fn pin(&mut self, process: u32) -> io::Result<()> {
        self.pinning.as_ref().map_or(Ok(()), |pinning| cpus::pin_process(process, pinning.worker))
    }
}
