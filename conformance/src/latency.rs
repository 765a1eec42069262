//! `latency`: as many single calls as asked, counted on from the samples'.

use std::io;

use serde_json::json;

use crate::describe::{Offer, Way};
use crate::report::{Check, ensure};
use crate::suite::Suite;
use crate::worker::Worker;

/// Every declared way of one offer.
pub fn check(suite: &mut Suite, offer: &Offer) -> io::Result<()> {
    for way in offer.ways() {
        suite.check(&way.title("latency"), |worker| latency(worker, &way))?;
    }
    Ok(())
}

fn latency(worker: &mut Worker, way: &Way) -> Check {
    let cell = worker.fresh_cell();
    worker.ask(&way.prepare(cell, 64, 0, 42))?.expect("ready")?;
    let mut next = 1;
    for count in [1, 1000, 4000] {
        let reply = worker.ask(&json!({"do": "latency", "cell": cell, "count": count}))?.expect("latency")?;
        reply.expect_integer("cell", cell)?;
        reply.integer("clock_ns")?;
        let ns = reply.integers("ns")?;
        ensure(ns.len() as u64 == count, || format!("expected {count} times, came {}", ns.len()))?;
        ensure(count < 1000 || ns.iter().any(|&ns| ns > 0), || "expected times over 0, all are 0".into())?;
        next += count;
        let sample = json!({"do": "sample", "cell": cell, "warmup_ns": 0, "iterations": 2});
        let sample = worker.ask(&sample)?.expect("sample")?;
        sample.expect_integer("first", next)?;
        next += 2;
    }
    for count in [0, 4001] {
        worker.ask(&json!({"do": "latency", "cell": cell, "count": count}))?.expect("error")?;
    }
    worker.ask(&json!({"do": "release", "cell": cell}))?.expect("released").map(drop)
}
