//! A worker that a user names by its command (`--worker`, `--against`): started once, to ask which providers it hosts.
//!
//! It is a program to run, so it is only ever taken from the command line or from the user's own configuration.

use std::process;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use ciphermeter_core::{Scenario, escaped, quoted_path};
use ciphermeter_protocol::{Command, PipeLink, describe};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnWorker {
    pub name: String,
    pub providers: Vec<String>,
    pub command: Command,
}

impl OwnWorker {
    pub fn join(self, scenario: &mut Scenario) {
        for block in scenario.cells.iter_mut().filter(|block| !block.providers.is_empty()) {
            let new = self.providers.iter().filter(|name| !block.providers.contains(name)).cloned();
            block.providers.extend(new.collect::<Vec<_>>());
        }
    }
}

/// The worker of `--worker`: its command is split into words as a shell does. It has so long to describe itself.
pub fn read(text: &str, patience: Duration) -> Result<OwnWorker> {
    let command = command(text).context("it names nothing; give a worker command");
    let asked = command.and_then(|command| ask(command, patience, "give a worker command"));
    asked.with_context(|| format!("--worker `{}`", escaped(text)))
}

/// The command that a text holds, split into words as a shell does.
pub fn command(text: &str) -> Option<Command> {
    let mut words = shlex::split(text)?.into_iter();
    Some(Command::new(words.next()?.into(), words.collect()))
}

/// Asks a worker to describe itself within that time; `give` says what to name in place of what does not start.
pub fn ask(command: Command, patience: Duration, give: &str) -> Result<OwnWorker> {
    let shown = quoted_path(&command.program);
    let link = PipeLink::start(&command, process::Command::spawn);
    let mut link = link.map_err(|error| anyhow!("{shown} did not start: {error}; {give}"))?;
    let described = describe(&mut link, patience).map_err(|error| {
        anyhow!("{shown} is not a worker: it did not describe itself: {error}; PROTOCOL.md defines how")
    })?;
    let (name, providers) = (described.worker.clone(), described.providers());
    if providers.is_empty() {
        bail!("{shown} offers no provider");
    }
    Ok(OwnWorker { name, providers, command })
}
