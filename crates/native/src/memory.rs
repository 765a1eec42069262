//! What the memory request reports: the process's resident size, and the C library's allocations where the counter is
//! preloaded.
//!
//! The counter is a shared object of its own ([`counter_object`]). The harness preloads it only into processes that are
//! not timed, so no timed call goes through it.

use std::sync::OnceLock;

use ciphermeter_host::usage::{self, Memory};
use ciphermeter_protocol::MemoryUse;
use libloading::os::unix::Library;

/// The counter as a file for `LD_PRELOAD`; empty where the C library is not glibc.
pub fn counter_object() -> &'static [u8] {
    include_bytes!(concat!(env!("OUT_DIR"), "/counter.so"))
}

/// In use, the most at once, allocated; and whether to reset.
type Allocations = unsafe extern "C" fn(*mut u64, i32);

/// The counter, if it was preloaded.
fn counter() -> Option<Allocations> {
    static COUNTER: OnceLock<Option<Allocations>> = OnceLock::new();
    *COUNTER.get_or_init(|| {
        // SAFETY: the name is unique to the counter, whose function has this type; the process itself is never
        // unloaded.
        unsafe { Library::this().get::<Allocations>(b"ciphermeter_allocations\0").ok().map(|symbol| *symbol) }
    })
}

/// State of a process between two readings of its memory.
#[derive(Debug, Clone, Copy)]
pub struct Gauge {
    /// Whether counts were reset.
    reset: bool,
    /// Whether the peak of the resident size dates from that reset.
    peak: bool,
}

impl Default for Gauge {
    fn default() -> Self {
        Self { reset: false, peak: true }
    }
}

impl Gauge {
    /// The memory in use now; with `reset`, peaks and counts are reset.
    pub fn read(&mut self, reset: bool) -> MemoryUse {
        let Memory { rss, peak_rss } = usage::memory();
        let mut used = MemoryUse { rss, peak_rss: peak_rss.filter(|_| self.peak), ..MemoryUse::default() };
        if let Some(count) = counter() {
            let mut counts = [0; 3];
            // SAFETY: it writes three integers.
            unsafe { count(counts.as_mut_ptr(), reset.into()) };
            used.heap = Some(counts[0]);
            used.counter = Some("malloc".into());
            if self.reset {
                (used.peak_heap, used.allocated) = (Some(counts[1]), Some(counts[2]));
            }
        }
        if reset {
            *self = Self { reset: true, peak: usage::reset_peak().is_ok() };
        }
        used
    }
}
