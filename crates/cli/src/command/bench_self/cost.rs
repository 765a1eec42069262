//! What measuring costs: the time of the default scenario, the harness's CPU time, a worker's memory.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use ciphermeter_core::{Algorithm, Family, Form, Operation, Record};
use ciphermeter_protocol::{Link, MemoryUse, PipeLink, Prepare, Reply, Request};
use ciphermeter_store::Store;

use crate::args::RunOptions;
use crate::command::run::{Wanted, measured};
use crate::{built_in, folders, output};

const PATIENCE: Duration = Duration::from_secs(20);

/// Prints all three.
pub fn cost(options: &RunOptions) -> Result<()> {
    let store = Store::open(&folders::store(&options.store)?)?;
    let began = Instant::now();
    let (id, _) = measured(Wanted::read(None, options)?, options, &store)?;
    let took = began.elapsed();
    let (run, records) = store.load(id)?;
    let precision = run.scenario.precision.0;
    let known = |ceilings: bool| {
        let of = records.iter().filter(|record| (record.cell.algorithm.family() == Family::Ceiling) == ceilings);
        let all: Vec<bool> = of.map(|record| known_to(record, precision)).collect();
        format!("{} of {}", all.iter().filter(|known| **known).count(), all.len())
    };
    output::print(&format!(
        "default scenario: {:.1} s, the ratio of {} cells known to ±{} (of ceilings, {})\n",
        took.as_secs_f64(),
        known(false),
        run.scenario.precision,
        known(true)
    ))?;
    for note in
        run.notes.iter().filter(|note| note.starts_with("the harness used") || note.starts_with("something else"))
    {
        output::print(&format!("{note}\n"))?;
    }
    let resident = worker_memory()?;
    output::print(&format!(
        "native worker with one 1 MiB cell: {:.1} MiB resident\n",
        resident as f64 / (1 << 20) as f64
    ))
}

/// Whether a ratio's half-width, on the scale of logarithms, is within the precision. The reference's own ratio is 1 by definition.
fn known_to(record: &Record, precision: f64) -> bool {
    let ratio = record.summary.as_ref().and_then(|summary| summary.ratio);
    ratio.is_some_and(|ratio| (ratio.high / ratio.low).ln() / 2.0 <= precision)
}

fn worker_memory() -> Result<u64> {
    let sources = built_in::native()?;
    let source = sources.first().context("no provider is built in")?;
    let mut link = PipeLink::start(&source.command, std::process::Command::spawn)?;
    let cell = Prepare {
        cell: 1,
        provider: source.provider.clone(),
        algorithm: Algorithm::Aes256Gcm,
        operation: Operation::Seal,
        form: Form::InPlace,
        message: 1 << 20,
        aad: 0,
        threads: 1,
        seed: 1,
        offset: 0,
    };
    link.ask(&Request::Prepare(cell), PATIENCE)?;
    link.ask(&Request::Sample { cell: 1, warmup_ns: 0, iterations: 10 }, PATIENCE)?;
    match link.ask(&Request::Memory { reset: false }, PATIENCE)? {
        Reply::Memory(MemoryUse { rss: Some(resident), .. }) => Ok(resident),
        _ => bail!("the worker doesn't tell its memory on this system"),
    }
}
