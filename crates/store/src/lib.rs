//! Runs on disk, in one SQLite file.
//!
//! A [`Store`] takes a run's cells once, then its samples round by round, each round in a transaction of its own. A
//! process that is killed loses at most the round that it had not committed yet, and `run --resume` continues from
//! there. Readers never wait for the writer (write-ahead log). The file may have been written by anyone, so what is
//! read is checked against limits and gives an error, never a panic.

mod add;
mod bounds;
mod column;
mod error;
mod latency;
mod older;
mod open;
mod query;
mod read;
mod round;
mod schema;
mod series;
mod write;

pub use error::{Result, StoreError, removal};
pub use open::{BUSY, Store};
pub use read::{ForkState, ListedFork, ListedRun};
