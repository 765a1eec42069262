//! Runs on disk, in one SQLite file.
//!
//! A [`Store`] takes a run's cells once, then its samples round by round, each round in a transaction of its own: a
//! process that is killed loses at most the round that it had not committed yet, and `run --resume` goes on from
//! there. Readers never wait for the writer (write-ahead log). What is read back may have been written by anyone, so
//! it is checked against limits and comes as an error, never as a panic.

mod column;
mod error;
mod latency;
mod older;
mod open;
mod read;
mod round;
mod schema;
mod series;
mod write;

pub use error::{Result, StoreError};
pub use open::{BUSY, Store, default_path};
pub use read::{ForkLine, ForkState, RunLine};
