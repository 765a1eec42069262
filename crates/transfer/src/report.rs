//! What a transfer came to, for the summary and for the benchmark.

use std::path::PathBuf;
use std::time::Duration;

use crate::rates::Rate;
use crate::suite::Suite;

/// What a transfer came to, as this end saw it.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Files that are in place, or that the discarding receiver had whole.
    pub files: u32,
    /// Bytes that went over the wire as files' contents, in the last attempt.
    pub bytes: u64,
    /// What sealed them.
    pub suite: Suite,
    /// Why that suite.
    pub why: String,
    /// Data connections.
    pub streams: u16,
    /// The attempt that succeeded, from 1.
    pub attempt: u32,
    /// The key exchange and the cipher suite of the control channel, by their names in the registry of TLS.
    pub agreed: String,
    /// The folder that the names went into; `None` at the sender, and where everything is thrown away.
    pub into: Option<PathBuf>,
    /// What the sender measured.
    pub sender_rates: Vec<Rate>,
    /// What the receiver measured.
    pub receiver_rates: Vec<Rate>,
    /// From the connect to the moment when data might flow; on the receiving end from the greeting.
    pub handshake: Duration,
    /// From there to the receipt that all was authentic.
    pub authenticated: Duration,
    /// From there to the receipt that all is on disk under its name.
    pub durable: Duration,
    /// Time inside the cipher's calls, over all data connections.
    pub cipher: Duration,
    /// CPU time of this process while data flowed, until the receipt that all was authentic; `None` where the system doesn't tell.
    pub cpu: Option<Duration>,
    /// Files that didn't come through, and why.
    pub failed: Vec<Failed>,
}

/// A file that didn't come through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    /// Its name in the offer.
    pub name: String,
    /// Why, for this end's person.
    pub why: String,
}
