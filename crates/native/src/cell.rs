//! A prepared cell of one thread, the worker's own. Its timed calls use no barrier and no other thread.

use std::time::Instant;

use crate::clock::{self, Took};
use crate::job::Job;
use crate::task::{Failed, Task};
use crate::warm_up::WarmUp;
use crate::work::{Buffers, Work};

/// Ready to be sampled.
pub struct Cell {
    pub work: Work,
    /// The number of the last iteration; 0 belongs to `digest`.
    last: u64,
}

/// A timed batch.
pub struct Sampled {
    pub took: Took,
    pub first: u64,
    pub last: u64,
}

impl Cell {
    /// A cell that has done no iteration yet.
    pub fn new(work: Work) -> Self {
        Self { work, last: 0 }
    }

    /// Sets the buffers up, warms up for at least `warmup_ns`, then times `iterations` calls.
    pub fn sample(&mut self, buffers: Buffers<'_>, warmup_ns: u64, iterations: u64) -> Result<Sampled, Failed> {
        let first = self.last + 1;
        let (task, mut job) = self.work.arm(buffers);
        warm(task, &mut job, &mut self.last, warmup_ns)?;
        let start = take(&mut self.last, iterations);
        let took = clock::time(task, &mut job, start, iterations)?;
        Ok(Sampled { took, first, last: self.last })
    }

    /// Warms up as [`Self::sample`] does, then times single calls.
    pub fn latency(&mut self, buffers: Buffers<'_>, warmup_ns: u64, count: u64) -> Result<Vec<u64>, Failed> {
        let (task, mut job) = self.work.arm(buffers);
        warm(task, &mut job, &mut self.last, warmup_ns)?;
        let mut calls = Vec::with_capacity(usize::try_from(count).unwrap_or(0));
        for _ in 0..count {
            let number = take(&mut self.last, 1);
            let start = Instant::now();
            task.run(&mut job, number, 1)?;
            calls.push(clock::nanoseconds(start.elapsed()));
        }
        Ok(calls)
    }
}

/// Calls until at least `warmup_ns` have passed.
fn warm(task: &mut dyn Task, job: &mut Job<'_>, last: &mut u64, warmup_ns: u64) -> Result<(), Failed> {
    let mut warm_up = WarmUp::new(warmup_ns);
    while let Some(batch) = warm_up.batch() {
        warm_up.took(clock::time(task, job, take(last, batch), batch)?.ns);
    }
    Ok(())
}

/// The first of the next `count` numbers. They are used up even if a call fails, so that no number occurs twice.
pub fn take(last: &mut u64, count: u64) -> u64 {
    let first = *last + 1;
    *last += count;
    first
}
