//! Cells of operation `transfer`: whether the file arrives complete, a sample reports what it must, and nothing is left
//! behind.

use std::io;

use serde_json::{Value, json};

use crate::cells::{FASTEST_BYTES_PER_NS, WORK_MESSAGE, takes_time, warms_up};
use crate::describe::{Offer, Way};
use crate::digests::{digest, release};
use crate::leftovers;
use crate::report::{Check, ensure};
use crate::suite::Suite;
use crate::transfer_cell::{SHORT, prepare, sample, stream_digest};
use crate::words::FORMS;
use crate::worker::Worker;

/// Lengths and seeds of the files: empty, around 64 KiB, and lengths that no chunk divides.
const FILES: [(u64, u64); 9] = [
    (0, 42),
    (1, 42),
    (65_535, 42),
    (65_536, 42),
    (65_537, 42),
    (1 << 20, 42),
    ((3 << 20) + 5, 42),
    (65_537, 43),
    (10_240, (1 << 53) - 1),
];

/// Every declared transfer of one offer.
pub fn check(suite: &mut Suite, offer: &Offer) -> io::Result<()> {
    for way in offer.ways() {
        suite.check(&way.title("files arrive whole"), |worker| arrive(worker, &way))?;
        suite.check(&way.title("transfers count on"), |worker| count_on(worker, &way))?;
        suite.check(&way.title("transfers take the time of real work"), |worker| real_work(worker, &way))?;
        suite.check(&way.title("what transfers lack"), |worker| lack(worker, &way))?;
        suite.check(&way.title("transfers after errors"), |worker| after_errors(worker, &way))?;
        leftovers::check(suite, &way)?;
    }
    Ok(())
}

/// The digests of files of several lengths and seeds: recomputed, of the last transfer, and of an earlier one.
fn arrive(worker: &mut Worker, way: &Way) -> Check {
    for (message, seed) in FILES {
        let expected = stream_digest(seed, message);
        let cell = prepare(worker, way, message, seed)?;
        let right = |worker: &mut Worker, first, iteration| {
            let came = digest(worker, cell, first, iteration)?;
            ensure(came == expected, || {
                format!(
                    "a file of {message} bytes, seed {seed}, iteration {iteration}: expected {expected}, got {came}"
                )
            })
        };
        right(worker, None, 0)?;
        sample(worker, way, cell, 0, 1)?.expect_integer("last", 1)?;
        right(worker, Some(1), 1)?;
        sample(worker, way, cell, 0, 2)?.expect_integer("last", 3)?;
        right(worker, Some(2), 3)?;
        right(worker, None, 1)?;
        right(worker, Some(2), 3)?;
        release(worker, cell)?;
    }
    Ok(())
}

/// Samples of two cells in turn, each counted separately; digests between them do not count.
fn count_on(worker: &mut Worker, way: &Way) -> Check {
    let cells = [prepare(worker, way, SHORT, 42)?, prepare(worker, way, SHORT, 43)?];
    let expected = [stream_digest(42, SHORT), stream_digest(43, SHORT)];
    let mut next = [1, 1];
    let mut sampled = |at: usize, warmup_ns, iterations| {
        let reply = sample(worker, way, cells[at], warmup_ns, iterations)?;
        reply.expect_integer("first", next[at])?;
        let warm = reply.integer("last")? + 1 - next[at] - iterations;
        next[at] += warm + iterations;
        for other in [at, 1 - at] {
            let came = digest(worker, cells[other], None, next[other] - 1)?;
            ensure(came == expected[other], || format!("expected the digest {}, got {came}", expected[other]))?;
        }
        Ok(warm)
    };
    for (at, iterations) in [(0, 1), (1, 1), (0, 3), (1, 3)] {
        sampled(at, 0, iterations)?;
    }
    for at in [0, 1] {
        warms_up(|warmup_ns| sampled(at, warmup_ns, 2))?;
    }
    for at in [0, 1] {
        sampled(at, 1, 2)?;
    }
    cells.into_iter().try_for_each(|cell| release(worker, cell))
}

fn real_work(worker: &mut Worker, way: &Way) -> Check {
    const MESSAGE: u64 = 3 << 20;
    let cell = prepare(worker, way, MESSAGE, 42)?;
    let (ns, least) = (sample(worker, way, cell, 0, 4)?.integer("ns")?, 4 * MESSAGE / FASTEST_BYTES_PER_NS);
    ensure(ns >= least, || format!("expected at least {least} ns for four files of 3 MiB, got {ns}"))?;
    release(worker, cell)?;
    let cell = prepare(worker, way, WORK_MESSAGE, 42)?;
    takes_time(worker, cell, 1)?;
    release(worker, cell)
}

/// What no transfer has is `unsupported`, and the number stays free; `offset` is skipped.
fn lack(worker: &mut Worker, way: &Way) -> Check {
    let cell = worker.fresh_cell();
    let right = way.prepare(cell, SHORT, 0, 42);
    let with = |key: &str, value: Value| {
        let mut request = right.clone();
        request[key] = value;
        request
    };
    let operations = ["seal", "open", "encrypt", "decrypt", "key-setup"].map(|name| with("operation", name.into()));
    let requests = FORMS
        .map(|form| with("form", form.into()))
        .into_iter()
        .chain(operations)
        .chain([with("threads", 2.into()), with("aad", 1.into())]);
    for request in requests {
        worker.ask(&request)?.expect("unsupported")?;
    }
    worker.ask(&with("offset", 64.into()))?.expect("ready")?;
    worker.ask(&json!({"do": "latency", "cell": cell, "count": 3}))?.expect("unsupported")?;
    let check = json!({
        "do": "check", "provider": way.offer.provider, "algorithm": way.offer.algorithm.name, "operation": way.operation,
        "key": "00".repeat(32), "nonce": "00".repeat(12), "aad": "", "input": "00",
    });
    worker.ask(&check)?.expect("unsupported")?;
    sample(worker, way, cell, 0, 1)?.expect_integer("first", 1)?;
    release(worker, cell)
}

/// Refused requests leave the cell, its file and its receiver unchanged.
fn after_errors(worker: &mut Worker, way: &Way) -> Check {
    let cell = prepare(worker, way, SHORT, 42)?;
    let mut again = way.prepare(cell, SHORT, 0, 42);
    worker.ask(&again)?.expect("error")?;
    again["seed"] = 43.into();
    worker.ask(&again)?.expect("error")?;
    sample(worker, way, cell, 0, 1)?.expect_integer("first", 1)?;
    worker.ask(&json!({"do": "sample", "cell": cell, "warmup_ns": 0, "iterations": 0}))?.expect("error")?;
    worker.ask(&json!({"do": "digest", "cell": cell}))?.expect("error")?;
    sample(worker, way, cell, 0, 1)?.expect_integer("first", 2)?;
    let (came, expected) = (digest(worker, cell, None, 2)?, stream_digest(42, SHORT));
    ensure(came == expected, || format!("expected the digest {expected}, got {came}"))?;
    release(worker, cell)?;
    let request = json!({"do": "sample", "cell": cell, "warmup_ns": 0, "iterations": 1});
    worker.ask(&request)?.expect("error")?;
    // The number may be reused, for another file.
    worker.ask(&way.prepare(cell, SHORT + 1, 0, 43))?.expect("ready")?;
    sample(worker, way, cell, 0, 1)?.expect_integer("first", 1)?;
    let (came, expected) = (digest(worker, cell, None, 1)?, stream_digest(43, SHORT + 1));
    ensure(came == expected, || format!("expected the digest {expected} of the number's next cell, got {came}"))?;
    release(worker, cell)
}
