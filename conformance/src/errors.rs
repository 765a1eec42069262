//! Requests that are well-formed lines but impossible: each must be refused, with the cell unharmed.

use std::io;

use serde_json::{Value, json};

use crate::describe::{Offer, Way};
use crate::report::Check;
use crate::suite::Suite;
use crate::words::Kind;
use crate::worker::Worker;

/// The reply to a value that the protocol forbids.
const ERROR: &[&str] = &["error"];

/// The replies to a value that the worker may merely not support.
const REFUSED: &[&str] = &["error", "unsupported"];

/// All refusals, tested with the first way that has outputs.
pub fn check(suite: &mut Suite, offers: &[Offer]) -> io::Result<()> {
    for (title, request) in unprepared() {
        suite.check(&format!("error: {title}"), |worker| refused(worker, &request, ERROR))?;
    }
    let Some(way) = offers.iter().find_map(|offer| offer.way(|way| way.has_output())) else {
        return suite.skip("error: requests about a cell", "no offer with outputs");
    };
    for (title, changes, kinds) in bad_prepares() {
        let title = format!("error: prepare with {title}");
        if suite.facts().is_device && !changes["offset"].is_null() {
            suite.skip(&title, "offsets have no meaning on a device")?;
            continue;
        }
        suite.check(&title, |worker| {
            let cell = worker.fresh_cell();
            let right = way.prepare(cell, 64, 0, 42);
            refused(worker, &changed(&right, &changes), kinds)?;
            // The number is still free.
            worker.ask(&right)?.expect("ready")?;
            worker.ask(&json!({"do": "release", "cell": cell}))?.expect("released").map(drop)
        })?;
    }
    for (title, changes) in bad_checks(&way) {
        suite.check(&format!("error: check with {title}"), |worker| {
            refused(worker, &changed(&simple_check(&way), &changes), REFUSED)
        })?;
    }
    for (title, request) in bad_uses() {
        // Transfers have no latency, whatever the values, and devices need not have any.
        let may_lack = way.offer.moves() || suite.facts().is_device;
        let kinds = if may_lack && request["do"] == "latency" { REFUSED } else { ERROR };
        suite.check(&format!("error: {title}"), |worker| unharmed(worker, &way, &request, kinds))?;
    }
    suite.check("prepare: null and unknown keys, the highest cell and seed", |worker| accepted(worker, &way))?;
    match offers.iter().find_map(|offer| offer.way(|way| way.seals() && way.form == "in-place" && way.has_output())) {
        Some(way) => suite.check("error: digest of over 2^24 iterations", |worker| long_chain(worker, &way)),
        None => suite.skip("error: digest of over 2^24 iterations", "no in-place sealing here"),
    }
}

fn refused(worker: &mut Worker, request: &Value, kinds: &[&str]) -> Check {
    worker.ask(request)?.expect_one_of(kinds).map(drop)
}

/// The request with other values; null counts as absent.
fn changed(request: &Value, changes: &Value) -> Value {
    let mut request = request.clone();
    for (key, value) in changes.as_object().into_iter().flatten() {
        request[key] = value.clone();
    }
    request
}

fn unprepared() -> Vec<(&'static str, Value)> {
    vec![
        ("sample of an unprepared cell", json!({"do": "sample", "cell": 999, "warmup_ns": 0, "iterations": 1})),
        ("digest of an unprepared cell", json!({"do": "digest", "cell": 999, "iteration": 0})),
        ("latency of an unprepared cell", json!({"do": "latency", "cell": 999, "count": 1})),
        ("release of an unprepared cell", json!({"do": "release", "cell": 999})),
        ("sample without a cell", json!({"do": "sample", "warmup_ns": 0, "iterations": 1})),
        ("memory with a reset of 2", json!({"do": "memory", "reset": 2})),
        ("memory with a reset as text", json!({"do": "memory", "reset": "1"})),
        ("release of null", json!({"do": "release", "cell": null})),
        ("prepare of nothing", json!({"do": "prepare"})),
        ("check of nothing", json!({"do": "check"})),
    ]
}

fn bad_prepares() -> Vec<(&'static str, Value, &'static [&'static str])> {
    vec![
        ("a message of 2^30 + 1", json!({"message": (1_u64 << 30) + 1}), REFUSED),
        ("a message of 2^53 - 1", json!({"message": (1_u64 << 53) - 1}), REFUSED),
        ("a message of 1.5", json!({"message": 1.5}), ERROR),
        ("a message of -1", json!({"message": -1}), ERROR),
        ("a message as text", json!({"message": "64"}), ERROR),
        ("a message as an array", json!({"message": [64]}), ERROR),
        ("a message as an object", json!({"message": {"bytes": 64}}), ERROR),
        ("a message of true", json!({"message": true}), ERROR),
        ("no message", json!({"message": null}), ERROR),
        ("an aad of 2^20 + 1", json!({"aad": (1_u64 << 20) + 1}), REFUSED),
        ("a seed of 2^53", json!({"seed": 1_u64 << 53}), ERROR),
        ("a seed of 2^64", json!({"seed": 18_446_744_073_709_551_616.0}), ERROR),
        ("a seed of 0.5", json!({"seed": 0.5}), ERROR),
        ("cell 2^32", json!({"cell": 1_u64 << 32}), ERROR),
        ("cell -1", json!({"cell": -1}), ERROR),
        ("no threads at all", json!({"threads": 0}), REFUSED),
        ("an offset of 100", json!({"offset": 100}), REFUSED),
        ("an offset of 4096", json!({"offset": 4096}), REFUSED),
        ("an unknown provider", json!({"provider": "nobody"}), REFUSED),
        ("no provider", json!({"provider": null}), ERROR),
        ("an unknown algorithm", json!({"algorithm": "rot13"}), REFUSED),
        ("an unknown operation", json!({"operation": "shake"}), REFUSED),
        ("an unknown form", json!({"form": "onto"}), REFUSED),
    ]
}

fn simple_check(way: &Way) -> Value {
    json!({
        "do": "check", "provider": way.offer.provider, "algorithm": way.offer.algorithm.name,
        "operation": way.operation, "form": way.form, "key": "00".repeat(way.offer.algorithm.key),
        "nonce": "00".repeat(way.offer.algorithm.nonce), "aad": "", "input": "00".repeat(32),
    })
}

fn bad_checks(way: &Way) -> Vec<(&'static str, Value)> {
    let foreign = if way.offer.algorithm.kind == Kind::Aead { "encrypt" } else { "seal" };
    vec![
        ("a key of odd hex digits", json!({"key": "0"})),
        ("a key that is not hex", json!({"key": "zz".repeat(way.offer.algorithm.key)})),
        ("an input that is not hex", json!({"input": "0x"})),
        ("an input as an array", json!({"input": [0, 1, 2]})),
        ("an unknown provider", json!({"provider": "nobody"})),
        ("an unknown algorithm", json!({"algorithm": "rot13"})),
        ("an operation that the algorithm lacks", json!({"operation": foreign})),
        ("an unknown form", json!({"form": "onto"})),
    ]
}

/// Requests about cell 0, which represents the prepared one.
fn bad_uses() -> Vec<(&'static str, Value)> {
    let sample =
        |warmup_ns: Value, iterations: Value| json!({"do": "sample", "warmup_ns": warmup_ns, "iterations": iterations});
    vec![
        ("sample of 0 iterations", sample(0.into(), 0.into())),
        ("sample of 2^32 iterations", sample(0.into(), (1_u64 << 32).into())),
        ("sample of 1.5 iterations", sample(0.into(), 1.5.into())),
        ("sample without iterations", sample(0.into(), Value::Null)),
        ("sample with a warm-up of -1", sample((-1).into(), 1.into())),
        ("latency of 0 calls", json!({"do": "latency", "count": 0})),
        ("latency of 4001 calls", json!({"do": "latency", "count": 4001})),
        ("latency with a warm-up of -1", json!({"do": "latency", "warmup_ns": -1, "count": 1})),
        ("latency with a warm-up of 2^53", json!({"do": "latency", "warmup_ns": 1_u64 << 53, "count": 1})),
        ("latency with a warm-up as text", json!({"do": "latency", "warmup_ns": "0", "count": 1})),
        ("digest without an iteration", json!({"do": "digest"})),
        ("digest of iteration 2^53", json!({"do": "digest", "iteration": 1_u64 << 53})),
        ("digest of iteration -1", json!({"do": "digest", "iteration": -1})),
    ]
}

/// A refused request about a prepared cell leaves the cell and its count unchanged.
fn unharmed(worker: &mut Worker, way: &Way, request: &Value, kinds: &[&str]) -> Check {
    let cell = worker.fresh_cell();
    worker.ask(&way.prepare(cell, 64, 0, 42))?.expect("ready")?;
    refused(worker, &changed(request, &json!({"cell": cell})), kinds)?;
    let sample = json!({"do": "sample", "cell": cell, "warmup_ns": 0, "iterations": 2});
    worker.ask(&sample)?.expect("sample")?.expect_integer("first", 1)?;
    worker.ask(&json!({"do": "release", "cell": cell}))?.expect("released").map(drop)
}

fn accepted(worker: &mut Worker, way: &Way) -> Check {
    let highest = (1_u64 << 32) - 1;
    let request = way.prepare(highest, 64, 0, (1 << 53) - 1);
    let request = changed(&request, &json!({"offset": null, "colour": "blue", "list": [1, 2], "nothing": null}));
    worker.ask(&request)?.expect("ready")?.expect_integer("cell", highest)?;
    worker.ask(&json!({"do": "release", "cell": highest}))?.expect("released")?.expect_integer("cell", highest)
}

fn long_chain(worker: &mut Worker, way: &Way) -> Check {
    let cell = worker.fresh_cell();
    worker.ask(&way.prepare(cell, 1, 0, 42))?.expect("ready")?;
    let request = json!({"do": "digest", "cell": cell, "first": 1, "iteration": (1_u64 << 24) + 1});
    refused(worker, &request, REFUSED)?;
    worker.ask(&json!({"do": "release", "cell": cell}))?.expect("released").map(drop)
}
