//! The host's memory: how much may be taken, and what is taken.

use ciphermeter_host::usage::{self, Memory};
use ciphermeter_protocol::MemoryUse;

use crate::card::Refused;

/// Messages are processed in units of 64 bytes: buffers are as long as whole units.
pub fn padded(bytes: u64) -> u64 {
    bytes.next_multiple_of(64)
}

/// Refuses what needs more than half of the free memory.
pub fn allow(need: u64) -> Result<(), Refused> {
    match usage::available_memory().filter(|free| need > free / 2) {
        None => Ok(()),
        Some(free) => Err(Refused::Unsupported(format!(
            "needs {} MiB of the host's memory, more than half of the {} MiB that are free",
            need >> 20,
            free >> 20
        ))),
    }
}

/// What `memory` reports.
#[derive(Debug, Default)]
pub struct Gauge {
    /// A reset of the peak failed, so that it is no longer known.
    lost: bool,
}

impl Gauge {
    /// The memory in use now; with `reset`, the peak begins anew.
    pub fn read(&mut self, reset: bool) -> MemoryUse {
        let Memory { rss, peak_rss } = usage::memory();
        let used = MemoryUse { rss, peak_rss: peak_rss.filter(|_| !self.lost), ..MemoryUse::default() };
        if reset {
            self.lost = usage::reset_peak().is_err();
        }
        used
    }
}
