//! One worker with one cell, asked directly as PROTOCOL.md says: for what no run of the binary tells.

use std::path::PathBuf;
use std::process;
use std::time::Duration;

use anyhow::{Result, bail};
use ciphermeter_protocol::{Command, Link, PipeLink, Prepare, Reply, Request};

/// How a worker is started that runs in the current folder.
pub fn command(program: PathBuf, arguments: Vec<String>) -> Command {
    Command { program, arguments, folder: None, environment: Vec::new() }
}

/// A process whose one cell is prepared.
pub struct Worker {
    link: PipeLink,
    cell: u64,
    patience: Duration,
}

impl Worker {
    /// Starts it and prepares the cell; `patience` is how long it may take for any answer.
    pub fn start(command: &Command, cell: Prepare, patience: Duration) -> Result<Self> {
        let link = PipeLink::start(command, process::Command::spawn)?;
        let mut worker = Self { link, cell: cell.cell, patience };
        match worker.ask(&Request::Prepare(cell))? {
            Reply::Ready { .. } => Ok(worker),
            other => bail!("it can't be prepared: {other:?}"),
        }
    }

    /// A sample of so many iterations.
    pub fn sample(&mut self, iterations: u64) -> Result<Reply> {
        let reply = self.ask(&Request::Sample { cell: self.cell, warmup_ns: 0, iterations })?;
        match reply {
            Reply::Sample { .. } => Ok(reply),
            other => bail!("it can't be sampled: {other:?}"),
        }
    }

    /// Any request.
    pub fn ask(&mut self, request: &Request) -> Result<Reply> {
        Ok(self.link.ask(request, self.patience)?)
    }
}
