//! Single calls, for percentiles (METHODOLOGY.md, point 13).
//!
//! Cells take turns as they do in rounds, some hundred calls at a time after a warm-up, over several forks of fresh processes.
//! How many calls and forks there are is fixed beforehand: nothing is looked at to decide when to stop. Nothing is subtracted and
//! nothing left out; the clock's own cost is kept beside the calls.

use std::collections::BTreeMap;
use std::time::Duration;

use ciphermeter_core::{Cell, CellId, Latency, Metric, Note, Record, Scenario};
use ciphermeter_stats::median;

use crate::kind::{Kind, Share};
use crate::part::Part;
use crate::pool::Pool;
use crate::{Affinity, SinkError};

/// So many calls of each cell: what p99.9 wants.
const CALLS: u64 = 100_000;
/// Over so many forks.
const FORKS: u32 = 8;
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

/// The kind of measurement.
pub struct Calls;

impl Kind for Calls {
    fn takes(&self, scenario: &Scenario, cell: &Cell) -> bool {
        scenario.wants_latency(cell)
    }
    fn metrics(&self) -> Vec<Metric> {
        Vec::new()
    }

    fn conditions(&self) -> Part {
        Part { affinity: Affinity::OneCpu, ..Part::default() }
    }

    /// A fixed number of calls is wanted, which small messages have soon.
    fn weight(&self, _: &Cell) -> f64 {
        0.5
    }

    fn held(&self, record: &Record) -> u32 {
        record.latency.iter().filter(|latency| !latency.short).count() as u32
    }

    fn left(&self, held: u32) -> f64 {
        f64::from(FORKS.saturating_sub(held)) / f64::from(FORKS)
    }

    fn measure(&mut self, pool: &mut Pool<'_>, mut share: Share<'_>) -> Result<(), SinkError> {
        pool.stop.end_preparations();
        let began = pool.clock.now();
        let forks = FORKS.saturating_sub(share.held);
        let each = share.deadline.saturating_sub(began) / forks.max(1);
        for fork in 0..forks {
            let end = began + each * (fork + 1);
            // The first is held in any case; a further one wants at least half of its time.
            if fork > 0 && pool.clock.now() + each / 2 > end {
                break;
            }
            if !fork_of_calls(pool, &mut share, end)? {
                break;
            }
        }
        pool.dismiss();
        Ok(())
    }
}

/// One fork: passes over the cells until each has its calls, or the time is over. False if it was cut off.
fn fork_of_calls(pool: &mut Pool<'_>, share: &mut Share<'_>, end: Duration) -> Result<bool, SinkError> {
    let number = share.begin_fork();
    pool.move_buffers();
    pool.sink.fork_begins(number, pool.offset)?;
    pool.start_all()?;
    let wanted = CALLS.div_ceil(FORKS.into());
    let (mut taken, mut handed_on) = (Taken::new(), pool.clock.now());
    loop {
        let lacks = |id: &CellId| taken.get(id).is_none_or(|latency| latency.calls.calls() < wanted);
        let mut cells: Vec<CellId> = pool.cells();
        cells.retain(lacks);
        let over = !taken.is_empty() && pool.clock.now() >= end;
        if pool.must_stop() || over || cells.is_empty() {
            break;
        }
        pool.random.shuffle(&mut cells);
        for id in &cells {
            if pool.must_stop() {
                break;
            }
            some_calls(pool, *id, number, wanted, &mut taken)?;
        }
        if pool.clock.now() >= handed_on + HANDED_ON {
            handed_on = pool.clock.now();
            hand_on(pool, &taken)?;
            pool.tell("latency", format!("single calls of {} cells", cells.len()), (number + 1, 0), 0.99);
        }
    }
    hand_on(pool, &taken)?;
    let whole = !pool.must_stop();
    pool.sink.fork_ends(number, whole)?;
    Ok(whole)
}

fn hand_on(pool: &mut Pool<'_>, taken: &Taken) -> Result<(), SinkError> {
    let latencies: Vec<_> = taken.iter().map(|(id, latency)| (*id, latency.clone())).collect();
    pool.sink.latency(&latencies)
}

/// Asks for as many calls of a cell as fit into a short stretch.
fn some_calls(pool: &mut Pool<'_>, id: CellId, fork: u32, wanted: u64, taken: &mut Taken) -> Result<(), SinkError> {
    let known = taken.get(&id);
    let each = known.map(|latency| usual(latency).max(1.0));
    let fit = each.map_or(FIRST, |each| (LONGEST.as_nanos() as f64 / each) as u64);
    let left = wanted - known.map_or(0, |latency| latency.calls.calls());
    let count = fit.clamp(1, MOST_AT_ONCE).min(left);
    let Some((_, worker)) = pool.worker(id) else { return Ok(()) };
    match worker.latency(id, WARMUP, count, LONGEST) {
        Ok(Ok((calls, clock_ns))) => {
            let new = || Latency { fork, short: false, clock_ns, calls: Default::default() };
            let latency = taken.entry(id).or_insert_with(new);
            // The dearest reading counts: it is what a percentile is compared with.
            latency.clock_ns = latency.clock_ns.max(clock_ns);
            calls.into_iter().for_each(|ns| latency.calls.add(ns));
            Ok(())
        }
        Ok(Err(why)) => {
            pool.part.cells.remove(&id);
            let name = pool.name(id);
            pool.sink.note(Note::other(format!("{name} has no latency: {why}")))
        }
        Err(error) => pool.fault(id, error),
    }
}

/// The median call in nanoseconds.
fn usual(latency: &Latency) -> f64 {
    let mut lengths: Vec<f64> = latency.calls.iter().map(|(ns, _)| ns as f64).collect();
    median(&mut lengths).unwrap_or(0.0)
}
