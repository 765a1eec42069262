//! The built-in worker: Rust providers, C and C++ libraries opened at run time, and the ceilings.
//!
//! [`serve`] answers one harness on standard input and output as PROTOCOL.md defines. A provider is one file or folder
//! under `providers/` and one line in its registry.
//!
//! The path from a request to a call of a library:
//!
//! 1. [`worker`] answers requests. A `prepare` becomes [`CellSettings`](prepared_loop::CellSettings).
//! 2. From these, each thread creates its own [`PreparedLoop`](prepared_loop::PreparedLoop): the provider's loop, and
//!    the inputs of its buffers. A cell is one of them ([`SingleThreadCell`](single_thread_cell::SingleThreadCell)), or
//!    threads with one each ([`MultiThreadCell`](multi_thread_cell::MultiThreadCell) of
//!    [`CellThread`](cell_thread::CellThread)s in a [`Crew`](crew::Crew), which meet at a [`Barrier`](barrier::Barrier)).
//! 3. A sample sets up the thread's [`LoopBuffers`](loop_buffers::LoopBuffers) in the [`Arena`](arena::Arena), as the
//!    cell's [`BufferLayout`](buffer_layout::BufferLayout) says, and times a
//!    [`TimedLoop`](timed_loop::TimedLoop) on them. A provider returns such a loop; it is monomorphised over the call
//!    that it repeats.
//! 4. Each iteration is one call, which gets [`CallArguments`](loop_buffers::CallArguments).
//!
//! The same loops answer [`check`], so what is verified is what is timed.

mod arena;
mod barrier;
mod batch_loop;
mod buffer_layout;
mod cell_thread;
mod check;
mod clock;
mod code_pages;
mod cpu;
mod crew;
mod error;
mod failure_reply;
mod instances;
pub mod libcryptos;
pub mod library;
mod loop_buffers;
mod memory;
mod multi_thread_cell;
pub mod openssl_speed;
mod planted;
mod prepared_loop;
mod providers;
mod rotating_loop;
pub mod ruler;
mod single_thread_cell;
mod split;
mod stack;
mod stream;
mod switches;
#[cfg(test)]
mod tests;
mod timed_loop;
mod worker;

use std::io;

pub use error::NativeError;
pub use memory::counter_object;
pub use planted::{Planted, Slowdown};
pub use providers::{PROVIDERS, libcrypto_file};
pub use split::OwnFiles;
pub use switches::switch;
use worker::Worker;

/// Serves one harness on standard input and output as a worker for one library, until the input ends.
pub fn serve_library(name: &'static str, open: library::OpenProvider) -> Result<(), NativeError> {
    serve_worker(Worker::with_provider(name, open, Planted::default()))
}

/// Serves one harness on standard input and output as the provider of that name, until the input ends. Messages that are
/// split from file to file are `files`, where there are any.
pub fn serve(provider: &str, planted: Planted, files: OwnFiles) -> Result<(), NativeError> {
    serve_worker(Worker::new(provider, planted)?.with_files(files))
}

fn serve_worker(mut worker: Worker) -> Result<(), NativeError> {
    Ok(ciphermeter_protocol::serve(&mut worker, io::stdin().lock(), io::stdout().lock())?)
}
