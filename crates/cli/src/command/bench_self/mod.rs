//! `bench-self`: the instrument held against others, against itself, and against what it may cost.
//!
//! These are benchmarks: they print what they find and judge nothing, because a busy machine would fail any limit.

mod cost;
mod ruler;
mod still;

use anyhow::Result;

use crate::args::BenchSelf;
use crate::exit::Exit;

/// Runs one part.
pub fn bench_self(what: BenchSelf) -> Result<Exit> {
    match what {
        BenchSelf::Ruler { windows } => ruler::ruler(windows)?,
        BenchSelf::Still { runs } => still::still(runs)?,
        BenchSelf::Cost => cost::cost()?,
    }
    Ok(Exit::Fine)
}
