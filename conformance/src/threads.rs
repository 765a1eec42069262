//! Cells of several threads: each thread's output under its own key, and samples of all threads together.
//!
//! A worker that measures one thread only, or may use one CPU only, replies `unsupported`; its checks are skipped with
//! that reason.

use std::io;

use serde_json::{Value, json};

use crate::answers::thread_rows;
use crate::cells::{WORK_MESSAGE, counts_on, sample, takes_time};
use crate::describe::{Offer, Way};
use crate::digests::{anew, left, prepare, release};
use crate::report::{Check, Fault, ensure};
use crate::suite::Suite;
use crate::worker::Worker;

/// How many threads the samples have.
const THREADS: u64 = 2;

/// This many calls take long compared with the synchronisation of the threads, which may share one CPU while others are
/// busy.
const CALLS: u64 = 32;

/// A sample of at least this length is meaningful for CPU time, whatever the step of its clock.
const LONG_NS: u64 = 20_000_000;

/// Every declared way of one offer.
pub fn check(suite: &mut Suite, offer: &Offer) -> io::Result<()> {
    for way in offer.ways() {
        if way.has_output() {
            suite.check(&way.title("digests of several threads"), |worker| digests(worker, &way))?;
        }
        suite.check(&way.title("samples of several threads"), |worker| samples(worker, &way))?;
        suite.check(&way.title("too many threads"), |worker| too_many(worker, &way))?;
    }
    Ok(())
}

fn digests(worker: &mut Worker, way: &Way) -> Check {
    for (row, offset) in thread_rows(way.offer.algorithm.name).zip([0, 64, 4032]) {
        let known = match prepare(worker, way, row, offset) {
            // Two threads are measured where there are fewer than three CPUs.
            Err(Fault::Skipped(_)) if row.threads > THREADS => continue,
            prepared => prepared?,
        };
        if let Some(known) = known {
            anew(worker, &known)?;
            left(worker, &known)?;
            release(worker, known.cell)?;
        }
    }
    Ok(())
}

fn request(worker: &Worker, way: &Way, cell: u64, threads: u64) -> Value {
    let message = worker.facts().work_message(WORK_MESSAGE);
    let mut request = way.prepare(cell, message, 0, 42);
    request["threads"] = threads.into();
    request
}

fn samples(worker: &mut Worker, way: &Way) -> Check {
    let cell = worker.fresh_cell();
    let reply = worker.ask(&request(worker, way, cell, THREADS))?.expect_one_of(&["ready", "unsupported"])?;
    if reply.is() == "unsupported" {
        return Err(Fault::Skipped(reply.text("why")?.to_owned()));
    }
    reply.expect_integer("cell", cell)?;
    counts_on(worker, cell)?;
    if way.operation != "key-setup" {
        takes_time(worker, cell, CALLS)?;
    }
    cpu_time(worker, cell)?;
    let latency = json!({"do": "latency", "cell": cell, "count": 3});
    worker.ask(&latency)?.expect("unsupported")?;
    release(worker, cell)
}

/// Threads cannot use more CPU time than the same number of CPUs provides. Twice as much is accepted: a runtime's own
/// threads (collectors, compilers) count, too.
fn cpu_time(worker: &mut Worker, cell: u64) -> Check {
    let mut iterations = 64;
    loop {
        let reply = sample(worker, cell, 0, iterations)?;
        let ns = reply.integer("ns")?;
        if ns < LONG_NS && iterations < 1 << 24 {
            iterations *= 4;
            continue;
        }
        let most = 2 * THREADS * ns + LONG_NS;
        return match reply.optional_integer("cpu_ns")? {
            Some(cpu_ns) => {
                ensure(cpu_ns <= most, || format!("expected at most {most} ns of CPU time, got {}", reply.shown()))
            }
            None => Ok(()),
        };
    }
}

/// More than 1024 threads are not an error: the worker replies why it does not have them.
fn too_many(worker: &mut Worker, way: &Way) -> Check {
    let cell = worker.fresh_cell();
    for threads in [1025, (1 << 53) - 1] {
        worker.ask(&request(worker, way, cell, threads))?.expect("unsupported")?;
    }
    // The number is still free.
    worker.ask(&request(worker, way, cell, 1))?.expect("ready")?;
    release(worker, cell)
}
