//! The least time that a run takes, for a user whose budget ended before anything was timed.

use std::time::Duration;

use ciphermeter_core::PartPlan;
use ciphermeter_stats::LEAST_FORKS;

use crate::pool::Pool;
use crate::{SinkError, compile};

/// Forks of fewer rounds than this are not worth their processes' start, if there are enough of them.
pub const LEAST_WISHED: f64 = 5.0;

/// Hands on the least time of a run whose preparations alone take `preparing`: as many forks as an interval takes, with samples no longer
/// than they must be.
pub fn announce(pool: &mut Pool<'_>, preparing: Duration) -> Result<(), SinkError> {
    let cells = pool.plan.ids().filter(|id| pool.plan.is_in(*id)).count();
    let sample = pool.options.sample + pool.options.warmup;
    let fork = starting(pool) + sample.mul_f64(LEAST_WISHED * cells as f64);
    let least = preparing + fork * LEAST_FORKS as u32;
    pool.cut_short = true;
    pool.sink.part(&PartPlan { least_ns: u64::try_from(least.as_nanos()).unwrap_or(u64::MAX), ..PartPlan::default() })
}

/// How long it takes at least to start a process of every source.
fn starting(pool: &Pool<'_>) -> Duration {
    let compiling = (0..pool.surveyed.len()).filter(|source| pool.surveyed[*source].compiles);
    let settled = compiling.map(|source| compile::least(pool.plan.of_source(source).len())).sum();
    pool.starting().max(settled)
}
