//! Several texts and keys: of a worker that declares them, the outputs are those of each iteration's own text and key, a warm-up goes
//! round all keys, and what cannot go round is refused.

use std::io;

use serde_json::{Value, json};

use crate::answers::rotation_rows;
use crate::describe::{Offer, Way};
use crate::digests::{anew, left, prepare, release};
use crate::report::{Check, ensure};
use crate::suite::Suite;
use crate::worker::Worker;

/// The most texts and keys of a cell.
const MOST: [(&str, u64); 2] = [("texts", 1 << 20), ("keys", 1 << 16)];
/// Texts and keys of the cell that is only sampled.
const SAMPLED: (u64, u64) = (300, 100);

/// Every declared way of one offer.
pub fn check(suite: &mut Suite, offer: &Offer) -> io::Result<()> {
    if !suite.facts().rotates {
        return Ok(());
    }
    for way in offer.ways() {
        if way.operation == "key-setup" || way.is_of_batches() {
            suite.check(&way.title("several texts or keys"), |worker| refused(worker, &way))?;
            continue;
        }
        if way.has_output() {
            suite.check(&way.title("digests of several texts and keys"), |worker| digests(worker, &way))?;
        }
        suite.check(&way.title("warm-up of several texts and keys"), |worker| goes_round(worker, &way))?;
        suite.check(&way.title("too many texts or keys"), |worker| too_many(worker, &way))?;
    }
    Ok(())
}

fn opens(way: &Way) -> bool {
    matches!(way.operation, "open" | "decrypt")
}

fn digests(worker: &mut Worker, way: &Way) -> Check {
    for (row, offset) in rotation_rows(way.offer.algorithm.name).zip([0, 64, 192, 4032].into_iter().cycle()) {
        if opens(way) && row.texts % row.keys != 0 {
            let cell = worker.fresh_cell();
            worker.ask(&request(way, cell, (row.texts, row.keys)))?.expect("unsupported")?;
            continue;
        }
        if let Some(known) = prepare(worker, way, row, offset)? {
            anew(worker, &known)?;
            left(worker, &known)?;
            release(worker, known.cell)?;
        }
    }
    Ok(())
}

fn request(way: &Way, cell: u64, (texts, keys): (u64, u64)) -> Value {
    let mut request = way.prepare(cell, 64, 0, 42);
    (request["texts"], request["keys"]) = (texts.into(), keys.into());
    request
}

/// A warm-up has a call for each key at least, and none where none is asked for.
fn goes_round(worker: &mut Worker, way: &Way) -> Check {
    let cell = worker.fresh_cell();
    let (_, keys) = SAMPLED;
    worker.ask(&request(way, cell, SAMPLED))?.expect("ready")?;
    for (warmup_ns, least) in [(1, keys), (0, 0)] {
        let sample = json!({"do": "sample", "cell": cell, "warmup_ns": warmup_ns, "iterations": 5});
        let reply = worker.ask(&sample)?.expect("sample")?;
        let calls = reply.integer("last")? - reply.integer("first")? + 1;
        ensure(if least > 0 { calls >= least + 5 } else { calls == 5 }, || {
            format!("expected a warm-up of {least} calls or more before 5, got {}", reply.shown())
        })?;
    }
    worker.ask(&json!({"do": "latency", "cell": cell, "warmup_ns": 1, "count": 3}))?.expect("latency")?;
    release(worker, cell)
}

fn too_many(worker: &mut Worker, way: &Way) -> Check {
    let cell = worker.fresh_cell();
    for (key, most) in MOST {
        for wrong in [0, most + 1] {
            let mut request = way.prepare(cell, 64, 0, 42);
            request[key] = wrong.into();
            worker.ask(&request)?.expect("error")?;
        }
    }
    let mut several = request(way, cell, (2, 1));
    several["threads"] = 2.into();
    worker.ask(&several)?.expect("unsupported")?;
    // The number is still free.
    worker.ask(&request(way, cell, (2, 2)))?.expect("ready")?;
    release(worker, cell)
}

fn refused(worker: &mut Worker, way: &Way) -> Check {
    let cell = worker.fresh_cell();
    worker.ask(&request(way, cell, (2, 2)))?.expect("unsupported")?;
    Ok(())
}
