//! A link carries one request to a worker and returns its reply.
//!
//! The meter knows workers only through this trait, so the method is tested with workers in the same process that have
//! a simulated clock.

use std::collections::BTreeSet;
use std::time::Duration;

use ciphermeter_core::{Algorithm, Form, Operation, Setup, escaped};

use crate::readable::readable;
use crate::reply::escaped_from_worker;
use crate::{Deadline, DeviceFacts, JsonLine, LineError, Reply, Request};

/// The version of PROTOCOL.md that this crate speaks.
pub const VERSION: u64 = 1;

/// The most lines of a worker's `describe`.
const MAX_OFFERS: usize = 1024;

/// Why a worker gave no usable reply. The text describes the worker's side; the caller names the worker and the cell.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// It ended, by itself or by a signal.
    #[error("it ended {how}{}", stderr_suffix(.stderr))]
    Ended {
        /// `with exit code 1`, `by signal 11`, ….
        how: String,
        /// The tail of its standard error.
        stderr: String,
    },
    /// No reply within the time limit.
    #[error("it gave no reply within {:.1} s", .0.as_secs_f64())]
    TimedOut(Duration),
    /// It did not even read the request within the time limit.
    #[error("it did not read the request within {:.1} s", .0.as_secs_f64())]
    Unread(Duration),
    /// The user ended the run.
    #[error("it was still busy when you ended the run")]
    Interrupted,
    /// A line that is not part of the protocol.
    #[error("it answered `{excerpt}`: {error}")]
    BadLine {
        /// What is wrong with the line.
        error: LineError,
        /// The beginning of the line.
        excerpt: String,
    },
    /// A device sends line after line that is not part of the protocol.
    #[error("it sent 1 MiB without an answer, beginning with `{excerpt}`")]
    Chatter {
        /// The beginning.
        excerpt: String,
    },
    /// The line to a device is gone.
    #[error("the line to it is gone: it was unplugged, or its other end closed it")]
    Lost,
    /// It sent something without a request.
    #[error("it sent more than was requested")]
    Unasked,
    /// Of two answers to one request one was right: a serial line has no checksum.
    #[error("of two answers to the same request one was wrong: bits change on its line, or in its memory")]
    Unsteady,
    /// A reply of another kind, or for another cell, or with impossible numbers.
    #[error("{0}")]
    Implausible(String),
    /// An error that the worker itself reported.
    #[error("{0}")]
    Reported(String),
    /// It speaks another version of the protocol.
    #[error("it speaks version {0} of the protocol, this is version {VERSION}: use a worker of the same version")]
    Version(u64),
    /// An error of the operating system.
    #[error("{0}")]
    System(#[from] std::io::Error),
}

fn stderr_suffix(stderr: &str) -> String {
    if stderr.is_empty() { String::new() } else { format!("; the end of its standard error: {stderr}") }
}

/// Carries requests to one worker, one at a time.
pub trait Link {
    /// Sends one line.
    fn send(&mut self, line: &JsonLine, deadline: Deadline) -> Result<(), LinkError>;

    /// Waits for one line.
    fn receive(&mut self, deadline: Deadline) -> Result<JsonLine, LinkError>;

    /// Stops the worker's own threads until `resume`; does nothing where there are none.
    fn pause(&mut self) {}

    /// Lets the worker's threads continue.
    fn resume(&mut self) {}

    /// The worker's process, if it is on this machine.
    fn process(&self) -> Option<u32> {
        None
    }

    /// The number of the other end's life. When it changes, everything that was prepared there is gone.
    fn life(&self) -> u64 {
        0
    }

    /// Sends a request and waits for its reply, both within `patience`; an `error` reply becomes an error.
    fn ask(&mut self, request: &Request, patience: Duration) -> Result<Reply, LinkError> {
        let deadline = Deadline::after(patience);
        self.send(&request.line(), deadline)?;
        let line = self.receive(deadline)?;
        match Reply::read(&line) {
            Ok(Reply::Error(why)) => Err(LinkError::Reported(readable(&why))),
            Ok(reply) => Ok(reply),
            Err(error) => Err(bad_line(&line, error)),
        }
    }
}

/// One provider's implementation of one algorithm, as the worker offers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The library.
    pub provider: String,
    /// The version that runs.
    pub version: String,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Which operations.
    pub operations: BTreeSet<Operation>,
    /// The forms that it really implements.
    pub forms: BTreeSet<Form>,
    /// Code path on this CPU.
    pub path: String,
    /// Whether key set-up is separate.
    pub setup: Setup,
    /// File of a library opened at run time.
    pub library: Option<String>,
    /// Its SHA-256 in hex.
    pub sha256: Option<String>,
}

/// A worker's description of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Describe {
    /// Its name.
    pub worker: String,
    /// Its language's runtime and version.
    pub runtime: String,
    /// Whether its runtime has threads that may run between requests.
    pub background: bool,
    /// Whether its runtime compiles code while it runs.
    pub compiles: bool,
    /// Whether it moves stack, buffers and key where a sample asks for it.
    pub layouts: bool,
    /// Whether it has cells of several texts and keys.
    pub rotates: bool,
    /// Whether `cpu_ns` of a cell of one thread is the CPU time of its whole process.
    pub process_cpu: bool,
    /// What it runs on, and how much that takes at once.
    pub device: DeviceFacts,
    /// What it can measure.
    pub offers: Vec<Offer>,
    /// Providers that it knows but cannot run here, with the reason.
    pub absent: Vec<(String, String)>,
    /// Providers of which known answers came out wrong when the worker asked for them itself, with which.
    pub wrong: Vec<(String, String)>,
}

impl Describe {
    /// Every provider that it knows, sorted: those that it offers, that it cannot run, and that are wrong.
    pub fn providers(self) -> Vec<String> {
        let offered = self.offers.into_iter().map(|offer| offer.provider);
        let others = self.absent.into_iter().chain(self.wrong).map(|(provider, _)| provider);
        offered.chain(others).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// Asks a worker for its description, all of which must come within `patience`.
pub fn describe(link: &mut dyn Link, patience: Duration) -> Result<Describe, LinkError> {
    let deadline = Deadline::after(patience);
    link.send(&Request::Describe.line(), deadline)?;
    let mut described = Describe::default();
    for _ in 0..MAX_OFFERS {
        let line = link.receive(deadline)?;
        match described.take(&line) {
            Ok(true) => {}
            Ok(false) => return Ok(described),
            Err(DescribeError::Version(version)) => return Err(LinkError::Version(version)),
            Err(DescribeError::Reported(why)) => return Err(LinkError::Reported(why)),
            Err(DescribeError::Line(error)) => return Err(bad_line(&line, error)),
        }
    }
    Err(LinkError::Implausible(format!("it described itself in more than {MAX_OFFERS} lines")))
}

enum DescribeError {
    Version(u64),
    Reported(String),
    Line(LineError),
}

impl From<LineError> for DescribeError {
    fn from(error: LineError) -> Self {
        Self::Line(error)
    }
}

impl Describe {
    /// Adds one line to the description; false at the end of the list.
    fn take(&mut self, line: &JsonLine) -> Result<bool, DescribeError> {
        match line.need_text("is")? {
            "worker" => {
                let protocol = line.need_within("protocol", 0..=u64::from(u32::MAX))?;
                if protocol != VERSION {
                    return Err(DescribeError::Version(protocol));
                }
                self.worker = escaped_from_worker(line.need_text("worker")?);
                self.runtime = escaped_from_worker(line.need_text("runtime")?);
                self.background = line.get_integer("background")?.unwrap_or(0) != 0;
                self.compiles = line.get_integer("compiles")?.unwrap_or(0) != 0;
                self.layouts = line.get_integer("layouts")?.unwrap_or(0) != 0;
                self.rotates = line.get_integer("rotates")?.unwrap_or(0) != 0;
                self.process_cpu = line.get_integer("process_cpu")?.unwrap_or(0) != 0;
                self.device = DeviceFacts::read(line)?;
            }
            // A worker may be newer than this harness and know algorithms unknown here.
            "offer" if line.need_word::<Algorithm>("algorithm").is_err() => {
                line.need_text("algorithm")?;
            }
            "offer" => {
                let offer = Offer::read(line)?;
                if !self.offers.iter().any(|known| known.key() == offer.key()) {
                    self.offers.push(offer);
                }
            }
            "absent" => {
                let (provider, why) = (line.need_text("provider")?, line.need_text("why")?);
                let is_wrong = line.get_integer("wrong")?.unwrap_or(0) != 0;
                let list = if is_wrong { &mut self.wrong } else { &mut self.absent };
                list.push((escaped_from_worker(provider), escaped_from_worker(why)));
            }
            "end" if self.worker.is_empty() => return Err(LineError::Missing("worker").into()),
            "end" => return Ok(false),
            "error" => return Err(DescribeError::Reported(escaped_from_worker(line.need_text("why")?))),
            _ => return Err(LineError::Wrong { key: "is", must: "worker, offer, absent or end".into() }.into()),
        }
        Ok(true)
    }

    /// The list of lines of this description.
    pub fn lines(&self) -> Vec<JsonLine> {
        let head = JsonLine::new("is", "worker")
            .integer("protocol", VERSION)
            .text("worker", &self.worker)
            .text("runtime", &self.runtime)
            .integer("background", self.background.into())
            .integer("compiles", self.compiles.into());
        // Older harnesses ignore these, and older workers lack them.
        let head = if self.layouts { head.integer("layouts", 1) } else { head };
        let head = if self.rotates { head.integer("rotates", 1) } else { head };
        let head = if self.process_cpu { head.integer("process_cpu", 1) } else { head };
        let absent = |(provider, why): &(String, String)| {
            JsonLine::new("is", "absent").text("provider", provider).text("why", why)
        };
        std::iter::once(self.device.put(head))
            .chain(self.offers.iter().map(Offer::line))
            .chain(self.absent.iter().map(absent))
            .chain(self.wrong.iter().map(|wrong| absent(wrong).integer("wrong", 1)))
            .chain(std::iter::once(JsonLine::new("is", "end")))
            .collect()
    }
}

impl Offer {
    /// What one offer has alone: that of transfers stands beside another one of the same algorithm.
    fn key(&self) -> (&str, Algorithm, bool) {
        (&self.provider, self.algorithm, self.operations.contains(&Operation::Transfer))
    }

    fn read(line: &JsonLine) -> Result<Self, LineError> {
        let optional = |key| line.get_text(key).map(|text| text.map(escaped_from_worker));
        Ok(Self {
            provider: provider_name(line)?,
            version: escaped_from_worker(line.need_text("version")?),
            algorithm: line.need_word("algorithm")?,
            operations: words(line, "operations")?,
            forms: words(line, "forms")?,
            path: escaped_from_worker(line.need_text("path")?),
            setup: line.get_text("setup")?.map_or(Ok(Setup::Outside), |_| line.need_word("setup"))?,
            library: optional("library")?,
            sha256: optional("sha256")?,
        })
    }

    fn line(&self) -> JsonLine {
        let list = |words: Vec<&str>| words.join(",");
        let line = JsonLine::new("is", "offer")
            .text("provider", &self.provider)
            .text("version", &self.version)
            .text("algorithm", self.algorithm.as_str())
            .text("operations", list(self.operations.iter().map(|word| word.as_str()).collect()))
            .text("forms", list(self.forms.iter().map(|word| word.as_str()).collect()))
            .text("path", &self.path)
            .text("setup", self.setup.as_str());
        let line = self.library.iter().fold(line, |line, library| line.text("library", library));
        self.sha256.iter().fold(line, |line, sha256| line.text("sha256", sha256))
    }
}

/// A provider's name is used in tables, file names and arguments.
fn provider_name(line: &JsonLine) -> Result<String, LineError> {
    let name = line.need_text("provider")?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.@+".contains(c);
    if name.is_empty() || name.len() > 40 || !name.chars().all(plain) {
        let must = "at most 40 letters, digits and `-_.@+`".into();
        return Err(LineError::Wrong { key: "provider", must });
    }
    Ok(name.into())
}

/// Comma-separated words; words unknown to this harness are ignored.
fn words<W: std::str::FromStr + Ord>(line: &JsonLine, key: &'static str) -> Result<BTreeSet<W>, LineError> {
    Ok(line.need_text(key)?.split(',').filter_map(|word| word.trim().parse().ok()).collect())
}

fn bad_line(line: &JsonLine, error: LineError) -> LinkError {
    LinkError::BadLine { error, excerpt: excerpt(line.write().trim_end().as_bytes()) }
}

/// The beginning of a worker's output, fit for one line of an error message.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    let text = escaped(&String::from_utf8_lossy(&bytes[..bytes.len().min(240)]));
    if text.chars().count() <= 60 { text } else { text.chars().take(60).chain("…".chars()).collect() }
}
