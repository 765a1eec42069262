//! Single calls: two columns in the document, a histogram in a record.

use ciphermeter_core::{Histogram, Latency};
use serde::Deserialize;

use crate::error::{Wrong, entries};
use crate::values::{Integer, Number};

/// The single calls of one fork: lengths, ascending, each with its number of calls.
#[derive(Deserialize)]
pub(crate) struct Calls {
    fork: Number,
    short: bool,
    clock_ns: Integer,
    ns: Vec<Integer>,
    calls: Vec<Integer>,
}

impl Calls {
    pub(crate) fn latency(self) -> Result<Latency, Wrong> {
        let (lengths, calls) = (self.ns.len(), self.calls.len());
        if lengths != calls {
            return Err(Wrong::new("calls", format!("has {}, `ns` has {lengths}", entries(calls))));
        }
        if let Some(place) = self.ns.windows(2).position(|pair| pair[0] >= pair[1]) {
            return Err(Wrong::new(format!("ns[{}]", place + 1), "is not above the length before it"));
        }
        let mut calls = Histogram::default();
        self.ns.into_iter().zip(self.calls).for_each(|(ns, number)| calls.add_many(ns.get(), number.get()));
        Ok(Latency { fork: self.fork.number(), short: self.short, clock_ns: self.clock_ns.get(), calls })
    }
}
