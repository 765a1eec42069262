//! The clocks that time samples, and what they cost.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::job::Job;
use crate::task::{self, Failed, Task};

/// A timed stretch.
#[derive(Debug, Clone, Copy)]
pub struct Took {
    /// Elapsed nanoseconds by the monotonic clock.
    pub ns: u64,
    /// CPU nanoseconds of all threads.
    pub cpu_ns: u64,
}

/// The monotonic clock's properties, in nanoseconds.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    /// Its smallest step.
    pub step_ns: u64,
    /// The cost of one reading.
    pub call_ns: u64,
    /// The cost of one iteration of the timed loop around an empty call, rounded.
    pub loop_ns: u64,
}

/// Times `count` iterations. The CPU clock, which costs a system call, is read outside the two readings of the
/// monotonic clock.
pub fn time(task: &mut dyn Task, job: &mut Job<'_>, first: u64, count: u64) -> Result<Took, Failed> {
    let cpu = cpu_ns();
    let start = Instant::now();
    task.run(job, first, count)?;
    let ns = nanoseconds(start.elapsed());
    Ok(Took { ns, cpu_ns: cpu_ns().saturating_sub(cpu) })
}

/// CPU time of this process in nanoseconds.
fn cpu_ns() -> u64 {
    cpu(ClockId::ProcessCPUTime)
}

/// CPU time of the calling thread in nanoseconds. With several threads, only the sum of these is right: Linux updates a
/// process's clock for the thread that reads it, but for the others only to their last tick, up to milliseconds ago.
pub fn thread_cpu_ns() -> u64 {
    cpu(ClockId::ThreadCPUTime)
}

fn cpu(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    u64::try_from(time.tv_sec * 1_000_000_000 + time.tv_nsec).unwrap_or(0)
}

/// As an integer; 584 years fit.
pub fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// The cost of one reading: the median of batches, so that an interruption does not count.
pub fn call_ns() -> u64 {
    const READINGS: u32 = 1000;
    let mut batches: Vec<u64> = (0..15)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..READINGS {
                std::hint::black_box(Instant::now());
            }
            nanoseconds(start.elapsed() / READINGS)
        })
        .collect();
    batches.sort_unstable();
    batches[batches.len() / 2]
}

/// The smallest step other than 0 between consecutive readings.
fn step_ns() -> u64 {
    let steps = (0..10_000).map(|_| {
        let start = Instant::now();
        nanoseconds(start.elapsed())
    });
    steps.filter(|step| *step > 0).min().unwrap_or(1)
}

/// Measures the clock; `job` is any job, of which the empty calls use only the nonce.
pub fn measure(job: &mut Job<'_>) -> Result<Clock, Failed> {
    const CALLS: u64 = 1_000_000;
    let mut empty = task::each(|call| Ok(std::hint::black_box(call).text.len()));
    let took = time(empty.as_mut(), job, 0, CALLS)?;
    Ok(Clock { step_ns: step_ns(), call_ns: call_ns(), loop_ns: (took.ns + CALLS / 2) / CALLS })
}
