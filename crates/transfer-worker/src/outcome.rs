//! What the receiving process tells of one transfer.

use serde::{Deserialize, Serialize};

use crate::monitor::Course;

/// How a transfer went at the receiving process.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// Why it failed, if it did.
    pub(crate) failed: Option<String>,
    /// Time inside the cipher's calls, where it is known.
    pub(crate) open_ns: Option<u64>,
    /// CPU time until the authentic receipt.
    pub(crate) cpu_ns: Option<u64>,
    /// CPU time and memory on the way.
    pub(crate) course: Course,
}
