//! How a cell is sampled, as the pilot found out.

use std::time::Duration;

/// A sample this long is bracketed by its reference.
const SLOW: Duration = Duration::from_millis(5);

/// How a cell is sampled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// Calls a sample.
    pub iterations: u64,
    /// Nanoseconds of warm-up.
    pub warmup_ns: u64,
    /// Nanoseconds of one call, as the pilot saw it.
    pub each: f64,
    /// Nanoseconds that it takes beside, which is not timed: a transfer's handshake.
    pub beside: f64,
    /// Nanoseconds before the timed calls, beyond the warm-up: a cell that goes round many texts and keys has the texts set up, and goes round the keys once.
    pub before: f64,
    /// What a request without any call takes by the harness's clock; `None` where that is not known.
    pub empty: Option<Duration>,
}

impl Setting {
    /// How long a sample takes with its warm-up.
    pub fn expected(&self) -> Duration {
        // A warm-up is whole calls, so it may take one call more than asked.
        let whole = self.each + self.beside;
        let warmup = if self.warmup_ns == 0 { 0.0 } else { self.warmup_ns as f64 + whole };
        Duration::from_nanos((whole * self.iterations as f64 + warmup + self.before) as u64)
    }

    /// Whether a sample is over the length that is bracketed.
    pub fn is_slow(&self) -> bool {
        self.each * self.iterations as f64 > SLOW.as_nanos() as f64
    }
}
