//! A prepared cell of one thread, the worker's own. Its timed calls use no barrier and no other thread.

use std::time::Instant;

use ciphermeter_core::{Layout, Metric};
use ciphermeter_host::counters::Counters;
use ciphermeter_protocol::WarmUp;

use crate::clock::{self, Elapsed};
use crate::loop_buffers::LoopBuffers;
use crate::prepared_loop::{PreparedLoop, ThreadMemory};
use crate::stack;
use crate::timed_loop::{Failed, TimedLoop};

/// Ready to be sampled.
pub struct SingleThreadCell {
    pub prepared_loop: PreparedLoop,
    /// The number of the last iteration; 0 belongs to `digest`.
    last: u64,
    /// Where the stack lies in samples; `None`: wherever it happens to.
    stack: Option<usize>,
}

/// A timed batch.
pub struct Sampled {
    pub elapsed: Elapsed,
    /// What was counted beside its time.
    pub beside: Vec<(Metric, u64)>,
    pub first: u64,
    pub last: u64,
}

impl SingleThreadCell {
    /// A cell that has done no iteration yet.
    pub fn new(prepared_loop: PreparedLoop) -> Self {
        Self { prepared_loop, last: 0, stack: None }
    }

    /// Has stack, buffers and key lie there from the next sample on.
    pub fn move_to(&mut self, layout: Layout) {
        self.stack = Some(layout.stack.into());
        self.prepared_loop.move_to(layout);
    }

    /// Sets the buffers up, warms up for at least `warmup_ns`, then times `iterations` calls.
    pub fn sample(
        &mut self,
        memory: ThreadMemory<'_>,
        warmup_ns: u64,
        iterations: u64,
        counters: Option<&mut Counters>,
    ) -> Result<Sampled, Failed> {
        let first = self.last + 1;
        let last = &mut self.last;
        let warm_up = WarmUp::new(warmup_ns).at_least(self.prepared_loop.keys_round());
        let (timed_loop, mut buffers) = self.prepared_loop.set_up(memory, *last + 1);
        let (elapsed, beside) = stack::at(self.stack, || {
            warm(timed_loop, &mut buffers, last, warm_up)?;
            let start = take_numbers(last, iterations);
            clock::count(timed_loop, &mut buffers, start, iterations, counters)
        })?;
        Ok(Sampled { elapsed, beside, first, last: self.last })
    }

    /// Warms up as [`Self::sample`] does, then times single calls.
    pub fn latency(&mut self, memory: ThreadMemory<'_>, warmup_ns: u64, count: u64) -> Result<Vec<u64>, Failed> {
        let warm_up = WarmUp::new(warmup_ns).at_least(self.prepared_loop.keys_round());
        let (timed_loop, mut buffers) = self.prepared_loop.set_up(memory, self.last + 1);
        warm(timed_loop, &mut buffers, &mut self.last, warm_up)?;
        let mut calls = Vec::with_capacity(usize::try_from(count).unwrap_or(0));
        for _ in 0..count {
            let number = take_numbers(&mut self.last, 1);
            let start = Instant::now();
            timed_loop.run(&mut buffers, number, 1)?;
            calls.push(clock::nanoseconds(start.elapsed()));
        }
        Ok(calls)
    }
}

/// Calls until it is over.
fn warm(
    timed_loop: &mut dyn TimedLoop,
    buffers: &mut LoopBuffers<'_>,
    last: &mut u64,
    mut warm_up: WarmUp,
) -> Result<(), Failed> {
    while let Some(batch) = warm_up.batch() {
        warm_up.record(clock::time(timed_loop, buffers, take_numbers(last, batch), batch)?.ns);
    }
    Ok(())
}

/// The first of the next `count` numbers. They are used up even if a call fails, so that no number occurs twice.
pub fn take_numbers(last: &mut u64, count: u64) -> u64 {
    let first = *last + 1;
    *last += count;
    first
}
