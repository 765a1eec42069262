//! The clocks that time samples, and what they cost.

use std::hint::black_box;
use std::time::{Duration, Instant};

use ciphermeter_host::usage;
use ciphermeter_protocol::Reply;

/// A timed stretch.
#[derive(Debug, Clone, Copy)]
pub struct Elapsed {
    /// By the monotonic clock, in nanoseconds.
    pub ns: u64,
    /// CPU time of the process's threads, the driver's included.
    pub cpu_ns: Option<u64>,
}

/// Times a call that may fail. The CPU clock is read outside the two readings of the monotonic clock.
pub fn time<E>(call: impl FnOnce() -> Result<(), E>) -> Result<Elapsed, E> {
    let cpu = usage::process_cpu();
    let start = Instant::now();
    call()?;
    let ns = nanoseconds(start.elapsed());
    let cpu = usage::process_cpu().zip(cpu).map(|(after, before)| nanoseconds(after.saturating_sub(before)));
    Ok(Elapsed { ns, cpu_ns: cpu })
}

/// As an integer; 584 years fit.
pub fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// The cost of one reading: the median of batches, so that an interruption does not count.
pub fn call_ns() -> u64 {
    const READINGS: u32 = 1000;
    let batch = || {
        let start = Instant::now();
        for _ in 0..READINGS {
            black_box(Instant::now());
        }
        nanoseconds(start.elapsed() / READINGS)
    };
    let mut batches: Vec<u64> = (0..15).map(|_| batch()).collect();
    batches.sort_unstable();
    batches[batches.len() / 2]
}

/// The answer to `clock`. The loop is the one that hands counter blocks to a card.
pub fn measure() -> Reply {
    const CALLS: u64 = 1_000_000;
    let steps = (0..10_000).map(|_| nanoseconds(Instant::now().elapsed()));
    let step_ns = steps.filter(|step| *step > 0).min().unwrap_or(1);
    let start = Instant::now();
    let mut counters: Box<dyn Iterator<Item = u128>> = Box::new((1..=CALLS).map(|number| u128::from(number) << 64));
    for counter in black_box(counters.as_mut()) {
        black_box(counter);
    }
    let loop_ns = (nanoseconds(start.elapsed()) + CALLS / 2) / CALLS;
    Reply::Clock { step_ns, call_ns: call_ns(), loop_ns }
}
