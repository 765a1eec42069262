//! What the receiving process reports of one transfer.

use serde::{Deserialize, Serialize};

use crate::monitor::Course;

/// How a transfer went at the receiving process.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// The reason for the failure, if it failed.
    pub(crate) failed: Option<String>,
    /// Time inside the cipher's calls, where it is known.
    pub(crate) open_ns: Option<u64>,
    /// CPU time until the authentic receipt.
    pub(crate) cpu_ns: Option<u64>,
    /// CPU time and memory during the transfer.
    pub(crate) course: Course,
}
