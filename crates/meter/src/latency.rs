//! Single calls, for percentiles (METHODOLOGY.md, point 13).
//!
//! Cells take turns as they do in rounds, some hundred calls at a time after a warm-up, over several forks of fresh processes.
//! How many calls and forks there are is fixed beforehand: nothing is looked at to decide when to stop. Nothing is subtracted and
//! nothing left out; the clock's own cost is kept beside the calls.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ciphermeter_core::{CellId, Latency};
use ciphermeter_stats::median;

use crate::pool::Pool;
use crate::{Progress, SinkError};

/// So many calls of each cell: what p99.9 wants.
const CALLS: u64 = 100_000;
/// Over so many forks.
pub const FORKS: u32 = 8;
/// At most so many calls are asked for at once: what disturbs a core comes and goes within milliseconds, and a fork whose calls
/// lie in a dozen moments would have a tail of its own …
const MOST_AT_ONCE: u64 = 100;
/// … and at most so long.
const LONGEST: Duration = Duration::from_millis(2);
/// Calls of the first request, from which the length of one is learnt.
const FIRST: u64 = 20;
/// At least so often the calls so far are handed on.
const HANDED_ON: Duration = Duration::from_millis(500);
/// Nanoseconds of warm-up before each request's calls.
const WARMUP: u64 = 60_000;

/// The single calls of one fork, by cell.
type Taken = BTreeMap<CellId, Latency>;

impl Pool<'_> {
    /// Times single calls of every cell that wants them; `number` is that of the next fork, and moves on.
    pub(crate) fn single_calls(
        &mut self,
        deadline: Duration,
        held: u32,
        number: &mut u32,
        interrupted: &AtomicBool,
    ) -> Result<(), SinkError> {
        let began = self.clock.now();
        let forks = FORKS.saturating_sub(held);
        let each = deadline.saturating_sub(began) / forks.max(1);
        for fork in 0..forks {
            let end = began + each * (fork + 1);
            // The first is held in any case; a further one wants at least half of its time.
            if fork > 0 && self.clock.now() + each / 2 > end {
                break;
            }
            let whole = self.fork_of_calls(*number, end, deadline, interrupted)?;
            *number += 1;
            if !whole {
                break;
            }
        }
        self.dismiss();
        Ok(())
    }

    /// One fork: passes over the cells until each has its calls, or the time is over. False if it was cut off.
    fn fork_of_calls(
        &mut self,
        number: u32,
        end: Duration,
        deadline: Duration,
        interrupted: &AtomicBool,
    ) -> Result<bool, SinkError> {
        self.offset = self.random.u64(0..64) * 64;
        self.sink.fork_begins(number, self.offset)?;
        self.start_all()?;
        let wanted = CALLS.div_ceil(FORKS.into());
        let (mut taken, mut handed_on) = (Taken::new(), self.clock.now());
        loop {
            let lacks = |id: &CellId| taken.get(id).is_none_or(|latency| latency.calls.calls() < wanted);
            let mut cells: Vec<CellId> = (0..self.surveyed.len()).flat_map(|source| self.cells_of(source)).collect();
            cells.retain(lacks);
            let over = !taken.is_empty() && self.clock.now() >= end;
            if interrupted.load(Ordering::Relaxed) || over || cells.is_empty() {
                break;
            }
            self.random.shuffle(&mut cells);
            for id in &cells {
                self.some_calls(*id, number, wanted, &mut taken)?;
            }
            if self.clock.now() >= handed_on + HANDED_ON {
                handed_on = self.clock.now();
                self.hand_on(&taken)?;
                self.tell_calls(number, cells.len(), deadline);
            }
        }
        self.hand_on(&taken)?;
        let whole = !interrupted.load(Ordering::Relaxed);
        self.sink.fork_ends(number, whole)?;
        Ok(whole)
    }

    fn hand_on(&mut self, taken: &Taken) -> Result<(), SinkError> {
        let latencies: Vec<_> = taken.iter().map(|(id, latency)| (*id, latency.clone())).collect();
        self.sink.latency(&latencies)
    }

    /// Asks for as many calls of a cell as fit into a short stretch.
    fn some_calls(&mut self, id: CellId, fork: u32, wanted: u64, taken: &mut Taken) -> Result<(), SinkError> {
        let known = taken.get(&id);
        let each = known.map(|latency| usual(latency).max(1.0));
        let fit = each.map_or(FIRST, |each| (LONGEST.as_nanos() as f64 / each) as u64);
        let left = wanted - known.map_or(0, |latency| latency.calls.calls());
        let count = fit.clamp(1, MOST_AT_ONCE).min(left);
        let Some((_, worker)) = self.worker(id) else { return Ok(()) };
        match worker.latency(id, WARMUP, count, LONGEST) {
            Ok(Ok((calls, clock_ns))) => {
                let new = || Latency { fork, short: false, clock_ns, calls: Default::default() };
                let latency = taken.entry(id).or_insert_with(new);
                // The dearest reading counts: it is what a percentile is held against.
                latency.clock_ns = latency.clock_ns.max(clock_ns);
                calls.into_iter().for_each(|ns| latency.calls.add(ns));
                Ok(())
            }
            Ok(Err(why)) => {
                self.plan.cells[id.index()].latency = false;
                let name = self.name(id);
                self.sink.note(&format!("{name} has no latency: {why}"))
            }
            Err(error) => self.fault(id, error),
        }
    }

    fn tell_calls(&mut self, fork: u32, cells: usize, deadline: Duration) {
        let left = deadline.saturating_sub(self.clock.now());
        let what = format!("single calls of {cells} cells");
        self.sink.progress(&Progress { stage: "latency", what, fork: fork + 1, rounds: 0, done: 0.99, left });
    }
}

/// The median call in nanoseconds.
fn usual(latency: &Latency) -> f64 {
    let mut lengths: Vec<f64> = latency.calls.iter().map(|(ns, _)| ns as f64).collect();
    median(&mut lengths).unwrap_or(0.0)
}
