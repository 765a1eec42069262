//! What can go wrong when files are moved to be measured: what failed, then what to do.

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
        /// What was going on.
        doing: &'static str,
        /// What the system says.
        why: io::Error,
    },
    /// TLS failed between the ends of the provider `rustls`.
    #[error(
        "no secure channel to the benchmark's other end: {0}; see that both ends have the same version of ciphermeter"
    )]
    Tls(rustls::Error),
    /// A file or a process failed, in words for the user.
    #[error("{0}")]
    Local(String),
    /// No provider has that name.
    #[error("the worker of transfers has no provider `{found}`; it has {known}")]
    UnknownProvider {
        /// What was asked for.
        found: String,
        /// Those that there are.
        known: String,
    },
    /// The provider does not have that algorithm.
    #[error("{0} moves no files with {1}")]
    UnknownAlgorithm(String, Algorithm),
    /// Standard input or output failed.
    #[error("talking to the harness failed: {0}")]
    Harness(io::Error),
}

impl Error {
    /// A connection broke.
    pub(crate) fn lost(doing: &'static str, why: io::Error) -> Self {
        match why.kind() {
            // What the TLS library says of it is for programmers.
            io::ErrorKind::UnexpectedEof => {
                Self::Lost { doing, why: io::Error::new(io::ErrorKind::UnexpectedEof, "the other end closed it") }
            }
            _ => Self::Lost { doing, why },
        }
    }

    /// Something about a file or a process.
    pub(crate) fn local(why: impl ToString) -> Self {
        Self::Local(why.to_string())
    }
}
