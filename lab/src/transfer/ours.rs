//! `recv` and `send` as a user starts them.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use ciphermeter_protocol::JsonLine;

use super::mover::{Mover, To, Took};
use super::place::Place;
use crate::binary::Ciphermeter;

/// With one suite.
pub struct Ours<'a> {
    ciphermeter: &'a Ciphermeter,
    suite: &'static str,
}

/// Both ends' reports of a transfer.
pub struct Moved {
    /// From the start of the sending process to its end: all bytes are on the disk then.
    pub until_durable: Duration,
    /// From the start of the sending process to the receipt.
    pub until_authentic: Duration,
    pub handshake: Duration,
    pub authentic: Duration,
    pub durable: Duration,
    /// The sender's peak, in bytes, and the receiver's.
    pub memory: Option<u64>,
    pub peer_memory: Option<u64>,
}

impl<'a> Ours<'a> {
    pub fn new(ciphermeter: &'a Ciphermeter, suite: &'static str) -> Self {
        Self { ciphermeter, suite }
    }

    /// Transfers a file or folder.
    pub fn move_this(&self, place: &Place, file: &Path, to: To) -> Result<Moved> {
        let mut receiver = self.receiver(place, to)?;
        let mut output = BufReader::new(receiver.stdout.take().context("no output")?);
        let mut ticket = String::new();
        output.read_line(&mut ticket)?;
        let mut sender = self.ciphermeter.command();
        sender.args(["send", "--quiet", "--json"]).arg(file).arg(ticket.trim());
        let began = Instant::now();
        let sender = sender.output()?;
        let took = began.elapsed();
        let mut received = String::new();
        output.read_to_string(&mut received)?;
        receiver.wait()?;
        if !sender.status.success() {
            bail!("sending failed: {}", String::from_utf8_lossy(&sender.stderr).trim());
        }
        let sent = JsonLine::parse(sender.stdout.trim_ascii())?;
        let received = JsonLine::parse(received.trim().as_bytes())?;
        let time = |key| Ok::<_, anyhow::Error>(Duration::from_nanos(sent.get_integer(key)?.unwrap_or(0)));
        let (authentic, durable) = (time("authenticated_ns")?, time("durable_ns")?);
        Ok(Moved {
            until_durable: took,
            until_authentic: took.saturating_sub(durable.saturating_sub(authentic)),
            handshake: time("handshake_ns")?,
            authentic,
            durable,
            memory: sent.get_integer("peak_rss")?,
            peer_memory: received.get_integer("peak_rss")?,
        })
    }

    fn receiver(&self, place: &Place, to: To) -> Result<Child> {
        let mut command = self.ciphermeter.command();
        command.args(["recv", "--yes", "--quiet", "--json", "--cipher", self.suite]);
        match to {
            To::Nowhere => command.arg("--discard"),
            To::File => command.arg("--into").arg(place.into()),
        };
        Ok(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?)
    }
}

impl Mover for Ours<'_> {
    fn move_file(&mut self, place: &Place, to: To) -> Result<Took> {
        Ok(self.move_this(place, &place.file, to)?.until_authentic.into())
    }
}
