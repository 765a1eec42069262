//! What a worker of its own needs, to measure a library by the loops of the built-in worker: for a library that is too
//! heavy for the binary, or whose licence is another.
//!
//! Its crate implements [`Provider`], or [`Library`] for one opened at run time, as the files in this crate's
//! `providers/` do, and calls [`serve_library`](crate::serve_library).

pub use crate::batch_loop::{Batch, batch_loop};
pub use crate::cpu::first_of;
pub use crate::loop_buffers::{CallArguments, TAG, Text};
pub use crate::providers::installed::{self, Library, Supported};
pub use crate::providers::memory::Memory;
pub use crate::providers::opened::{File, LibraryLocation, Opened, numbers, text};
pub use crate::providers::padding;
pub use crate::providers::{LoopParameters, Offered, OpenProvider, Provider, Unsupported};
pub use crate::timed_loop::{Failed, TimedLoop, allocating_loop, key_setup_loop, writing_loop};
