//! Samples in shuffled rounds: a pilot, then forks until the ratios are as precise as asked for, or the time is over.

mod bench;
mod claims;
mod closing;
mod division;
mod joining;
pub mod least;
mod lineups;
mod pilot;
mod question;
mod sampling;
mod schedule;
mod setting;
mod speeds;
mod whole_calls;

use ciphermeter_core::{Fork, Metric, Record};

use crate::SinkError;
use crate::kind::Share;
use crate::pool::Pool;
use bench::{Bench, Time};

pub use pilot::no_time;
pub use sampling::Sampling;
pub use setting::Setting;
pub use whole_calls::TooLong;

/// What a sample of calls counts.
pub const METRICS: &[Metric] = &[
    Metric::NS,
    Metric::CPU_NS,
    Metric::CYCLES,
    Metric::INSTRUCTIONS,
    Metric::FAULTS,
    Metric::COLLECTIONS,
    Metric::PROBE,
    Metric::LAYOUT,
    Metric::OFF_CPU,
];
/// Into so many forks a part's time is divided at least.
const FEWEST: u32 = 12;
/// A resumed run has time for so many more, however many it has.
const LEAST_MORE: u32 = 2;

/// How many whole forks a record has in which it was timed: another kind may have had forks of the same cell.
pub fn held(record: &Record) -> u32 {
    let timed = |fork: &&Fork| !fork.short && fork.samples.iter().any(|sample| sample.ns() > 0);
    record.forks.iter().filter(timed).count() as u32
}

/// How many forks are wanted at least beside those that there are.
fn fewest(held: u32) -> u32 {
    FEWEST.saturating_sub(held).max(LEAST_MORE)
}

/// How much of its time a part still wants with so many forks.
pub fn left(held: u32) -> f64 {
    f64::from(fewest(held)) / f64::from(FEWEST)
}

/// Measures the pool's part in rounds.
pub fn measure(pool: &mut Pool<'_>, sampling: &mut dyn Sampling, mut share: Share<'_>) -> Result<(), SinkError> {
    pool.stop.begin_preparations(pool.clock.now());
    let Some(pilot) = pilot::pilot(pool, sampling, share.deadline)? else { return Ok(()) };
    let mut samples: Vec<Vec<Fork>> = share.earlier.iter().map(|record| record.forks.clone()).collect();
    samples.resize(pool.plan.cells.len(), Vec::new());
    let time = Time { deadline: pilot.deadline, fewest: fewest(share.held) };
    let mut bench = Bench::new(pool, sampling, pilot, samples, share.scenario.precision.0, time);
    bench.announce()?;
    while bench.goes_on() {
        bench.fork(share.begin_fork())?;
        bench.look()?;
    }
    bench.close()
}
