//! The memory of a cell, process by process as it was stored.

use ciphermeter_core::Memory;
use serde::Serialize;
use serde::ser::Serializer;

pub(super) struct Processes<'a>(pub(super) &'a [Memory]);

impl Serialize for Processes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Process::of))
    }
}

#[derive(Serialize)]
struct Process<'a> {
    fork: u32,
    iterations: u64,
    idle_rss: Option<u64>,
    peak_rss: Option<u64>,
    peak_heap: Option<u64>,
    allocated: Option<u64>,
    counter: Option<&'a str>,
}

impl<'a> Process<'a> {
    fn of(memory: &'a Memory) -> Self {
        Self {
            fork: memory.fork,
            iterations: memory.iterations,
            idle_rss: memory.idle_rss,
            peak_rss: memory.peak_rss,
            peak_heap: memory.peak_heap,
            allocated: memory.allocated,
            counter: memory.counter.as_deref(),
        }
    }
}
