//! Errors while files are transferred for measurement: what failed, then what to do.

use std::io;

use ciphermeter_core::Algorithm;

/// Why the worker, its receiving process or a transfer between them failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The transfer itself failed.
    #[error(transparent)]
    Transfer(#[from] ciphermeter_transfer::Error),
    /// A connection broke: to the receiving process, or between the ends of a provider.
    #[error("the connection was lost while {doing}: {why}")]
    Lost {
        /// What was being done.
        doing: &'static str,
        /// The system's reason.
        why: io::Error,
    },
    /// TLS failed between the ends of the provider `rustls`.
    #[error(
        "no secure channel to the benchmark's other end: {0}; check that both ends have the same version of ciphermeter"
    )]
    Tls(rustls::Error),
    /// A file or a process failed, in words for the user.
    #[error("{0}")]
    Local(String),
    /// No provider has this name.
    #[error("the transfer worker has no provider `{found}`; use one of {known}")]
    UnknownProvider {
        /// The requested name.
        found: String,
        /// The existing providers.
        known: String,
    },
    /// The provider does not have that algorithm.
    #[error("provider {0} does not transfer files with {1}")]
    UnknownAlgorithm(String, Algorithm),
    /// Standard input or output failed.
    #[error("cannot talk to the harness: {0}")]
    Harness(io::Error),
}

impl Error {
    /// A connection broke.
    pub(crate) fn lost(doing: &'static str, why: io::Error) -> Self {
        match why.kind() {
            // rustls's own text for it addresses programmers.
            io::ErrorKind::UnexpectedEof => {
                Self::Lost { doing, why: io::Error::new(io::ErrorKind::UnexpectedEof, "the other end closed it") }
            }
            _ => Self::Lost { doing, why },
        }
    }

    /// A problem with a file or a process.
    pub(crate) fn local(why: impl ToString) -> Self {
        Self::Local(why.to_string())
    }
}
