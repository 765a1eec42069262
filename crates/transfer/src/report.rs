//! The result of a transfer, for the summary and for the benchmark.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use crate::message::Skipped;
use crate::rates::Rate;
use crate::spent::Spent;
use crate::suite::Suite;

/// The result of a transfer, as this end saw it.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Files that are in place, or that a discarding receiver received completely.
    pub files: u32,
    /// Bytes of these files' contents on the wire, in the last attempt.
    pub bytes: u64,
    /// Bytes of them that earlier attempts had moved.
    pub before: u64,
    /// Bytes of their holes, which were never on the wire.
    pub holes: u64,
    /// The suite that sealed them.
    pub suite: Suite,
    /// The reason for that suite: at a sender, in the words of the other end, shown as a [`crate::Sentence`].
    pub why: String,
    /// Data connections.
    pub streams: u16,
    /// The attempt that succeeded, from 1.
    pub attempt: u32,
    /// The key exchange and the cipher suite of the control channel, by their names in the TLS registry.
    pub agreed: String,
    /// The folder that the names went into; `None` at the sender, and where everything is discarded.
    pub into: Option<PathBuf>,
    /// The sender's rates.
    pub sender_rates: Vec<Rate>,
    /// The receiver's rates.
    pub receiver_rates: Vec<Rate>,
    /// From the connect (on the receiving end: from the sender's hello) until data may flow.
    pub handshake: Duration,
    /// From there to the receipt that all was authentic.
    pub authenticated: Duration,
    /// From there to the receipt that all is on disk under its name; with `discarded`, that all was discarded.
    pub durable: Duration,
    /// Where the time of this end's data connections went.
    pub spent: Spent,
    /// And that of the other end's, if it says so.
    pub spent_there: Option<Spent>,
    /// CPU time of this process while data flowed, until the receipt that all was authentic; `None` where the system
    /// does not report it.
    pub cpu: Option<Duration>,
    /// Files that were not received, and why.
    pub failed: Vec<FailedFile>,
    /// Files that the receiver did not want, and why.
    pub skipped: Vec<SkippedFile>,
    /// Whether it was a stream: the sender piped it.
    pub stream: bool,
    /// Whether the receiver discarded it.
    pub discarded: bool,
    /// Whether the receiver wrote it to a pipe. `durable` then means that all was handed to the pipe.
    pub piped: bool,
    /// Entries that the sender could not send and did not offer.
    pub left_out: u32,
    /// The names at the top of all that was accepted; empty at the sender.
    pub tops: BTreeSet<String>,
}

/// A file that the receiver did not want.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedFile {
    /// Its name in the offer.
    pub name: String,
    /// Why.
    pub why: Skipped,
}

/// A file that was not received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedFile {
    /// Its name in the offer.
    pub name: String,
    /// The reason, for this end's user.
    pub why: String,
    /// Whether the other end hears of it, too.
    pub is_told: bool,
}
