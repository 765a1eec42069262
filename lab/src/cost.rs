//! The cost of measuring: the time of the default scenario, the harness's CPU time, a worker's memory.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ciphermeter_core::{Algorithm, Family, Form, Operation, Record, Rotation};
use ciphermeter_native::PROVIDERS;
use ciphermeter_protocol::{Prepare, Reply, Request};

use crate::binary::Ciphermeter;
use crate::output::print_line;
use crate::worker::Worker;

const PATIENCE: Duration = Duration::from_secs(20);

/// What the run's notes on the harness's CPU time and on other work of the machine have in them.
const NOTES: [&str; 2] = ["the harness used", "were disturbed"];

/// Prints all three.
pub fn cost(ciphermeter: &Ciphermeter) -> Result<()> {
    let began = Instant::now();
    let (run, records) = ciphermeter.run::<&str>(&[])?;
    let took = began.elapsed().as_secs_f64();
    let precision = run.scenario.precision.0;
    let known = |ceilings: bool| {
        let of = records.iter().filter(|record| (record.cell.algorithm.family() == Family::Ceiling) == ceilings);
        let all: Vec<bool> = of.map(|record| known_to(record, precision)).collect();
        format!("{} of {}", all.iter().filter(|known| **known).count(), all.len())
    };
    print_line(&format!(
        "default scenario: {took:.1} s, the ratio of {} cells known to ±{} (of ceilings, {})",
        known(false),
        run.scenario.precision,
        known(true)
    ))?;
    for note in run.notes.iter().filter(|note| NOTES.iter().any(|words| note.contains(words))) {
        print_line(note)?;
    }
    let mib = worker_memory(ciphermeter)? as f64 / f64::from(1 << 20);
    print_line(&format!("native worker with one 1 MiB cell: {mib:.1} MiB resident"))
}

/// Whether a ratio's half-width, on the scale of logarithms, is within the precision. The reference's own ratio is 1 by definition.
fn known_to(record: &Record, precision: f64) -> bool {
    let ratio = record.summary.as_ref().and_then(|summary| summary.ratio);
    ratio.is_some_and(|ratio| (ratio.high / ratio.low).ln() / 2.0 <= precision)
}

/// Resident memory in bytes.
fn worker_memory(ciphermeter: &Ciphermeter) -> Result<u64> {
    let provider = PROVIDERS.first().context("no provider is built in")?;
    let cell = Prepare {
        cell: 1,
        provider: provider.to_string(),
        algorithm: Algorithm::Aes256Gcm,
        operation: Operation::Seal,
        form: Form::InPlace,
        message: 1 << 20,
        aad: 0,
        threads: 1,
        seed: 1,
        offset: 0,
        key: 32,
        instances: 1,
        rotation: Rotation::NONE,
    };
    let mut worker = Worker::start(&ciphermeter.worker("native", provider), cell, PATIENCE)?;
    worker.sample(10)?;
    let resident = match worker.ask(&Request::Memory { reset: false })? {
        Reply::Memory(used) => used.rss,
        _ => None,
    };
    resident.context("the worker does not report its memory on this system")
}
