//! Workers that transfer files, asked for one transfer at a time: this project's own, the study's scheme, and the
//! ceiling.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use ciphermeter_core::{Algorithm, Bytes, Form, Metric, Operation, Rotation};
use ciphermeter_protocol::{Command, Prepare, Reply};

use super::mover::{Found, Mover, PATIENCE, Span, To, Took};
use super::place::Place;
use crate::binary::Ciphermeter;
use crate::worker::Worker;
use crate::workers;

/// The workers available here.
pub fn all(size: Bytes, to: To, ciphermeter: &Ciphermeter) -> Vec<Found<'static>> {
    let suites = Algorithm::USUAL;
    let found = |provider, algorithm, command: Result<Command>| {
        let name = if provider == "ceiling" { "tcp-plain".into() } else { format!("{provider} {algorithm}") };
        let worker = command.and_then(|command| Prepared::new(&command, provider, algorithm, size, to));
        Found::new(&name, Span::Bytes, worker)
    };
    let built_in = |provider| Ok(ciphermeter.worker("transfer", provider));
    let ours = suites.map(|suite| found("ciphermeter", suite, built_in("ciphermeter")));
    let study = suites.map(|suite| found("study", suite, study(ciphermeter)));
    let plain = found("ceiling", Algorithm::TcpPlain, built_in("ceiling"));
    ours.into_iter().chain(study).chain([plain]).collect()
}

fn study(ciphermeter: &Ciphermeter) -> Result<Command> {
    let hosts = |worker: &workers::Foreign| worker.providers.iter().any(|provider| provider == "study");
    let found = workers::built(ciphermeter.workers())?.into_iter().find(hosts);
    let worker = found.context("no built worker hosts it: ciphermeter workers build python")?;
    Ok(worker.command("study"))
}

/// A worker that has its own copy of the file, and its receiver.
struct Prepared(Worker);

impl Prepared {
    fn new(command: &Command, provider: &str, algorithm: Algorithm, size: Bytes, to: To) -> Result<Self> {
        let cell = Prepare {
            cell: 1,
            provider: provider.into(),
            algorithm,
            operation: Operation::Transfer,
            form: if to == To::File { Form::File } else { Form::Discard },
            message: size.0,
            aad: 0,
            threads: 1,
            seed: 1,
            offset: 0,
            key: 32,
            instances: 1,
            rotation: Rotation::NONE,
        };
        Worker::start(command, cell, PATIENCE).map(Self)
    }
}

impl Mover for Prepared {
    fn move_file(&mut self, _: &Place, _: To) -> Result<Took> {
        let Reply::Sample { counted, .. } = self.0.sample(1)? else { bail!("it cannot be sampled") };
        let time = |metric| counted.count(metric).map(Duration::from_nanos);
        Ok(Took { time: time(Metric::NS).unwrap_or_default(), seal: time(Metric::SEAL) })
    }
}
