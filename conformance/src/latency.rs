//! `latency`: as many single calls as requested, after a warm-up if requested, with numbers that continue those of the
//! samples. A device may have none, or for a few calls only.

use std::io;

use serde_json::json;

use crate::cells::{sample, warms_up};
use crate::describe::{Offer, Way};
use crate::digests::release;
use crate::report::{Check, Fault, ensure};
use crate::suite::Suite;
use crate::worker::Worker;

/// Every declared way of one offer.
pub fn check(suite: &mut Suite, offer: &Offer) -> io::Result<()> {
    for way in offer.ways() {
        if way.is_of_batches() {
            suite.check(&way.title("latency"), |worker| none(worker, &way))?;
            continue;
        }
        suite.check(&way.title("latency"), |worker| latency(worker, &way))?;
        suite.check(&way.title("latency after a warm-up"), |worker| warmed_up(worker, &way))?;
    }
    Ok(())
}

/// A message of a batch has no call of its own; the cell stays.
fn none(worker: &mut Worker, way: &Way) -> Check {
    let cell = worker.fresh_cell();
    worker.ask(&way.prepare(cell, 64, 0, 42))?.expect("ready")?;
    worker.ask(&json!({"do": "latency", "cell": cell, "count": 3}))?.expect("unsupported")?;
    sample(worker, cell, 0, 1)?.expect_integer("first", 1)?;
    release(worker, cell)
}

fn latency(worker: &mut Worker, way: &Way) -> Check {
    let cell = worker.fresh_cell();
    worker.ask(&way.prepare(cell, 64, 0, 42))?.expect("ready")?;
    let (mut next, mut missing) = (1, None);
    for count in [1, 1000, 4000] {
        let ns = match single_calls(worker, cell, None, count)? {
            Ok(ns) => ns,
            Err(why) if count == 1 => {
                missing = Some(why);
                break;
            }
            Err(_) => continue,
        };
        ensure(count < 1000 || ns.iter().any(|&ns| ns > 0), || "expected times over 0, all are 0".into())?;
        next += count;
        sample(worker, cell, 0, 2)?.expect_integer("first", next)?;
        next += 2;
    }
    for count in [0, 4001] {
        let kinds = worker.facts().or_unsupported(&["error"]);
        worker.ask(&json!({"do": "latency", "cell": cell, "count": count}))?.expect_one_of(&kinds)?;
    }
    release(worker, cell)?;
    missing.map_or(Ok(()), |why| Err(Fault::Skipped(why)))
}

/// The times of so many calls, or why a device does not have them. A `warmup_ns` of None is omitted.
fn single_calls(
    worker: &mut Worker,
    cell: u64,
    warmup_ns: Option<u64>,
    count: u64,
) -> Result<Result<Vec<u64>, String>, Fault> {
    let mut request = json!({"do": "latency", "cell": cell, "count": count});
    if let Some(ns) = warmup_ns {
        request["warmup_ns"] = ns.into();
    }
    let reply = worker.ask(&request)?.expect_one_of(&worker.facts().or_unsupported(&["latency"]))?;
    if reply.is() == "unsupported" {
        return Ok(Err(reply.text("why")?.to_owned()));
    }
    reply.expect_integer("cell", cell)?;
    reply.integer("clock_ns")?;
    let ns = reply.integers("ns")?;
    ensure(ns.len() as u64 == count, || format!("expected {count} times, got {}", ns.len()))?;
    Ok(Ok(ns))
}

/// The number of warm-up calls is visible in the number of the next sample's first iteration.
fn warmed_up(worker: &mut Worker, way: &Way) -> Check {
    const COUNT: u64 = 10;
    let cell = worker.fresh_cell();
    worker.ask(&way.prepare(cell, 64, 0, 42))?.expect("ready")?;
    let mut next = 1;
    let mut calls = |warmup_ns: Option<u64>| {
        single_calls(worker, cell, warmup_ns, COUNT)?.map_err(Fault::Skipped)?;
        let first = sample(worker, cell, 0, 1)?.integer("first")?;
        let has_warm_up = warmup_ns.is_some_and(|ns| ns > 0);
        ensure(first == next + COUNT || has_warm_up && first > next + COUNT, || {
            let asked = warmup_ns.map_or("no warm-up".into(), |ns| format!("a warm-up of {ns} ns"));
            format!(
                "expected iterations {next} on to be those of {asked} and {COUNT} calls, the next sample began with {first}"
            )
        })?;
        let warm = first - next - COUNT;
        next = first + 1;
        Ok(warm)
    };
    let mut all = || {
        calls(None)?;
        calls(Some(0))?;
        calls(Some(1))?;
        warms_up(|warmup_ns| calls(Some(warmup_ns)))?;
        calls(None)?;
        calls(Some(0)).map(drop)
    };
    let warmed = all();
    if matches!(warmed, Ok(()) | Err(Fault::Skipped(_))) {
        release(worker, cell)?;
    }
    warmed
}
