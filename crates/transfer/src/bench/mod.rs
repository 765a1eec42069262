//! The benchmark of transfers: a worker that speaks PROTOCOL.md, so that the meter measures files like anything else.
//!
//! One process sends; another, its child or one on another machine, receives. Three providers: `ciphermeter` is [`crate::send`] and
//! [`crate::Receiver`] over one data connection; `rustls` sends the same bytes through TLS 1.3; `ceiling` sends the same frames with no cipher,
//! under a type that no negotiation knows. Nothing here is reachable from `send` and `recv`.

mod cell;
mod far;
mod folder;
mod monitor;
mod movers;
mod ours;
mod peer;
mod plain;
mod rustls;
mod steady;
mod talk;
mod worker;

use std::io::{self, BufReader};
use std::net::Ipv4Addr;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::Command;
use std::thread;

use ciphermeter_core::Algorithm;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use folder::Folder;
use peer::Peer;
use talk::Pipes;
use worker::Worker;

use crate::{Error, Suite, Ticket, secret};

pub use far::Host;
pub use steady::{Look, Steady};
pub use worker::version;

/// Whom the worker can host.
pub const PROVIDERS: &[&str] = &["ciphermeter", "rustls", "ceiling"];

/// No provider of that name.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The worker has nobody of that name.
    #[error("the worker of transfers has no provider `{found}`; it has {}", PROVIDERS.join(", "))]
    UnknownProvider {
        /// What was asked for.
        found: String,
    },
    /// Not an algorithm of that provider.
    #[error("{0} moves no files with {1}")]
    UnknownAlgorithm(String, Algorithm),
    /// Standard input or output failed.
    #[error("talking to the harness failed: {0}")]
    Io(#[from] io::Error),
}

/// Where the receiving processes are.
pub enum FarEnd {
    /// On this machine, each a child that this command starts, which comes to [`receive`].
    Here(Box<dyn Fn() -> Command>),
    /// On another machine, where somebody called [`Host::serve`] and got this ticket.
    There(Ticket),
}

impl FarEnd {
    fn peer(&self, folder: &Path) -> Result<Peer, Error> {
        match self {
            Self::Here(child) => Peer::start(child(), folder),
            Self::There(ticket) => far::reach(ticket).map(Peer::far),
        }
    }
}

/// Serves one harness on standard input and output as the provider of that name, until the input ends.
pub fn serve(provider: &str, far_end: FarEnd) -> Result<(), BenchError> {
    let name = PROVIDERS.iter().find(|known| **known == provider);
    let name = name.ok_or_else(|| BenchError::UnknownProvider { found: provider.chars().take(64).collect() })?;
    // Its first random bytes take the library 34 ms, which would be in the first handshake.
    let _ = secret::wake_generator();
    Ok(ciphermeter_protocol::serve(&mut Worker::new(name, far_end), io::stdin().lock(), io::stdout().lock())?)
}

/// A receiving process on this machine: takes orders on standard input until that ends, and is gone then, whatever it was doing.
pub fn receive() -> Result<(), BenchError> {
    thread::spawn(|| end_with(&io::stdin()));
    let _ = secret::wake_generator();
    let mut talk = Pipes { from: BufReader::new(io::stdin()), to: io::stdout() };
    let served = peer::serve(&mut talk, Ipv4Addr::LOCALHOST.into());
    Folder::remove_the_workers();
    Ok(served?)
}

/// Ends the process when nobody is left to give orders: it may be waiting for a connection of a worker that was killed.
fn end_with(orders: &impl AsFd) {
    // Asked for nothing, the system tells only of the end, and of that whether or not there are lines still to be read.
    while let Err(Errno::INTR) = poll(&mut [PollFd::new(orders, PollFlags::empty())], None) {}
    Folder::remove_the_workers();
    std::process::exit(0);
}

/// The receiving process of [`Steady`]: as [`receive`], but for one file after the other.
pub fn receive_steadily(suite: Suite) -> Result<(), BenchError> {
    thread::spawn(|| end_with(&io::stdin()));
    let _ = secret::wake_generator();
    let mut talk = Pipes { from: BufReader::new(io::stdin()), to: io::stdout() };
    Ok(steady::serve(suite, &mut talk)?)
}
