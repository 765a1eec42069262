//! The memory of a cell, process by process.

use ciphermeter_core::{Memory, most};
use serde::Deserialize;

use crate::error::Wrong;
use crate::values::{Integer, Number, Text};

/// A process that did nothing but the calls of the cell, in bytes.
#[derive(Deserialize)]
pub(crate) struct Process {
    fork: Number,
    iterations: Integer,
    idle_rss: Option<Integer>,
    peak_rss: Option<Integer>,
    peak_heap: Option<Integer>,
    allocated: Option<Integer>,
    counter: Option<Text>,
}

impl Process {
    pub(crate) fn memory(self) -> Result<Memory, Wrong> {
        let counter = self.counter.map(|Text(name)| name);
        if counter.as_ref().is_some_and(|name| name.chars().count() > most::COUNTER) {
            return Err(Wrong::new("counter", format!("is over {} characters long", most::COUNTER)));
        }
        Ok(Memory {
            fork: self.fork.number(),
            iterations: self.iterations.get(),
            idle_rss: self.idle_rss.map(Integer::get),
            peak_rss: self.peak_rss.map(Integer::get),
            peak_heap: self.peak_heap.map(Integer::get),
            allocated: self.allocated.map(Integer::get),
            counter,
        })
    }
}
