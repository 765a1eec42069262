//! The benchmark of transfers: a worker that speaks PROTOCOL.md, so that the meter measures files like anything else.
//!
//! One process sends, a child of its own receives, over loopback. Three providers: `ciphermeter` is [`crate::send`] and
//! [`crate::Receiver`] as people use them; `rustls` sends the same bytes through TLS 1.3; `ceiling` sends the same frames with no cipher,
//! under a type that no negotiation knows. Nothing here is reachable from `send` and `recv`.

mod cell;
mod monitor;
mod movers;
mod ours;
mod peer;
mod plain;
mod rustls;
mod steady;
mod worker;

use std::io;

use ciphermeter_core::Algorithm;

use worker::Worker;

use crate::{Suite, secret};

pub use steady::{Look, Steady};

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
    #[error("talking to the front failed: {0}")]
    Io(#[from] io::Error),
}

/// Serves one front on standard input and output as the provider of that name, until the input ends. `child` is the command that
/// comes to [`receive`] in a process of its own.
pub fn serve(provider: &str, child: Child) -> Result<(), BenchError> {
    let name = PROVIDERS.iter().find(|known| **known == provider);
    let name = name.ok_or_else(|| BenchError::UnknownProvider { found: provider.chars().take(64).collect() })?;
    // Its first random bytes take the library 34 ms, which would be in the first handshake.
    let _ = secret::wake_generator();
    Ok(ciphermeter_protocol::serve(&mut Worker::new(name, child), io::stdin().lock(), io::stdout().lock())?)
}

/// The receiving process of a cell: takes orders on standard input until that ends.
pub fn receive(provider: &str, algorithm: Algorithm) -> Result<(), BenchError> {
    let mover = movers::mover(provider, algorithm)?;
    let _ = secret::wake_generator();
    Ok(peer::serve(&*mover, io::stdin().lock(), io::stdout().lock())?)
}

/// The receiving process of [`Steady`]: takes orders on standard input until that ends.
pub fn receive_steadily(suite: Suite) -> Result<(), BenchError> {
    let _ = secret::wake_generator();
    Ok(steady::serve(suite, io::stdin().lock(), io::stdout().lock())?)
}

/// How to start the receiving process of a provider and an algorithm.
pub type Child = Box<dyn Fn(&str, Algorithm) -> std::process::Command>;
