//! The meter of current: what `current` answers, with a meter and without, and whether long samples have a charge.

use std::io;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::cells::sample;
use crate::charge::plausible;
use crate::describe::{Offer, Way};
use crate::digests::release;
use crate::report::{Check, Fault, ensure, failed};
use crate::suite::Suite;
use crate::worker::Worker;

/// The message of the long sample, in bytes, unless the worker takes less.
const MESSAGE: u64 = 1024;

/// The longest batch that a worker must take.
const MOST_CALLS: u64 = (1 << 32) - 1;

/// How often a sample is made longer until it is as long as the window.
const ATTEMPTS: u32 = 8;

/// Without a meter `current` is refused; with one, it is answered, and so is a sample of the window's length.
pub fn check(suite: &mut Suite, offers: &[Offer]) -> io::Result<()> {
    let Some(window_ns) = suite.facts().current_window_ns else {
        return suite.check("current without a meter", refused);
    };
    suite.check("current", |worker| at_rest(worker, window_ns))?;
    let title = "charge of a long sample";
    match offers.iter().find_map(|offer| offer.way(|way| way.has_output() && !offer.moves())) {
        Some(way) => suite.check(&way.title(title), |worker| long_sample(worker, &way, window_ns)),
        None => suite.skip(title, "no offer with outputs"),
    }
}

/// A worker that does not know the request may answer `error`; it must continue either way.
fn refused(worker: &mut Worker) -> Check {
    worker.ask(&json!({"do": "current"}))?.expect_one_of(&["unsupported", "error"])?;
    worker.ask(&json!({"do": "clock"}))?.expect("clock").map(drop)
}

fn at_rest(worker: &mut Worker, window_ns: u64) -> Check {
    expect_time_for(worker, window_ns)?;
    let started = Instant::now();
    let reply = worker.ask(&json!({"do": "current"}))?.expect("current")?;
    let waited = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let ns = reply.integer("ns")?;
    ensure(ns >= window_ns, || {
        format!("expected ns of at least the current_window_ns of {window_ns}, got {}", reply.shown())
    })?;
    // One percent more: the two may read clocks of different rates.
    ensure(ns <= waited + waited / 100, || {
        format!("expected ns within the {waited} ns that the answer took, got {}", reply.shown())
    })?;
    plausible(&reply, ns)
}

/// Samples get longer until one is as long as the window; that one must have a charge.
fn long_sample(worker: &mut Worker, way: &Way, window_ns: u64) -> Check {
    expect_time_for(worker, window_ns)?;
    let cell = worker.fresh_cell();
    let message = worker.facts().up_to(MESSAGE);
    worker.ask(&way.prepare(cell, message, 0, 42))?.expect("ready")?;
    let mut calls = 1;
    for _ in 0..ATTEMPTS {
        let reply = sample(worker, cell, 0, calls)?;
        let ns = reply.integer("ns")?;
        if ns >= window_ns {
            ensure(reply.has("charge_nc"), || {
                format!("expected charge_nc in a sample of the current_window_ns of {window_ns}, got {}", reply.shown())
            })?;
            return release(worker, cell);
        }
        // Half as many calls again as fill the window at this rate.
        // A first call may be far slower than the others, so one correction may not be enough.
        let needed = u128::from(calls) * u128::from(window_ns) * 3 / (2 * u128::from(ns.max(1)));
        calls = u64::try_from(needed).unwrap_or(MOST_CALLS).clamp(calls + 1, MOST_CALLS);
    }
    failed(format!("expected samples to take longer with more calls, {calls} took less than {window_ns} ns"))
}

/// A window may be a minute, and the wait for an answer shorter than that.
fn expect_time_for(worker: &Worker, window_ns: u64) -> Check {
    let (window, wait) = (Duration::from_nanos(window_ns), worker.timeout());
    if window * 2 <= wait {
        return Ok(());
    }
    let least = window.as_secs() * 2 + 2;
    Err(Fault::Skipped(format!("the meter's window is {window:?}, the wait {wait:?}; use --timeout {least}")))
}
