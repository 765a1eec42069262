//! The cost of measuring and what it buys: the time of the default scenario, the ratios that are known then, the harness's CPU time,
//! bytes in the store, a worker's memory, and the ratios between languages after half a minute.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ciphermeter_core::{Algorithm, Form, Group, Operation, Record, Rotation};
use ciphermeter_estimate::ratio;
use ciphermeter_native::PROVIDERS;
use ciphermeter_protocol::{Prepare, Reply, Request};

use crate::binary::Ciphermeter;
use crate::output::print_line;
use crate::worker::Worker;

const PATIENCE: Duration = Duration::from_secs(20);

/// What the run's notes on the harness's CPU time and on other work of the machine have in them.
const NOTES: [&str; 2] = ["the harness used", "were disturbed"];

/// A contender takes at most so many times as long as the fastest of its block …
const CONTENDS: f64 = 1.5;
/// … and its ratio shall be known so well.
const DECISIVE: f64 = 0.01;
/// The scenario whose ratios of compiled languages shall be known to its precision within the time.
const LANGUAGES: [&str; 3] = ["languages", "--budget", "30s"];
/// The worker of libraries in compiled languages without a collector.
const COMPILED: &str = "native";

/// Prints all of it.
pub fn cost(ciphermeter: &Ciphermeter) -> Result<()> {
    let (began, stored) = (Instant::now(), ciphermeter.stored());
    let (run, records) = ciphermeter.run::<&str>(&[])?;
    let took = began.elapsed().as_secs_f64();
    let precision = run.scenario.precision.0;
    let ceilings = known(&records, precision, |record| record.cell.algorithm.is_ceiling());
    let ciphers = known(&records, precision, |record| !record.cell.algorithm.is_ceiling());
    print_line(&format!(
        "default scenario: {took:.1} s, the ratio of {ciphers} cells known to ±{} (of ceilings, {ceilings})",
        run.scenario.precision,
    ))?;
    print_line(&decisive(&records))?;
    for note in run.notes.iter().filter(|note| NOTES.iter().any(|words| note.text.contains(words))) {
        print_line(&note.text)?;
    }
    let samples: usize = records.iter().flat_map(|record| &record.forks).map(|fork| fork.samples.len()).sum();
    let bytes = (ciphermeter.stored() - stored) as f64 / samples.max(1) as f64;
    print_line(&format!("the store has {bytes:.1} bytes for each of {samples} samples"))?;
    let mib = worker_memory(ciphermeter)? as f64 / f64::from(1 << 20);
    print_line(&format!("native worker with one 1 MiB cell: {mib:.1} MiB resident"))?;
    languages(ciphermeter)
}

/// How many cells that `counts` have a ratio known to the precision.
fn known(records: &[Record], precision: f64, counts: impl Fn(&Record) -> bool) -> String {
    let all: Vec<bool> =
        records.iter().filter(|record| counts(record)).map(|record| known_to(record, precision)).collect();
    format!("{} of {}", all.iter().filter(|known| **known).count(), all.len())
}

/// How well the ratios are known that decide: of each block's fastest cipher and every contender.
fn decisive(records: &[Record]) -> String {
    let mut blocks = BTreeMap::<Group, Vec<&Record>>::new();
    for record in records.iter().filter(|record| !record.cell.algorithm.is_ceiling()) {
        blocks.entry(record.cell.group()).or_default().push(record);
    }
    let (mut all, mut known, mut worst) = (0, 0, 0.0_f64);
    for block in blocks.into_values() {
        let mid = |record: &Record| record.summary.as_ref()?.ratio.map(|ratio| ratio.mid);
        let fastest = block.iter().filter(|record| mid(record).is_some());
        let Some(fastest) = fastest.min_by(|a, b| mid(a).partial_cmp(&mid(b)).unwrap_or(Ordering::Equal)) else {
            continue;
        };
        let others = block.iter().filter(|record| record.id != fastest.id);
        for range in others.filter_map(|record| ratio(record, fastest)).filter(|ratio| ratio.mid <= CONTENDS) {
            let half = range.half_width().unwrap_or(f64::INFINITY);
            (all, known, worst) = (all + 1, known + u32::from(half <= DECISIVE), worst.max(half));
        }
    }
    let [decisive, worst] = [DECISIVE, worst].map(|share| share * 100.0);
    format!(
        "contenders within {CONTENDS} times the fastest of their block: {known} of {all} known to ±{decisive} %, all to ±{worst:.1} %"
    )
}

/// How well the ratios between languages are known after half a minute.
fn languages(ciphermeter: &Ciphermeter) -> Result<()> {
    let (run, records) = ciphermeter.run(&LANGUAGES)?;
    let precision = run.scenario.precision.0;
    let is_of = |record: &Record, compiled: bool| {
        let from = record.provenance.as_ref();
        let is_cipher = !record.cell.algorithm.is_ceiling();
        is_cipher && from.is_some_and(|from| (from.worker == COMPILED) == compiled)
    };
    let (compiled, others) = (
        known(&records, precision, |record| is_of(record, true)),
        known(&records, precision, |record| is_of(record, false)),
    );
    print_line(&format!(
        "{}: {compiled} cells of compiled languages known to ±{}, {others} of Go and of those with an interpreter or a JIT",
        LANGUAGES.join(" "),
        run.scenario.precision
    ))
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
