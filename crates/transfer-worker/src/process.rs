//! The processes of this worker, each from its start to its end: the one that serves the harness, and the receiving
//! ones.

use std::io::{self, BufReader};
use std::net::Ipv4Addr;
use std::os::fd::AsFd;
use std::thread;

use aws_lc_rs::rand;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use crate::error::Error;
use crate::lines::Pipes;
use crate::providers::known;
use crate::receivers::Receivers;
use crate::receiving;
use crate::scratch::Scratch;
use crate::worker::Worker;

/// Serves one harness on standard input and output as the provider of that name, until the input ends.
pub fn serve(provider: &str, receivers: Receivers) -> Result<(), Error> {
    let name = known(provider)?;
    wake_generator();
    let mut worker = Worker::new(name, receivers);
    ciphermeter_protocol::serve(&mut worker, io::stdin().lock(), io::stdout().lock()).map_err(Error::Harness)
}

/// A receiving process on this machine: reads orders on standard input until it ends, and then exits at once, whatever
/// it is doing.
pub fn receive() -> Result<(), Error> {
    let served = receiving::serve(&mut orders(), Ipv4Addr::LOCALHOST.into());
    Scratch::remove_the_workers();
    served.map_err(Error::Harness)
}

/// Standard input and output, as a receiving process uses them. From here on the process ends with its input.
fn orders() -> Pipes<io::Stdin, io::Stdout> {
    thread::spawn(|| end_with(&io::stdin()));
    wake_generator();
    Pipes { from: BufReader::new(io::stdin()), to: io::stdout() }
}

/// Exits the process when no orders can come any more: it may be waiting for a connection of a worker that was killed.
fn end_with(orders: &impl AsFd) {
    // With no events requested, poll reports only the end of the input, whether or not lines remain to be read.
    while let Err(Errno::INTR) = poll(&mut [PollFd::new(orders, PollFlags::empty())], None) {}
    Scratch::remove_the_workers();
    std::process::exit(0);
}

/// The library's first random bytes take 34 ms, which would otherwise be part of the first handshake.
fn wake_generator() {
    let _ = rand::fill(&mut [0; 16]);
}
