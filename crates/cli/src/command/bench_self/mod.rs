//! `bench-self`: the instrument held against others, against itself, and against what it may cost.
//!
//! These are benchmarks: they print what they find and judge nothing, because a busy machine would fail any limit.

mod against;
mod cost;
mod latency;
mod plain;
mod ruler;
mod still;
mod transfer;

use anyhow::Result;

use crate::args::{BenchSelf, RunOptions};
use crate::exit::Exit;

/// Runs one part.
pub fn bench_self(what: BenchSelf, options: &RunOptions) -> Result<Exit> {
    match what {
        BenchSelf::Ruler { windows } => ruler::ruler(windows)?,
        BenchSelf::Still { runs } => still::still(runs, options)?,
        BenchSelf::Cost => cost::cost(options)?,
        BenchSelf::Against { runs, budget, planted } => against::against_itself(runs, budget, planted, options)?,
        BenchSelf::Plain { message } => plain::plain(message, options)?,
        BenchSelf::Transfer { size, rounds, sparse } => transfer::transfer(size, rounds, sparse, &options.workers)?,
        BenchSelf::Latency { budget } => latency::latency(budget, options)?,
    }
    Ok(Exit::Fine)
}
