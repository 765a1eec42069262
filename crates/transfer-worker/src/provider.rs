//! What moves a file: both ends of one provider with one algorithm, and what each end measures.

use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use ciphermeter_transfer::SourceFile;

use crate::error::Error;

/// Both ends of a provider.
pub(crate) trait Provider {
    /// Makes one end ready to receive one file at an address of this machine: into that file, or nowhere. Returns where the sender
    /// finds it, in one line, and what is to be called next.
    fn listen(&self, at: IpAddr, into: Option<&Path>) -> Result<(String, Receiving), Error>;

    /// Sends a file there.
    fn send(&self, file: &SourceFile, address: &str) -> Result<Sent, Error>;
}

/// Receives what comes, in the calling thread.
pub(crate) type Receiving = Box<dyn FnOnce() -> Result<Received, Error>>;

/// What the sender saw of a transfer.
#[derive(Debug, Default)]
pub(crate) struct Sent {
    /// From the connect to the moment when data might flow.
    pub(crate) handshake: Duration,
    /// From there to the receipt that all was authentic.
    pub(crate) authenticated: Duration,
    /// From there to the receipt that all is on disk.
    pub(crate) durable: Option<Duration>,
    /// Inside the cipher's calls, where they are apart.
    pub(crate) seal: Option<Duration>,
    /// This process's CPU time until the authentic receipt.
    pub(crate) cpu: Option<Duration>,
}

/// What the receiver saw of it.
#[derive(Debug, Default)]
pub(crate) struct Received {
    /// Inside the cipher's calls, where they are apart.
    pub(crate) open: Option<Duration>,
    /// This process's CPU time until the authentic receipt.
    pub(crate) cpu: Option<Duration>,
}
