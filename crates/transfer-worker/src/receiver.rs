//! The worker's handle on a receiving process; the module `receiving` describes what that process does.

use std::io::{self, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use ciphermeter_core::{Algorithm, quoted};

use crate::error::Error;
use crate::lines::{Lines, Pipes};
use crate::outcome::Outcome;

/// The worker's handle on a receiving process.
pub(crate) struct ReceiverProcess {
    lines: Option<Box<dyn Lines>>,
    child: Option<Child>,
}

impl ReceiverProcess {
    /// A process on this machine; its temporary files lie in `folder`. It ends with its standard input, and is killed
    /// if it does not.
    pub(crate) fn start(mut command: Command, folder: &Path) -> Result<Self, Error> {
        let failed = |error: io::Error| Error::local(format!("cannot start the receiving process: {error}"));
        command.env("TMPDIR", folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let lines = child.stdin.take().zip(child.stdout.take()).map(|(to, from)| {
            let lines: Box<dyn Lines> = Box::new(Pipes { from: BufReader::new(from), to });
            lines
        });
        Ok(Self { lines, child: Some(child) })
    }

    /// A process on another machine.
    pub(crate) fn connected(lines: Box<dyn Lines>) -> Self {
        Self { lines: Some(lines), child: None }
    }

    /// Selects the provider that transfers the files.
    pub(crate) fn open(&mut self, provider: &str, algorithm: Algorithm) -> Result<(), Error> {
        match self.send_order(&format!("open {provider} {algorithm}"))?.as_str() {
            "open" => Ok(()),
            other => Err(unexpected_answer(other)),
        }
    }

    /// Makes the process listen; returns the address.
    pub(crate) fn listen(&mut self, keep: bool) -> Result<String, Error> {
        let answer = self.send_order(if keep { "file" } else { "discard" })?;
        answer.strip_prefix("at ").map(str::to_owned).ok_or_else(|| unexpected_answer(&answer))
    }

    /// What it saw of the transfer.
    pub(crate) fn outcome(&mut self) -> Result<Outcome, Error> {
        let answer = self.read_answer()?;
        let outcome: Outcome = serde_json::from_str(&answer).map_err(|_| unexpected_answer(&answer))?;
        match outcome.failed {
            Some(why) => Err(Error::local(format!("receiving failed: {}", quoted(&why)))),
            None => Ok(outcome),
        }
    }

    /// The SHA-256 of the file that it received last.
    pub(crate) fn hash(&mut self) -> Result<[u8; 32], Error> {
        let answer = self.send_order("hash")?;
        let mut hash = [0; 32];
        let digits = answer.strip_prefix("hash ").ok_or_else(|| unexpected_answer(&answer))?;
        hex::decode_to_slice(digits, &mut hash).map_err(|_| unexpected_answer(&answer))?;
        Ok(hash)
    }

    /// Ends it.
    pub(crate) fn end(&mut self) {
        drop(self.lines.take());
        if let Some(child) = &mut self.child {
            // A process that waits for a connection that never comes does not notice the end of its input.
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    fn send_order(&mut self, order: &str) -> Result<String, Error> {
        if let Some(lines) = &mut self.lines {
            lines.write_line(order).map_err(connection_lost)?;
        }
        self.read_answer()
    }

    fn read_answer(&mut self) -> Result<String, Error> {
        let lines = self.lines.as_mut().ok_or_else(|| connection_lost(io::ErrorKind::NotConnected.into()))?;
        lines.read_line().map_err(connection_lost)?.ok_or_else(|| connection_lost(io::ErrorKind::UnexpectedEof.into()))
    }
}

fn unexpected_answer(answer: &str) -> Error {
    Error::local(format!("the receiving process reports: {}", quoted(answer)))
}

fn connection_lost(why: io::Error) -> Error {
    Error::lost("talking to the receiving process", why)
}

impl Drop for ReceiverProcess {
    fn drop(&mut self) {
        self.end();
    }
}
