//! `prepare`, `sample`, `release`: whether samples report what they must, and iterations count as the protocol defines.

use std::io;
use std::time::Instant;

use serde_json::json;

use crate::charge;
use crate::describe::{Offer, Way};
use crate::facts::Facts;
use crate::reply::Reply;
use crate::report::{Check, Fault, ensure};
use crate::suite::Suite;
use crate::worker::Worker;

/// No core transfers a terabyte a second, not even within its L1 cache.
pub const FASTEST_BYTES_PER_NS: u64 = 1000;

/// The message of the checks on time, in bytes: long enough beside a call's fixed cost.
pub const WORK_MESSAGE: u64 = 16 * 1024;

/// Nothing encrypts so many bytes in one instruction or cycle.
const MOST_BYTES_PER_COUNT: u64 = 64;

/// How often they are repeated until the times are plausible.
const WORK_ROUNDS: u32 = 100;

/// So many plausible rounds in a row are enough: chance makes one of four look so on a busy machine, but hardly eight.
const CLEAR_ROUNDS: u32 = 8;

/// How often so many calls become 16 times as many where the times are not plausible: threads that
/// wait for a CPU on a busy machine take as long for few calls as for many, if even these are done
/// sooner than that.
const WORK_LEVELS: u32 = 3;

/// No thread waits so long for a CPU: a sample of this length is long beside that.
const LONG_NS: u64 = 1_000_000_000;

/// A warm-up in which any library completes a call, unless its worker has to wait for a CPU: then a
/// longer one follows …
const WARM_UP_NS: u64 = 20_000_000;

/// … up to this one.
const LONGEST_WARM_UP_NS: u64 = WARM_UP_NS << 9;

/// Every declared way of one offer.
pub fn check(suite: &mut Suite, offer: &Offer) -> io::Result<()> {
    for way in offer.ways().chain(offer.split_ways()) {
        suite.check(&way.title("samples"), |worker| samples(worker, &way))?;
        suite.check(&way.title("release and prepare anew"), |worker| again(worker, &way))?;
        if way.operation != "key-setup" {
            suite.check(&way.title("samples take the time of real work"), |worker| real_work(worker, &way))?;
        }
    }
    Ok(())
}

/// Requests a sample and checks what must be true of any sample.
pub fn sample(worker: &mut Worker, cell: u64, warmup_ns: u64, iterations: u64) -> Result<Reply, Fault> {
    let started = Instant::now();
    let request = json!({"do": "sample", "cell": cell, "warmup_ns": warmup_ns, "iterations": iterations});
    let reply = worker.ask(&request)?.expect("sample")?;
    let waited = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
    reply.expect_integer("cell", cell)?;
    reply.expect_integer("iterations", iterations)?;
    let facts = worker.facts();
    let measured = measure(&reply, &facts)?;
    match facts.counts {
        Some(_) => ensure(!reply.has("ns"), || format!("expected no ns beside a count, got {}", reply.shown()))?,
        // One percent more: the two may read clocks of different rates.
        None => ensure(measured.saturating_add(warmup_ns) <= waited + waited / 100, || {
            format!("expected warm-up and ns within the {waited} ns that the answer took, got {}", reply.shown())
        })?,
    }
    for key in ["cpu_ns", "cycles", "instructions", "stack_bytes", "state_bytes", "code_bytes"] {
        reply.optional_integer(key)?;
    }
    charge::of_sample(&reply, facts.current_window_ns)?;
    let (first, last) = (reply.integer("first")?, reply.integer("last")?);
    let called = last.saturating_add(1).saturating_sub(first);
    let right = match warmup_ns {
        0 => called == iterations,
        _ if facts.counts.is_some() => called == iterations + 1,
        // Any time may pass between two readings of the clock.
        _ => called >= iterations,
    };
    ensure(right, || {
        format!("expected first to last to be the warm-up's calls and {iterations} more, got {}", reply.shown())
    })?;
    Ok(reply)
}

/// What a sample measured: nanoseconds, or what the worker counts. A few short calls may lie within one step of a board's clock.
fn measure(sample: &Reply, facts: &Facts) -> Result<u64, Fault> {
    let key = facts.counts.unwrap_or("ns");
    let measured = sample.integer(key)?;
    let is_coarse = facts.is_device && facts.counts.is_none();
    ensure(measured > 0 || is_coarse, || format!("expected {key} over 0, got {}", sample.shown()))?;
    Ok(measured)
}

fn samples(worker: &mut Worker, way: &Way) -> Check {
    let cell = worker.fresh_cell();
    let message = worker.facts().work_message(4096);
    worker.ask(&way.prepare(cell, message, 0, 42))?.expect("ready")?.expect_integer("cell", cell)?;
    counts_on(worker, cell)?;
    worker.ask(&json!({"do": "release", "cell": cell}))?.expect("released").map(drop)
}

/// Samples one after another, each of which must begin where the one before it ended.
pub fn counts_on(worker: &mut Worker, cell: u64) -> Check {
    let mut next = 1;
    let mut sampled = |warmup_ns, iterations| {
        let iterations = worker.facts().calls(iterations);
        let reply = sample(worker, cell, warmup_ns, iterations)?;
        reply.expect_integer("first", next)?;
        let warm = reply.integer("last")? + 1 - next - iterations;
        next += warm + iterations;
        Ok(warm)
    };
    sampled(0, 64)?;
    sampled(0, 16)?;
    warms_up(|warmup_ns| sampled(warmup_ns, 16))?;
    sampled(0, 40)?;
    sampled(1, 64).map(drop)
}

/// A warm-up makes calls: their number is what `calls` gives for its nanoseconds.
pub fn warms_up(mut calls: impl FnMut(u64) -> Result<u64, Fault>) -> Check {
    let mut warmup_ns = WARM_UP_NS;
    while calls(warmup_ns)? == 0 {
        ensure(warmup_ns < LONGEST_WARM_UP_NS, || format!("expected calls in a warm-up of {warmup_ns} ns, got none"))?;
        warmup_ns *= 2;
    }
    Ok(())
}

fn again(worker: &mut Worker, way: &Way) -> Check {
    let cell = worker.fresh_cell();
    for message in [100, worker.facts().up_to(1000)] {
        worker.ask(&way.prepare(cell, message, 0, 7))?.expect("ready")?;
        let request = json!({"do": "sample", "cell": cell, "warmup_ns": 0, "iterations": 20});
        worker.ask(&request)?.expect("sample")?.expect_integer("first", 1)?;
        worker.ask(&way.prepare(cell, message, 0, 7))?.expect("error")?;
        worker.ask(&json!({"do": "release", "cell": cell}))?.expect("released")?.expect_integer("cell", cell)?;
        worker.ask(&request)?.expect("error")?;
    }
    Ok(())
}

/// A loop that skips all its work is far faster than memory; one that skips all but the last call takes as long for a
/// few calls as for many.
fn real_work(worker: &mut Worker, way: &Way) -> Check {
    let cell = worker.fresh_cell();
    let facts = worker.facts();
    worker.ask(&way.prepare(cell, facts.work_message(WORK_MESSAGE), 0, 42))?.expect("ready")?;
    if facts.counts.is_some() {
        takes_counts(worker, cell)?
    } else {
        takes_time(worker, cell, 4)?
    }
    worker.ask(&json!({"do": "release", "cell": cell}))?.expect("released").map(drop)
}

/// The same in what the worker counts, which varies little: one round tells.
fn takes_counts(worker: &mut Worker, cell: u64) -> Check {
    let facts = worker.facts();
    let mut count = |calls| measure(&sample(worker, cell, 0, calls)?, &facts);
    let (few, many) = (count(1)?, count(16)?);
    let message = facts.work_message(WORK_MESSAGE);
    let least = 16 * message / MOST_BYTES_PER_COUNT;
    ensure(many >= least, || format!("expected at least {least} for 16 calls of {message} bytes, got {many}"))?;
    ensure(many / 8 >= few && many / 32 <= few, || {
        format!("expected 16 calls to take some 16 times as much as 1, got {many} and {few}")
    })
}

/// The same for a cell prepared with `WORK_MESSAGE`, or what the worker takes of it: `calls` calls compared with 16 times
/// as many.
pub fn takes_time(worker: &mut Worker, cell: u64, mut calls: u64) -> Check {
    let message = worker.facts().work_message(WORK_MESSAGE);
    for level in 1.. {
        let (few, many) = quickest(worker, cell, calls)?;
        let (least, most) = (16 * calls * message / FASTEST_BYTES_PER_NS, 16 * calls);
        ensure(many >= least, || {
            format!("expected at least {least} ns for {most} calls of {message} bytes, got {many}")
        })?;
        if many / 4 >= few {
            break;
        }
        ensure(level < WORK_LEVELS && many < LONG_NS, || {
            format!(
                "expected {most} calls to take some 16 times as long as {calls}, got {many} ns and {few} ns at best"
            )
        })?;
        calls *= 16;
    }
    Ok(())
}

/// The shortest times of samples of so many calls, and of 16 times as many.
fn quickest(worker: &mut Worker, cell: u64, calls: u64) -> Result<(u64, u64), Fault> {
    let (mut few, mut many, mut clear) = (u64::MAX, u64::MAX, 0);
    for _ in 0..WORK_ROUNDS {
        let (longer, shorter) =
            (sample(worker, cell, 0, 16 * calls)?.integer("ns")?, sample(worker, cell, 0, calls)?.integer("ns")?);
        (many, few) = (many.min(longer), few.min(shorter));
        // A compiler may still be running in the first rounds, and other work in any, which makes a single round look clear: on a
        // busy machine each sample of a worker that skips its calls may have waited for a CPU, or not.
        clear = if longer / 8 >= shorter { clear + 1 } else { 0 };
        if clear == CLEAR_ROUNDS {
            break;
        }
    }
    Ok((few, many))
}
