//! The progress of a sustained load at one moment.

use serde::{Deserialize, Serialize};

/// The progress of the receiving process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Nanoseconds since it was started, by its own clock.
    pub ns: u64,
    /// Bytes that it received and opened.
    pub bytes: u64,
    /// Its CPU time in nanoseconds.
    pub cpu_ns: Option<u64>,
    /// Its resident memory, in bytes.
    pub rss: Option<u64>,
}
