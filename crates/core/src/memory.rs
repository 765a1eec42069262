//! The memory that a cell needs.

use serde::Serialize;

/// The memory of one cell in a process of its own that did nothing else, in bytes; `None` where it is not counted.
///
/// "Idle" is the process that has loaded its library and used it once for a short message, before the cell was
/// prepared. The cell's own buffers come on top.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Memory {
    /// The fork's number.
    pub fork: u32,
    /// How many calls were made.
    pub iterations: u64,
    /// Resident size of the idle process.
    pub idle_rss: Option<u64>,
    /// The highest resident size above that.
    pub peak_rss: Option<u64>,
    /// The most in use above the idle process, as counted by its runtime or C library.
    pub peak_heap: Option<u64>,
    /// The bytes allocated for all calls by the same count, freed or not.
    pub allocated: Option<u64>,
    /// The name of the counter: `tracemalloc`, `malloc`, ….
    pub counter: Option<String>,
}

impl Memory {
    /// Bytes allocated for one call.
    pub fn allocated_per_call(&self) -> Option<u64> {
        Some(self.allocated? / self.iterations.max(1))
    }
}
