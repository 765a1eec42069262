//! What a cell needs of memory.

/// The memory of one cell in a process of its own that did nothing else, in bytes; `None` where nobody counts.
///
/// "Idle" is the process that has loaded its library and used it once for a short message, before the cell was prepared:
/// what the cell's own buffers take is above it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Memory {
    /// The fork's number.
    pub fork: u32,
    /// How many calls were made.
    pub iterations: u64,
    /// Resident size of the idle process.
    pub idle_rss: Option<u64>,
    /// The most that was resident above that.
    pub peak_rss: Option<u64>,
    /// The most that was in use above the idle process by its runtime's or C library's own count.
    pub peak_heap: Option<u64>,
    /// What that count gave out for all the calls, freed or not.
    pub allocated: Option<u64>,
    /// What counts: `tracemalloc`, `malloc`, ….
    pub counter: Option<String>,
}

impl Memory {
    /// Bytes given out for one call.
    pub fn allocated_per_call(&self) -> Option<u64> {
        Some(self.allocated? / self.iterations.max(1))
    }
}
