//! `latency`: as many single calls as requested, after a warm-up if requested, with numbers that continue those of the
//! samples.

use std::io;

use serde_json::json;

use crate::cells::{SURELY_CALLS_NS, sample};
use crate::describe::{Offer, Way};
use crate::report::{Check, Fault, ensure};
use crate::suite::Suite;
use crate::worker::Worker;

/// Every declared way of one offer.
pub fn check(suite: &mut Suite, offer: &Offer) -> io::Result<()> {
    for way in offer.ways() {
        suite.check(&way.title("latency"), |worker| latency(worker, &way))?;
        suite.check(&way.title("latency after a warm-up"), |worker| warmed_up(worker, &way))?;
    }
    Ok(())
}

fn latency(worker: &mut Worker, way: &Way) -> Check {
    let cell = worker.fresh_cell();
    worker.ask(&way.prepare(cell, 64, 0, 42))?.expect("ready")?;
    let mut next = 1;
    for count in [1, 1000, 4000] {
        let ns = single_calls(worker, cell, None, count)?;
        ensure(count < 1000 || ns.iter().any(|&ns| ns > 0), || "expected times over 0, all are 0".into())?;
        next += count;
        sample(worker, cell, 0, 2)?.expect_integer("first", next)?;
        next += 2;
    }
    for count in [0, 4001] {
        worker.ask(&json!({"do": "latency", "cell": cell, "count": count}))?.expect("error")?;
    }
    worker.ask(&json!({"do": "release", "cell": cell}))?.expect("released").map(drop)
}

/// `None` omits `warmup_ns`.
fn single_calls(worker: &mut Worker, cell: u64, warmup_ns: Option<u64>, count: u64) -> Result<Vec<u64>, Fault> {
    let mut request = json!({"do": "latency", "cell": cell, "count": count});
    if let Some(ns) = warmup_ns {
        request["warmup_ns"] = ns.into();
    }
    let reply = worker.ask(&request)?.expect("latency")?;
    reply.expect_integer("cell", cell)?;
    reply.integer("clock_ns")?;
    let ns = reply.integers("ns")?;
    ensure(ns.len() as u64 == count, || format!("expected {count} times, got {}", ns.len()))?;
    Ok(ns)
}

/// The number of warm-up calls is visible in the number of the next sample's first iteration.
fn warmed_up(worker: &mut Worker, way: &Way) -> Check {
    const COUNT: u64 = 10;
    let cell = worker.fresh_cell();
    worker.ask(&way.prepare(cell, 64, 0, 42))?.expect("ready")?;
    let mut next = 1;
    for warmup_ns in [None, Some(0), Some(1), Some(SURELY_CALLS_NS), None, Some(0)] {
        single_calls(worker, cell, warmup_ns, COUNT)?;
        let first = sample(worker, cell, 0, 1)?.integer("first")?;
        let right = match warmup_ns.unwrap_or(0) {
            0 => first == next + COUNT,
            // This little time may pass between two readings of the clock.
            1..SURELY_CALLS_NS => first >= next + COUNT,
            _ => first > next + COUNT,
        };
        ensure(right, || {
            let asked = warmup_ns.map_or("no warm-up".into(), |ns| format!("a warm-up of {ns} ns"));
            format!(
                "expected iterations {next} on to be those of {asked} and {COUNT} calls, the next sample began with {first}"
            )
        })?;
        next = first + 1;
    }
    worker.ask(&json!({"do": "release", "cell": cell}))?.expect("released").map(drop)
}
