//! The built-in worker: Rust providers, C and C++ libraries opened at run time, and the ceilings.
//!
//! [`serve`] answers one harness on standard input and output as PROTOCOL.md says. A provider is one file or folder under
//! `providers/` and one line in its registry; it gives [`task::Task`]s, whose timed loops are monomorphised over the call
//! that they repeat. The same tasks answer `check`, so what is verified is what is timed.

mod arena;
mod barrier;
mod cell;
mod check;
mod clock;
mod cpu;
mod instead;
mod job;
mod member;
mod memory;
mod pool;
mod providers;
pub mod ruler;
mod shape;
mod slowed;
mod stream;
mod switches;
mod task;
#[cfg(test)]
mod tests;
mod warm_up;
mod work;
mod worker;

use std::io;

pub use memory::counter_object;
pub use providers::PROVIDERS;
pub use slowed::Slowdown;
pub use switches::switch;
use worker::Worker;

/// Why the worker could not serve.
#[derive(Debug, thiserror::Error)]
pub enum NativeError {
    /// No provider of that name is built in.
    #[error("the built-in worker has no provider `{found}`; it has {}", PROVIDERS.join(", "))]
    UnknownProvider {
        /// What was asked for.
        found: String,
    },
    /// Standard input or output failed.
    #[error("talking to the harness failed: {0}")]
    Io(#[from] io::Error),
    /// The system's libcrypto can't be used for the ruler.
    #[error("{0}")]
    OpenSsl(String),
}

/// Serves one harness on standard input and output as the provider of that name, until the input ends. `slowed` prolongs
/// timed stretches; `None` for honest figures.
pub fn serve(provider: &str, slowed: Option<Slowdown>) -> Result<(), NativeError> {
    let mut worker = Worker::new(provider, slowed)?;
    Ok(ciphermeter_protocol::serve(&mut worker, io::stdin().lock(), io::stdout().lock())?)
}
