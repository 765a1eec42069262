//! What of their own machine users name for a run, and name again when they resume it: what a store names is no reason to open a file
//! or to start a process.

use serde::{Deserialize, Serialize};

use crate::escaped;
use crate::word::words;

words! {
    /// An option that says where a provider or a meter is.
    NamedOption, "option" {
        /// A folder of workers.
        Workers = "--workers",
        /// The command of a worker.
        Worker = "--worker",
        /// The file of a libcrypto.
        Openssl = "--openssl",
        /// The place of a power meter.
        Meter = "--meter",
    }
}

/// An option with its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// The option.
    pub option: NamedOption,
    /// Its value, escaped.
    pub value: String,
}

impl Named {
    /// An option with a value as the user gave it.
    pub fn new(option: NamedOption, value: &str) -> Self {
        Self { option, value: escaped(value) }
    }
}
