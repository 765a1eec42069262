//! Why the worker could not serve.

use std::io;

use crate::providers::PROVIDERS;

/// Why the worker could not serve.
#[derive(Debug, thiserror::Error)]
pub enum NativeError {
    /// No built-in provider has this name.
    #[error("the built-in worker has no provider `{found}`; it has {}", PROVIDERS.join(", "))]
    UnknownProvider {
        /// The requested name.
        found: String,
    },
    /// Standard input or output failed.
    #[error("cannot talk to the harness: {0}")]
    Io(#[from] io::Error),
    /// The system's libcrypto cannot be used for the ruler.
    #[error("{0}")]
    OpenSsl(String),
}
