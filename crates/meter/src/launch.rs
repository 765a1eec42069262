//! How workers come to life: one process per provider, pinned by a mask that is set before it starts.

use std::io;

use ciphermeter_host::cpus::{self, Seats};
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
}

/// Which CPUs a worker may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// The one on which all take turns.
    OneCpu,
    /// All that this run may use. The front's is one of them: it is blocked in read while a worker works.
    AllCpus,
}

/// Starts workers.
pub trait Launch {
    /// Starts a fresh process for one source.
    fn launch(&mut self, source: &Source, room: Room) -> io::Result<Box<dyn Link>>;
}

/// Real processes.
pub struct Processes {
    seats: Option<Seats>,
}

impl Processes {
    /// Takes the seats that `host` proposes and moves the calling thread, the front, to its own.
    pub fn seated() -> io::Result<Self> {
        let seats = cpus::seats();
        if let Some(seats) = &seats {
            cpus::pin(seats.front)?;
        }
        Ok(Self { seats })
    }
}

impl Launch for Processes {
    fn launch(&mut self, source: &Source, room: Room) -> io::Result<Box<dyn Link>> {
        let link = PipeLink::start(&source.command, |command| match (&self.seats, room) {
            (Some(seats), Room::OneCpu) => cpus::with_mask(&[seats.worker], || command.spawn())?,
            (Some(_), Room::AllCpus) => cpus::with_mask(&cpus::allowed(), || command.spawn())?,
            (None, _) => command.spawn(),
        });
        Ok(Box::new(link?))
    }
}
