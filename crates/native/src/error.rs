//! Why the worker could not serve.

use std::io;

use crate::providers::PROVIDERS;

/// Why the worker could not serve.
#[derive(Debug, thiserror::Error)]
pub enum NativeError {
    /// No provider of that name is built in.
    #[error("the built-in worker has no provider `{found}`; it has {}", PROVIDERS.join(", "))]
    UnknownProvider {
        /// What was asked for.
        found: String,
    },
    /// Standard input or output failed.
    #[error("talking to the harness failed: {0}")]
    Io(#[from] io::Error),
    /// The system's libcrypto can't be used for the ruler.
    #[error("{0}")]
    OpenSsl(String),
}
