//! What moves a file in the benchmark: both ends of one provider with one algorithm.

use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use ciphermeter_core::Algorithm;

use super::{BenchError, ours::Ours, plain::Plain, rustls::Rustls};
use crate::source::SourceFile;
use crate::{Error, Suite};

/// Both ends.
pub(super) trait Mover {
    /// Makes one end ready to receive one file at an address of this machine: into that file, or nowhere. Returns where the sender
    /// finds it, in one line, and what is to be called next.
    fn listen(&self, at: IpAddr, into: Option<&Path>) -> Result<(String, Receiving), Error>;

    /// Sends a file there.
    fn send(&self, file: &SourceFile, address: &str) -> Result<Sent, Error>;
}

/// Receives what comes, in the calling thread.
pub(super) type Receiving = Box<dyn FnOnce() -> Result<Received, Error>>;

/// What the sender saw of a transfer.
#[derive(Debug, Default)]
pub(super) struct Sent {
    /// From the connect to the moment when data might flow.
    pub(super) handshake: Duration,
    /// From there to the receipt that all was authentic.
    pub(super) authenticated: Duration,
    /// From there to the receipt that all is on disk.
    pub(super) durable: Option<Duration>,
    /// Inside the cipher's calls, where they are apart.
    pub(super) seal: Option<Duration>,
    /// This process's CPU time until the authentic receipt.
    pub(super) cpu: Option<Duration>,
}

/// What the receiver saw of it.
#[derive(Debug, Default)]
pub(super) struct Received {
    /// Inside the cipher's calls, where they are apart.
    pub(super) open: Option<Duration>,
    /// This process's CPU time until the authentic receipt.
    pub(super) cpu: Option<Duration>,
}

/// That of a provider and an algorithm.
pub(super) fn mover(provider: &str, algorithm: Algorithm) -> Result<Box<dyn Mover>, BenchError> {
    let suite = Suite::ALL.into_iter().find(|suite| suite.algorithm() == algorithm);
    Ok(match (provider, suite) {
        ("ciphermeter", Some(suite)) => Box::new(Ours(suite)),
        ("rustls", Some(suite)) => Box::new(Rustls(suite)),
        ("ceiling", None) if algorithm == Algorithm::TcpPlain => Box::new(Plain),
        _ => return Err(BenchError::UnknownAlgorithm(provider.to_owned(), algorithm)),
    })
}

/// What a provider moves files with.
pub(super) fn algorithms(provider: &str) -> &'static [Algorithm] {
    match provider {
        "ceiling" => &[Algorithm::TcpPlain],
        _ => &[Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305],
    }
}
