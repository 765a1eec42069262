//! Workers that move files, asked for one transfer at a time: this project's own, the study's scheme, and the ceiling.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use ciphermeter_core::{Algorithm, Bytes, Form, Metric, Operation};
use ciphermeter_protocol::{Command, Link, PipeLink, Prepare, Reply, Request};

use super::place::Place;
use super::{Found, Mover, PATIENCE, Span, To, Took};
use crate::args::WorkersOption;
use crate::workers::Foreign;
use crate::{transfer, workers};

/// Those that are here.
pub fn all(size: Bytes, to: To, option: &WorkersOption) -> Vec<Found> {
    let suites = [Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305];
    let found = |provider, algorithm, command: Result<Command>| {
        let name = if provider == "ceiling" { "tcp-plain".into() } else { format!("{provider} {algorithm}") };
        let worker = command.and_then(|command| Prepared::new(&command, provider, algorithm, size, to));
        Found::new(&name, Span::Bytes, worker)
    };
    let ours = suites.map(|suite| found("ciphermeter", suite, built_in("ciphermeter")));
    let study = suites.map(|suite| found("study", suite, study(option)));
    let plain = found("ceiling", Algorithm::TcpPlain, built_in("ceiling"));
    ours.into_iter().chain(study).chain([plain]).collect()
}

fn built_in(provider: &str) -> Result<Command> {
    let sources = transfer::worker::sources(None)?;
    let found = sources.into_iter().find(|source| source.provider == provider);
    Ok(found.context("this binary has no such worker")?.command)
}

fn study(option: &WorkersOption) -> Result<Command> {
    let hosts = |worker: &Foreign| worker.providers().iter().any(|provider| provider == "study");
    let found = workers::find(option)?.into_iter().find(hosts).context("no worker that is here hosts it")?;
    if !found.is_built() {
        bail!("its worker is not built: ciphermeter workers build {}", found.name());
    }
    Ok(found.command("study"))
}

/// A worker that has its own copy of as many bytes, and its receiver.
struct Prepared {
    link: PipeLink,
}

impl Prepared {
    fn new(command: &Command, provider: &str, algorithm: Algorithm, size: Bytes, to: To) -> Result<Self> {
        let mut link = PipeLink::start(command, std::process::Command::spawn)?;
        let prepare = Prepare {
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
        };
        match link.ask(&Request::Prepare(prepare), PATIENCE)? {
            Reply::Ready { .. } => Ok(Self { link }),
            other => bail!("it can't be prepared: {other:?}"),
        }
    }
}

impl Mover for Prepared {
    fn move_file(&mut self, _: &Place, _: To) -> Result<Took> {
        match self.link.ask(&Request::Sample { cell: 1, warmup_ns: 0, iterations: 1 }, PATIENCE)? {
            Reply::Sample { counted, .. } => {
                let time = |metric| counted.count(metric).map(Duration::from_nanos);
                Ok(Took { time: time(Metric::Ns).unwrap_or_default(), seal: time(Metric::Seal) })
            }
            other => bail!("it can't be sampled: {other:?}"),
        }
    }
}
