//! The receiving process of a cell, and the worker's hold on it.
//!
//! The worker says `open PROVIDER ALGORITHM` once, then `discard` or `file` for each transfer, which is answered by an address and, after
//! it, by what was seen of it; `hash` is answered by the SHA-256 of the file that the last transfer left. Where that file lies is this
//! process's own affair: who gives orders may be another machine.

use std::fs;
use std::io::{self, BufReader};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use ciphermeter_core::quoted;
use serde::{Deserialize, Serialize};

use super::folder::{Folder, hash};
use super::monitor::{Course, Monitor};
use super::movers::{Mover, mover};
use super::steady::Look;
use super::talk::{Pipes, Talk};
use crate::Error;

/// What the receiving process saw of a transfer.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Seen {
    /// Why it failed, if it did.
    pub(super) failed: Option<String>,
    pub(super) open_ns: Option<u64>,
    pub(super) cpu_ns: Option<u64>,
    pub(super) course: Course,
}

/// Takes orders until there are no more, listening for transfers on that address.
pub(super) fn serve(talk: &mut dyn Talk, at: IpAddr) -> io::Result<()> {
    let mut open: Option<(Box<dyn Mover>, Folder)> = None;
    while let Some(order) = talk.hear()? {
        match (order.as_str(), &open) {
            ("discard", Some((mover, _))) => receive(talk, &**mover, at, None)?,
            ("file", Some((mover, folder))) => receive(talk, &**mover, at, Some(&folder.received()))?,
            ("hash", Some((_, folder))) => match hash(&folder.received()) {
                Ok(hash) => talk.say(&format!("hash {}", hex::encode(hash)))?,
                Err(error) => talk.say(&format!("failed what was received can't be read ({error})"))?,
            },
            _ => match begun(&order) {
                Ok(begun) => {
                    open = Some(begun);
                    talk.say("open")?;
                }
                Err(why) => talk.say(&format!("failed {why}"))?,
            },
        }
    }
    Ok(())
}

fn begun(order: &str) -> Result<(Box<dyn Mover>, Folder), String> {
    let words: Vec<_> = order.split(' ').collect();
    let ["open", provider, algorithm] = words[..] else { return Err("this is no order".into()) };
    let algorithm = algorithm.parse().map_err(|error| format!("{error}"))?;
    let mover = mover(provider, algorithm).map_err(|error| error.to_string())?;
    Ok((mover, Folder::new().map_err(|error| error.to_string())?))
}

fn receive(talk: &mut dyn Talk, mover: &dyn Mover, at: IpAddr, into: Option<&Path>) -> io::Result<()> {
    if let Some(into) = into {
        clear(into)?;
    }
    match mover.listen(at, into) {
        Err(error) => talk.say(&format!("failed {error}")),
        Ok((address, receiving)) => {
            talk.say(&format!("at {address}"))?;
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
            talk.say(&serde_json::to_string(&seen)?)
        }
    }
}

/// The last transfer's file goes before the next one comes: nothing is ever overwritten.
fn clear(into: &Path) -> io::Result<()> {
    match fs::remove_file(into) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The worker's hold on a receiving process.
pub(super) struct Peer {
    talk: Option<Box<dyn Talk>>,
    child: Option<Child>,
}

impl Peer {
    /// One on this machine; its temporary files lie in that folder. It ends with its standard input, and is ended if it doesn't.
    pub(super) fn start(mut command: Command, folder: &Path) -> Result<Self, Error> {
        let failed = |error: io::Error| Error::file(format!("the receiving process can't be started ({error})"));
        command.env("TMPDIR", folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let talk = child.stdin.take().zip(child.stdout.take()).map(|(to, from)| {
            let talk: Box<dyn Talk> = Box::new(Pipes { from: BufReader::new(from), to });
            talk
        });
        Ok(Self { talk, child: Some(child) })
    }

    /// One on another machine.
    pub(super) fn far(talk: Box<dyn Talk>) -> Self {
        Self { talk: Some(talk), child: None }
    }

    /// Tells it what moves the files.
    pub(super) fn open(&mut self, provider: &str, algorithm: ciphermeter_core::Algorithm) -> Result<(), Error> {
        match self.ask(&format!("open {provider} {algorithm}"))?.as_str() {
            "open" => Ok(()),
            other => Err(says(other)),
        }
    }

    /// Has it listen; returns where.
    pub(super) fn order(&mut self, keep: bool) -> Result<String, Error> {
        let answer = self.ask(if keep { "file" } else { "discard" })?;
        answer.strip_prefix("at ").map(str::to_owned).ok_or_else(|| says(&answer))
    }

    /// How far it is, of one that serves [`super::steady`].
    pub(super) fn look(&mut self) -> Result<Look, Error> {
        let answer = self.ask("look")?;
        serde_json::from_str(&answer).map_err(|_| says(&answer))
    }

    /// What it saw of the transfer.
    pub(super) fn seen(&mut self) -> Result<Seen, Error> {
        let answer = self.hear()?;
        let seen: Seen = serde_json::from_str(&answer).map_err(|_| says(&answer))?;
        match seen.failed {
            Some(why) => Err(Error::file(format!("receiving failed: {}", quoted(&why)))),
            None => Ok(seen),
        }
    }

    /// The SHA-256 of the file that it received last.
    pub(super) fn hash(&mut self) -> Result<[u8; 32], Error> {
        let answer = self.ask("hash")?;
        let mut hash = [0; 32];
        let digits = answer.strip_prefix("hash ").ok_or_else(|| says(&answer))?;
        hex::decode_to_slice(digits, &mut hash).map_err(|_| says(&answer))?;
        Ok(hash)
    }

    fn ask(&mut self, order: &str) -> Result<String, Error> {
        if let Some(talk) = &mut self.talk {
            talk.say(order).map_err(gone)?;
        }
        self.hear()
    }

    fn hear(&mut self) -> Result<String, Error> {
        let talk = self.talk.as_mut().ok_or_else(|| gone(io::ErrorKind::NotConnected.into()))?;
        talk.hear().map_err(gone)?.ok_or_else(|| gone(io::ErrorKind::UnexpectedEof.into()))
    }
}

fn says(answer: &str) -> Error {
    Error::file(format!("the receiving process says: {}", quoted(answer)))
}

fn gone(why: io::Error) -> Error {
    Error::lost("talking to the receiving process", why)
}

impl Peer {
    /// Ends it.
    pub(super) fn end(&mut self) {
        drop(self.talk.take());
        if let Some(child) = &mut self.child {
            // One that waits for a connection that never comes doesn't see that its input has ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Folder {
    fn received(&self) -> PathBuf {
        self.path().join("message")
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.end();
    }
}
