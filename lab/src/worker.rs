//! One worker with one cell, used directly as PROTOCOL.md defines: for figures that no run of the binary contains.

use std::path::PathBuf;
use std::process;
use std::time::Duration;

use anyhow::{Result, bail};
use ciphermeter_protocol::{Command, Link, PipeLink, Prepare, Reply, Request};

/// The command of a worker that runs in the current folder.
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
            other => bail!(
                "the worker did not prepare the cell, but answered `{}`; `ciphermeter workers check` says more",
                other.line().write()
            ),
        }
    }

    /// A sample of that many iterations.
    pub fn sample(&mut self, iterations: u64) -> Result<Reply> {
        let reply = self.ask(&Request::Sample { cell: self.cell, warmup_ns: 0, iterations, layout: None })?;
        match reply {
            Reply::Sample { .. } => Ok(reply),
            other => bail!(
                "the worker gave no sample, but answered `{}`; `ciphermeter workers check` says more",
                other.line().write()
            ),
        }
    }

    /// Any request.
    pub fn ask(&mut self, request: &Request) -> Result<Reply> {
        Ok(self.link.ask(request, self.patience)?)
    }
}
