//! The built-in worker: Rust providers, C and C++ libraries opened at run time, and the ceilings.
//!
//! [`serve`] answers one harness on standard input and output as PROTOCOL.md defines. A provider is one file or folder
//! under `providers/` and one line in its registry. It returns [`task::Task`]s, whose timed loops are monomorphised
//! over the call that they repeat. The same tasks answer `check`, so what is verified is what is timed.

mod arena;
mod barrier;
mod cell;
mod check;
mod clock;
mod cpu;
mod error;
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

pub use error::NativeError;
pub use memory::counter_object;
pub use providers::PROVIDERS;
pub use slowed::Slowdown;
pub use switches::switch;
use worker::Worker;

/// Serves one harness on standard input and output as the provider of that name, until the input ends. `slowed` prolongs
/// timed stretches; `None` for honest figures.
pub fn serve(provider: &str, slowed: Option<Slowdown>) -> Result<(), NativeError> {
    let mut worker = Worker::new(provider, slowed)?;
    Ok(ciphermeter_protocol::serve(&mut worker, io::stdin().lock(), io::stdout().lock())?)
}
