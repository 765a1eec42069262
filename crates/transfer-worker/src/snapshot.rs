//! How far a sustained load is at one moment.

use serde::{Deserialize, Serialize};

/// What the receiving process has come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Nanoseconds since it was started, by its own clock.
    pub ns: u64,
    /// Bytes that it received and opened.
    pub bytes: u64,
    /// Its CPU time in nanoseconds.
    pub cpu_ns: Option<u64>,
    /// What is resident in it, in bytes.
    pub rss: Option<u64>,
}
