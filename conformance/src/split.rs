//! Split messages: vectors that are split, digests that do not depend on how, `verify` and `peek` of what samples left,
//! and keys of XOR of any length.
//!
//! A worker that may use one CPU only, or has no card, replies `unsupported` to several threads; those checks are
//! skipped with its reason.

use std::io;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::answers::{rows, vectors};
use crate::cells::sample;
use crate::describe::{Offer, Way};
use crate::digests::{anew, digest, left, prepare, release};
use crate::question::{Question, named};
use crate::reply::Reply;
use crate::report::{Check, Fault, clip, ensure, failed};
use crate::suite::Suite;
use crate::worker::Worker;

/// Numbers of threads that divide no message evenly.
const THREADS: [u64; 3] = [1, 2, 3];
/// Several chunks of form `dynamic`, and a last one that is shorter.
const LONG: u64 = (3 << 20) + 5;
/// The period of streams.
const PERIOD: u64 = 4093;
/// The most bytes of a peek.
const MOST_PEEK: u64 = 16_384;

/// Every split form of one offer.
pub fn check(suite: &mut Suite, offer: &Offer) -> io::Result<()> {
    for way in offer.split_ways() {
        if way.has_output() {
            suite.check(&way.title("known answers of a split message"), |worker| known(worker, &way))?;
            for threads in threads(&way) {
                let title = format!("{}, {threads} threads", way.title("digests of a split message"));
                suite.check(&title, |worker| digests(worker, &way, *threads))?;
                let title = format!("{}, {threads} threads", way.title("verify and peek"));
                suite.check(&title, |worker| round_trip(worker, &way, *threads))?;
            }
            suite.check(&way.title("what a sample left is gone"), |worker| gone(worker, &way))?;
            if way.offer.algorithm.name == "xor" {
                suite.check(&way.title("keys of other lengths"), |worker| keys(worker, &way))?;
            }
        } else {
            suite.check(&way.title("no output to look at"), |worker| no_output(worker, &way))?;
        }
        suite.check(&way.title("limits of a split message"), |worker| limits(worker, &way))?;
    }
    Ok(())
}

/// A card has one thread.
fn threads(way: &Way) -> &'static [u64] {
    if way.is_of_card() { &THREADS[..1] } else { &THREADS }
}

/// Both ways, whatever the offer's operations: decrypting undoes encrypting.
fn known(worker: &mut Worker, way: &Way) -> Check {
    for vector in vectors(way.offer.algorithm.name) {
        for operation in ["encrypt", "decrypt"] {
            let way = Way { operation, ..*way };
            for threads in [None, Some(1), Some(3)] {
                let mut request = Question::of(&way, &vector).request(&way);
                request["threads"] = threads.map_or(Value::Null, Value::from);
                let reply = worker.ask(&request)?;
                if vector.optional && reply.is() == "unsupported" {
                    continue;
                }
                let expected = if operation == "encrypt" { vector.output } else { vector.message };
                output(reply, expected).map_err(|fault| named(vector.name, fault))?;
            }
        }
    }
    Ok(())
}

fn output(reply: Reply, expected: &str) -> Check {
    let reply = reply.expect("output")?;
    let came = reply.text("output")?;
    ensure(came == expected, || format!("expected output {}, got {}", clip(expected), clip(came)))
}

fn digests(worker: &mut Worker, way: &Way, threads: u64) -> Check {
    for (row, offset) in rows(way.offer.algorithm.name).zip([0, 64, 4032].into_iter().cycle()) {
        if let Some(known) = prepare(worker, way, row.split(threads), offset)? {
            anew(worker, &known)?;
            left(worker, &known)?;
            release(worker, known.cell)?;
        }
    }
    Ok(())
}

fn ready(worker: &mut Worker, way: &Way, message: u64, threads: u64, key: Option<u64>) -> Result<u64, Fault> {
    let cell = worker.fresh_cell();
    let mut request = way.prepare(cell, message, 0, 42);
    request["threads"] = threads.into();
    request["key"] = key.map_or(Value::Null, Value::from);
    let reply = worker.ask(&request)?.expect_one_of(&["ready", "unsupported"])?;
    if reply.is() == "unsupported" && threads > 1 {
        return Err(Fault::Skipped(reply.text("why")?.to_owned()));
    }
    reply.expect("ready")?.expect_integer("cell", cell)?;
    Ok(cell)
}

/// Peeking at everything gives what the digest is of; decrypting it gives the message.
fn round_trip(worker: &mut Worker, way: &Way, threads: u64) -> Check {
    for message in [1, 64, 4097, LONG] {
        let cell = ready(worker, way, message, threads, None)?;
        let taken = sample(worker, cell, 0, 3)?;
        let (first, last) = (taken.integer("first")?, taken.integer("last")?);
        let mut hash = Sha256::new();
        for at in (0..message).step_by(MOST_PEEK as usize) {
            hash.update(peek(worker, cell, at, MOST_PEEK.min(message - at))?);
        }
        let (seen, left) = (hex::encode(hash.finalize()), digest(worker, cell, Some(first), last)?);
        ensure(seen == left, || format!("{message} bytes: peeking shows what hashes to {seen}, the digest is {left}"))?;
        let verified = verify(worker, cell, first, last)?.expect("verified")?;
        verified.expect_integer("cell", cell)?;
        verified.expect_integer("crc32", u64::from(crc32fast::hash(&stream("message", message))))?;
        release(worker, cell)?;
    }
    Ok(())
}

fn peek(worker: &mut Worker, cell: u64, at: u64, bytes: u64) -> Result<Vec<u8>, Fault> {
    let reply = worker.ask(&json!({"do": "peek", "cell": cell, "at": at, "bytes": bytes}))?.expect("bytes")?;
    reply.expect_integer("cell", cell)?;
    match hex::decode(reply.text("bytes")?) {
        Ok(shown) if shown.len() as u64 == bytes => Ok(shown),
        _ => failed(format!("expected {bytes} bytes in hex, got {}", reply.shown())),
    }
}

fn verify(worker: &mut Worker, cell: u64, first: u64, iteration: u64) -> Result<Reply, Fault> {
    worker.ask(&json!({"do": "verify", "cell": cell, "first": first, "iteration": iteration}))
}

/// The bytes of a stream under seed 42, computed from PROTOCOL.md's definition.
fn stream(label: &str, bytes: u64) -> Vec<u8> {
    let blocks = (0..bytes.min(PERIOD).div_ceil(32)).map(|i| Sha256::digest(format!("ciphermeter {label} 42 {i}")));
    let mut period: Vec<u8> = blocks.flatten().collect();
    period.truncate(bytes.min(PERIOD) as usize);
    period.iter().copied().cycle().take(bytes as usize).collect()
}

/// Only what the latest sample left can be looked at: not before it, not twice, not another cell's, not beyond its end.
fn gone(worker: &mut Worker, way: &Way) -> Check {
    let (one, other) = (ready(worker, way, 4097, 1, None)?, ready(worker, way, 100, 1, None)?);
    let refused = |worker: &mut Worker, request: Value| worker.ask(&request)?.expect("error").map(drop);
    let look = |cell: u64, at: u64, bytes: u64| json!({"do": "peek", "cell": cell, "at": at, "bytes": bytes});
    refused(worker, look(one, 0, 16))?;
    let taken = sample(worker, one, 0, 3)?;
    let (first, last) = (taken.integer("first")?, taken.integer("last")?);
    for (at, bytes) in [(4097, 1), (4096, 2), (1 << 40, 1), (0, 0), (0, MOST_PEEK + 1)] {
        refused(worker, look(one, at, bytes))?;
    }
    verify(worker, one, first, last + 1)?.expect("error")?;
    let taken = sample(worker, one, 0, 1)?;
    let (first, last) = (taken.integer("first")?, taken.integer("last")?);
    verify(worker, one, first, last)?.expect("verified")?;
    verify(worker, one, first, last)?.expect("error")?;
    refused(worker, look(one, 0, 16))?;
    let taken = sample(worker, one, 0, 1)?;
    sample(worker, other, 0, 1)?;
    refused(worker, look(one, 0, 16))?;
    verify(worker, one, taken.integer("first")?, taken.integer("last")?)?.expect("error")?;
    release(worker, one)?;
    release(worker, other)
}

fn keys(worker: &mut Worker, way: &Way) -> Check {
    for bytes in [1, 7, 33, 4095, 4097, 70_001] {
        let cell = ready(worker, way, 200_001, 1, Some(bytes))?;
        let (text, key) = (stream("message", 200_001), stream("key", bytes));
        let right: Vec<u8> = text.iter().zip(key.iter().cycle()).map(|(text, key)| text ^ key).collect();
        let (expected, came) = (hex::encode(Sha256::digest(right)), digest(worker, cell, None, 1)?);
        ensure(came == expected, || format!("a key of {bytes} bytes: expected {expected}, got {came}"))?;
        release(worker, cell)?;
    }
    let cell = worker.fresh_cell();
    for bytes in [0, (1 << 20) + 1] {
        let mut request = way.prepare(cell, 64, 0, 42);
        request["key"] = bytes.into();
        worker.ask(&request)?.expect_one_of(&["error", "unsupported"])?;
    }
    Ok(())
}

fn no_output(worker: &mut Worker, way: &Way) -> Check {
    let cell = ready(worker, way, 4097, 1, None)?;
    let taken = sample(worker, cell, 0, 1)?;
    let (first, last) = (taken.integer("first")?, taken.integer("last")?);
    worker.ask(&json!({"do": "digest", "cell": cell, "first": first, "iteration": last}))?.expect("unsupported")?;
    verify(worker, cell, first, last)?.expect("unsupported")?;
    worker.ask(&json!({"do": "peek", "cell": cell, "at": 0, "bytes": 16}))?.expect("unsupported")?;
    release(worker, cell)
}

/// No machine has memory for the longest message, few files have room for it; beyond it there is none.
fn limits(worker: &mut Worker, way: &Way) -> Check {
    let cell = worker.fresh_cell();
    let request = |message: u64, threads: u64, operation: &str| {
        let mut request = way.prepare(cell, message, 0, 42);
        (request["threads"], request["operation"]) = (threads.into(), operation.into());
        request
    };
    worker.ask(&request((1 << 40) + 1, 1, "encrypt"))?.expect_one_of(&["error", "unsupported"])?;
    worker.ask(&request(1 << 40, 1, "encrypt"))?.expect("unsupported")?;
    worker.ask(&request(64, (1 << 53) - 1, "encrypt"))?.expect("unsupported")?;
    worker.ask(&request(64, 1, "decrypt"))?.expect("unsupported")?;
    // The number is still free.
    worker.ask(&request(64, 1, "encrypt"))?.expect("ready")?;
    worker.ask(&json!({"do": "latency", "cell": cell, "count": 3}))?.expect_one_of(&["unsupported", "latency"])?;
    release(worker, cell)
}
