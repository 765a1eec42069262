//! The clocks that time samples, and what they cost.

use std::time::{Duration, Instant};

use ciphermeter_core::Metric;
use ciphermeter_host::counters::Counters;

use crate::loop_buffers::LoopBuffers;
use crate::timed_loop::{self, Failed, TimedLoop};

/// A timed stretch.
#[derive(Debug, Clone, Copy)]
pub struct Elapsed {
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
pub fn time(
    timed_loop: &mut dyn TimedLoop,
    buffers: &mut LoopBuffers<'_>,
    first: u64,
    count: u64,
) -> Result<Elapsed, Failed> {
    let cpu = cpu_ns();
    let start = Instant::now();
    timed_loop.run(buffers, first, count)?;
    let ns = nanoseconds(start.elapsed());
    Ok(Elapsed { ns, cpu_ns: cpu_ns().saturating_sub(cpu) })
}

/// Times `count` iterations as [`time`] does, and counts what else they cost: cycles and instructions, where there are counters, and faults
/// of pages. All of these are read outside the readings of the clocks.
pub fn count(
    timed_loop: &mut dyn TimedLoop,
    buffers: &mut LoopBuffers<'_>,
    first: u64,
    count: u64,
    counters: Option<&mut Counters>,
) -> Result<(Elapsed, Vec<(Metric, u64)>), Failed> {
    let faults = minor_faults();
    let Some(counters) = counters else {
        let elapsed = time(timed_loop, buffers, first, count)?;
        return Ok((elapsed, faults_since(faults).into_iter().collect()));
    };
    let before = counters.read();
    let elapsed = time(timed_loop, buffers, first, count)?;
    let stretch = before.zip(counters.read()).and_then(|(before, after)| after.since(&before));
    let cycles = stretch.map(|stretch| (Metric::CYCLES, stretch.cycles));
    let instructions = stretch.map(|stretch| (Metric::INSTRUCTIONS, stretch.instructions));
    Ok((elapsed, [cycles, instructions, faults_since(faults)].into_iter().flatten().collect()))
}

fn faults_since(before: Option<u64>) -> Option<(Metric, u64)> {
    Some((Metric::FAULTS, minor_faults()?.saturating_sub(before?)))
}

/// Pages that the kernel gave this process so far without reading a disk; `None` if it does not say.
fn minor_faults() -> Option<u64> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: getrusage fills the whole structure where it returns 0, and nothing is read of it otherwise.
    let usage = unsafe {
        if libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) != 0 {
            return None;
        }
        usage.assume_init()
    };
    u64::try_from(usage.ru_minflt).ok()
}

/// CPU time of this process in nanoseconds.
fn cpu_ns() -> u64 {
    cpu(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// CPU time of the calling thread in nanoseconds. With several threads, only the sum of these is right: Linux updates a
/// process's clock for the thread that reads it, but for the others only to their last tick, up to milliseconds ago.
pub fn thread_cpu_ns() -> u64 {
    cpu(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// By libc: rustix looks for the kernel's own code, the vDSO, where valgrind shows none.
fn cpu(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it writes the time, and nothing else, where it returns 0.
    let status = unsafe { libc::clock_gettime(clock, &mut time) };
    let [seconds, nanoseconds] = [time.tv_sec, time.tv_nsec].map(|part| u64::try_from(part).unwrap_or(0));
    if status == 0 { seconds * 1_000_000_000 + nanoseconds } else { 0 }
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

/// Measures the clock; the empty calls use only the nonce of `buffers`.
pub fn measure(buffers: &mut LoopBuffers<'_>) -> Result<Clock, Failed> {
    const CALLS: u64 = 1_000_000;
    let mut empty = timed_loop::writing_loop(|call| Ok(std::hint::black_box(call).text.len()));
    let elapsed = time(empty.as_mut(), buffers, 0, CALLS)?;
    Ok(Clock { step_ns: step_ns(), call_ns: call_ns(), loop_ns: (elapsed.ns + CALLS / 2) / CALLS })
}
