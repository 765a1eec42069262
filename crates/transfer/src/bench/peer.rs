//! The receiving process of a cell, and the worker's hold on it.
//!
//! Between the two there are lines on the child's standard input and output: an order (`-`, or the file to receive into), an
//! address, and after the transfer what the child saw of it.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::{Deserialize, Serialize};

use super::monitor::{Course, Monitor};
use super::movers::Mover;
use super::steady::Look;
use crate::Error;

/// A line between the two is at most this long.
const MAX_LINE: u64 = 64 * 1024;

/// What the receiving process saw of a transfer.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Seen {
    /// Why it failed, if it did.
    pub(super) failed: Option<String>,
    pub(super) open_ns: Option<u64>,
    pub(super) cpu_ns: Option<u64>,
    pub(super) course: Course,
}

/// Takes orders until there are no more.
pub(super) fn serve(mover: &dyn Mover, mut orders: impl BufRead, mut answers: impl Write) -> io::Result<()> {
    while let Some(order) = line(&mut orders)? {
        let into = (order != "-").then(|| Path::new(&order));
        match mover.listen(into) {
            Err(error) => writeln!(answers, "failed {error}")?,
            Ok((address, receiving)) => {
                writeln!(answers, "at {address}")?;
                answers.flush()?;
                let monitor = Monitor::start();
                let received = receiving();
                let mut seen = Seen { course: monitor.stop(), ..Seen::default() };
                match received {
                    Ok(received) => {
                        seen.open_ns = received.open.map(|time| time.as_nanos() as u64);
                        seen.cpu_ns = received.cpu.map(|time| time.as_nanos() as u64);
                    }
                    Err(error) => seen.failed = Some(error.to_string()),
                }
                writeln!(answers, "{}", serde_json::to_string(&seen)?)?;
            }
        }
        answers.flush()?;
    }
    Ok(())
}

pub(super) fn line(from: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut text = String::new();
    let read = from.take(MAX_LINE).read_line(&mut text)?;
    Ok((read > 0).then(|| text.trim_end_matches('\n').to_owned()))
}

/// A receiving process. It ends with its standard input, and is ended if it doesn't.
pub(super) struct Peer {
    child: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    pub(super) fn start(mut command: Command) -> Result<Self, Error> {
        let failed = |error: io::Error| Error::File(format!("the receiving process can't be started ({error})"));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(failed)?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(orders), Some(answers)) => Ok(Self { child, orders: Some(orders), answers: BufReader::new(answers) }),
            _ => Err(Error::File("the receiving process has no pipes".into())),
        }
    }

    /// Has it listen; returns where.
    pub(super) fn order(&mut self, into: Option<&Path>) -> Result<String, Error> {
        let order = into.map_or("-".into(), |path| path.display().to_string());
        if let Some(orders) = &mut self.orders {
            writeln!(orders, "{order}").and_then(|()| orders.flush()).map_err(gone)?;
        }
        let answer = self.answer()?;
        match answer.split_once(' ') {
            Some(("at", address)) => Ok(address.to_owned()),
            _ => Err(Error::File(format!("the receiving process says: {answer}"))),
        }
    }

    /// How far it is, of one that serves [`super::steady`].
    pub(super) fn look(&mut self) -> Result<Look, Error> {
        if let Some(orders) = &mut self.orders {
            writeln!(orders, "look").and_then(|()| orders.flush()).map_err(gone)?;
        }
        let answer = self.answer()?;
        serde_json::from_str(&answer).map_err(|_| Error::File("the receiving process babbles".into()))
    }

    /// What it saw of the transfer.
    pub(super) fn seen(&mut self) -> Result<Seen, Error> {
        let answer = self.answer()?;
        let seen: Seen =
            serde_json::from_str(&answer).map_err(|_| Error::File("the receiving process babbles".into()))?;
        match seen.failed {
            Some(why) => Err(Error::File(format!("receiving failed: {why}"))),
            None => Ok(seen),
        }
    }

    fn answer(&mut self) -> Result<String, Error> {
        line(&mut self.answers).map_err(gone)?.ok_or_else(|| gone(io::ErrorKind::UnexpectedEof.into()))
    }
}

fn gone(why: io::Error) -> Error {
    Error::lost("talking to the receiving process", why)
}

impl Peer {
    /// Ends it.
    pub(super) fn end(&mut self) {
        drop(self.orders.take());
        // One that waits for a connection that never comes doesn't see that.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.end();
    }
}
