//! A worker that a user names by its command (`--worker`, `--against`): started once, to ask which providers it hosts.
//!
//! It is a program to run, so it is only ever taken from the command line or from the user's own configuration.

use std::path::PathBuf;
use std::process;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use ciphermeter_core::{Scenario, escaped, quoted_path};
use ciphermeter_protocol::{Command, PipeLink, describe};

/// A worker that answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnWorker {
    /// Its name.
    pub name: String,
    /// Its providers.
    pub providers: Vec<String>,
    /// How to start it.
    pub command: Command,
}

impl OwnWorker {
    /// Adds its providers to those that a scenario measures.
    pub fn join(self, scenario: &mut Scenario) {
        for block in scenario.cells.iter_mut().filter(|block| !block.providers.is_empty()) {
            let new = self.providers.iter().filter(|name| !block.providers.contains(name)).cloned();
            block.providers.extend(new.collect::<Vec<_>>());
        }
    }
}

/// The worker of `--worker`: its command is split into words as a shell does. It has so long to describe itself.
pub fn read(text: &str, patience: Duration) -> Result<OwnWorker> {
    named(text, patience).with_context(|| format!("--worker `{}`", escaped(text)))
}

fn named(text: &str, patience: Duration) -> Result<OwnWorker> {
    let words = shlex::split(text).filter(|words| !words.is_empty());
    let Some((program, arguments)) = words.and_then(|words| Some((words.first()?.clone(), words[1..].to_vec()))) else {
        bail!("it names nothing; give a worker command");
    };
    ask(command(program.into(), arguments), patience)
}

/// A command that runs in the current folder.
pub fn command(program: PathBuf, arguments: Vec<String>) -> Command {
    Command { program, arguments, folder: None, environment: Vec::new() }
}

/// Asks a worker to describe itself within that time.
pub fn ask(command: Command, patience: Duration) -> Result<OwnWorker> {
    let shown = quoted_path(&command.program);
    let link = PipeLink::start(&command, process::Command::spawn);
    let mut link = link.with_context(|| format!("{shown} did not start; give a worker command"))?;
    let described = describe(&mut link, patience)
        .with_context(|| format!("{shown} is not a worker: it did not describe itself; PROTOCOL.md defines how"))?;
    let mut providers: Vec<String> = described.offers.into_iter().map(|offer| offer.provider).collect();
    providers.extend(described.absent.into_iter().chain(described.wrong).map(|(provider, _)| provider));
    providers.sort();
    providers.dedup();
    if providers.is_empty() {
        bail!("{shown} offers no provider");
    }
    Ok(OwnWorker { name: described.worker, providers, command })
}
