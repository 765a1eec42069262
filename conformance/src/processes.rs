//! Cells of form `process`: each iteration is a process of its own, so there is no warm-up, and what it left is what it said.
//!
//! A process takes as long as thousands of calls, so these checks make few.

use std::io;

use serde_json::json;

use crate::answers::rows;
use crate::cells::sample;
use crate::describe::{Offer, Way};
use crate::digests::{anew, left, prepare, release};
use crate::report::{Check, ensure};
use crate::suite::Suite;
use crate::worker::Worker;

/// The longest message of which samples are taken, in bytes.
const LONGEST: u64 = 300;
/// How many rows of known digests are sampled.
const SAMPLED: usize = 3;
/// A warm-up that no call of a worker would leave out.
const WARM_UP_NS: u64 = 1_000_000;

/// Every declared way of one offer.
pub fn check(suite: &mut Suite, offer: &Offer) -> io::Result<()> {
    for way in offer.ways() {
        suite.check(&way.title("digests made anew"), |worker| each(worker, &way, u64::MAX, usize::MAX, anew))?;
        suite
            .check(&way.title("digests of what processes left"), |worker| each(worker, &way, LONGEST, SAMPLED, left))?;
        suite.check(&way.title("processes do not warm up"), |worker| cold(worker, &way))?;
        suite.check(&way.title("what processes lack"), |worker| lack(worker, &way))?;
    }
    Ok(())
}

/// Some rows of known digests.
fn each(
    worker: &mut Worker,
    way: &Way,
    longest: u64,
    most: usize,
    check: fn(&mut Worker, &crate::digests::Known) -> Check,
) -> Check {
    for row in rows(way.offer.algorithm.name).filter(|row| row.message <= longest).take(most) {
        if let Some(known) = prepare(worker, way, row, 0)? {
            check(worker, &known)?;
            release(worker, known.cell)?;
        }
    }
    Ok(())
}

/// The first call of a process is the one that is timed.
fn cold(worker: &mut Worker, way: &Way) -> Check {
    let cell = worker.fresh_cell();
    worker.ask(&way.prepare(cell, 64, 0, 42))?.expect("ready")?;
    for (iterations, first) in [(1, 1), (2, 2), (1, 4)] {
        let request = json!({"do": "sample", "cell": cell, "warmup_ns": WARM_UP_NS, "iterations": iterations});
        let reply = worker.ask(&request)?.expect("sample")?;
        reply.expect_integer("first", first)?;
        let last = reply.integer("last")?;
        ensure(last == first + iterations - 1, || format!("expected no warm-up, got {}", reply.shown()))?;
    }
    release(worker, cell)
}

/// What no process has is `unsupported`, and the cell stays.
fn lack(worker: &mut Worker, way: &Way) -> Check {
    let cell = worker.fresh_cell();
    let right = way.prepare(cell, 64, 0, 42);
    for (key, value) in [("form", json!("fresh")), ("threads", json!(2))] {
        let mut request = right.clone();
        request[key] = value;
        worker.ask(&request)?.expect("unsupported")?;
    }
    worker.ask(&right)?.expect("ready")?;
    worker.ask(&json!({"do": "latency", "cell": cell, "count": 3}))?.expect("unsupported")?;
    sample(worker, cell, 0, 1)?.expect_integer("first", 1)?;
    release(worker, cell)
}
