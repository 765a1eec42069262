//! Transferring a file: both ends of one provider with one algorithm, and what each end measures.

use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use ciphermeter_transfer::SourceFile;

use crate::error::Error;

/// Both ends of a provider.
pub(crate) trait Provider {
    /// Prepares one end to receive one file at an address of this machine, into that file or nowhere. Returns the
    /// address for the sender, in one line, and the function to call next.
    fn listen(&self, at: IpAddr, into: Option<&Path>) -> Result<(String, ReceiveFile), Error>;

    /// Sends a file to that address.
    fn send(&self, file: &SourceFile, address: &str) -> Result<Sent, Error>;
}

/// Receives the file, in the calling thread.
pub(crate) type ReceiveFile = Box<dyn FnOnce() -> Result<Received, Error>>;

/// The sender's figures of a transfer.
#[derive(Debug, Default)]
pub(crate) struct Sent {
    /// From the connect until data may flow.
    /// `None` where there is none.
    pub(crate) handshake: Option<Duration>,
    /// From there to the receipt that all was authentic.
    pub(crate) authenticated: Duration,
    /// From there to the receipt that all is on disk.
    pub(crate) durable: Option<Duration>,
    /// Time inside the cipher's calls, where it is known separately.
    pub(crate) seal: Option<Duration>,
    /// CPU time of this process until the authentic receipt.
    pub(crate) cpu: Option<Duration>,
}

/// The receiver's figures of a transfer.
#[derive(Debug, Default)]
pub(crate) struct Received {
    /// Time inside the cipher's calls, where it is known separately.
    pub(crate) open: Option<Duration>,
    /// CPU time of this process until the authentic receipt.
    pub(crate) cpu: Option<Duration>,
}
