//! `memory`: bytes, or honestly absent; peaks and allocations count from the latest reset on.
//!
//! Each check has a separate process, so that a counter that it enables slows no other check.

use std::io;

use serde_json::json;

use crate::cells::sample;
use crate::describe::{Offer, Way};
use crate::digests::release;
use crate::report::{Check, Fault, ensure};
use crate::suite::Suite;
use crate::worker::Worker;

/// The message of the measured cell, in bytes, unless the worker takes less.
const MESSAGE: u64 = 4 << 20;

/// The allowed difference between two readings of the resident size: they are not taken at once, and Linux counts pages
/// in batches.
const SLACK: u64 = 2 << 20;

/// Before and after the first reset, and after another.
pub fn check(suite: &mut Suite, offers: &[Offer]) -> io::Result<()> {
    suite.check_alone("memory", |worker| ask(worker, None)?.counts_nothing_yet())?;
    let Some(way) = offers.iter().find_map(|offer| offer.way(|way| way.has_output())) else {
        return suite.skip("memory after a reset", "no offer with outputs");
    };
    suite.check_alone("memory after a reset", |worker| after_a_reset(worker, &way))?;
    suite.check_alone("memory after another reset", |worker| after_another(worker, &way))
}

/// The figures of a worker, each in bytes.
struct Told {
    rss: Option<u64>,
    peak_rss: Option<u64>,
    heap: Option<u64>,
    peak_heap: Option<u64>,
    allocated: Option<u64>,
    shown: String,
}

/// Requests the memory, and checks what must be true of any reply. `None` omits `reset`.
fn ask(worker: &mut Worker, reset: Option<u64>) -> Result<Told, Fault> {
    let mut request = json!({"do": "memory"});
    if let Some(reset) = reset {
        request["reset"] = reset.into();
    }
    let reply = worker.ask(&request)?.expect("memory")?;
    let bytes = |key| reply.optional_integer(key);
    for key in ["stack", "heap_free"] {
        bytes(key)?;
    }
    let told = Told {
        rss: bytes("rss")?,
        peak_rss: bytes("peak_rss")?,
        heap: bytes("heap")?,
        peak_heap: bytes("peak_heap")?,
        allocated: bytes("allocated")?,
        shown: reply.shown(),
    };
    let shown = || &told.shown;
    for (key, size) in [("rss", told.rss), ("peak_rss", told.peak_rss)] {
        ensure(size != Some(0), || format!("expected null where {key} is not known, got 0"))?;
    }
    let counted = [told.heap, told.peak_heap, told.allocated].iter().any(Option::is_some);
    let named = reply.optional_text("counter")?.is_some_and(|counter| !counter.is_empty());
    ensure(!counted || named, || format!("expected what counts in \"counter\", got {}", shown()))?;
    at_most(told.rss, told.peak_rss.map(|peak| peak + SLACK), || {
        format!("expected rss up to peak_rss, got {}", shown())
    })?;
    at_most(told.heap, told.peak_heap, || format!("expected heap up to peak_heap, got {}", shown()))?;
    Ok(told)
}

/// Fails if both are known and the first is the larger.
fn at_most(small: Option<u64>, large: Option<u64>, why: impl FnOnce() -> String) -> Check {
    ensure(small.zip(large).is_none_or(|(small, large)| small <= large), why)
}

impl Told {
    fn counts_nothing_yet(&self) -> Check {
        ensure(self.peak_heap.is_none() && self.allocated.is_none(), || {
            format!("expected null peak_heap and allocated before the first reset, got {}", self.shown)
        })
    }

    /// After `earlier`, without a reset in between, sums and peaks must not fall.
    fn follows(&self, earlier: &Told) -> Check {
        let peak_rss = self.peak_rss.map(|peak| peak + SLACK);
        for (key, before, now) in [
            ("peak_rss", earlier.peak_rss, peak_rss),
            ("peak_heap", earlier.peak_heap, self.peak_heap),
            ("allocated", earlier.allocated, self.allocated),
        ] {
            at_most(before, now, || format!("expected no lower {key} than in {}, got {}", earlier.shown, self.shown))?;
        }
        Ok(())
    }
}

/// Prepares the large cell and calls it.
fn prepare(worker: &mut Worker, way: &Way) -> Result<u64, Fault> {
    let cell = worker.fresh_cell();
    let message = worker.facts().up_to(MESSAGE);
    let reply = worker.ask(&way.prepare(cell, message, 0, 42))?.expect_one_of(&["ready", "unsupported"])?;
    if reply.is() == "unsupported" {
        return Err(Fault::Skipped(reply.text("why")?.to_owned()));
    }
    sample(worker, cell, 0, 2)?;
    Ok(cell)
}

fn after_a_reset(worker: &mut Worker, way: &Way) -> Check {
    // The reply to a reset describes the time before it.
    ask(worker, Some(1))?.counts_nothing_yet()?;
    let idle = ask(worker, None)?;
    let cell = prepare(worker, way)?;
    let called = ask(worker, Some(0))?;
    called.follows(&idle)?;
    let message = way.offer.algorithm.nearest(worker.facts().up_to(MESSAGE));
    at_most(Some(message), called.peak_rss, || {
        format!("expected a peak_rss of at least the {message} bytes of a message, got {}", called.shown)
    })?;
    sample(worker, cell, 0, 8)?;
    ask(worker, None)?.follows(&called)?;
    release(worker, cell)
}

fn after_another(worker: &mut Worker, way: &Way) -> Check {
    ask(worker, Some(1))?;
    for _ in 0..2 {
        let cell = prepare(worker, way)?;
        sample(worker, cell, 0, 2)?;
        release(worker, cell)?;
    }
    let whole = ask(worker, Some(1))?;
    let anew = ask(worker, None)?;
    let sum = whole.allocated.filter(|sum| *sum > 0);
    ensure(sum.zip(anew.allocated).is_none_or(|(whole, anew)| anew < whole), || {
        format!("expected allocated to begin anew after {}, got {}", whole.shown, anew.shown)
    })?;
    let sizes = [
        ("peak_rss", whole.peak_rss, whole.rss, anew.peak_rss),
        ("peak_heap", whole.peak_heap, whole.heap, anew.peak_heap),
    ];
    for (key, peak, now, anew_peak) in sizes {
        // Once the cells' buffers are freed, a peak that was not reset shows.
        let stays = |((peak, now), anew): ((u64, u64), u64)| {
            let gone = peak.saturating_sub(now);
            gone >= MESSAGE && anew > now + gone / 4 * 3
        };
        ensure(!peak.zip(now).zip(anew_peak).is_some_and(stays), || {
            format!("expected {key} to begin anew at what is in use in {}, got {}", whole.shown, anew.shown)
        })?;
    }
    Ok(())
}
