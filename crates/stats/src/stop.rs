//! When to stop: on precision, looked at only between whole sittings, never before the sixth, never on significance.

use crate::{Estimate, interval};

/// No precision counts before so many sittings: with fewer, a small spread is often luck, and stopping on luck makes
/// intervals that lie.
pub const LEAST_SITTINGS: usize = 6;

/// The confidence of every interval that is printed.
const CONFIDENCE: f64 = 0.95;

/// The rule by which a cell has been measured well enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// Half-width of the interval, on the scale of logarithms (0.02 is ±2 %).
    pub precision: f64,
}

impl Stop {
    /// The interval over the sittings' medians; `None` with fewer than two.
    pub fn estimate(&self, sittings: &[f64]) -> Option<Estimate> {
        interval(sittings, CONFIDENCE)
    }

    /// Whether that is enough.
    pub fn enough(&self, sittings: &[f64]) -> bool {
        sittings.len() >= LEAST_SITTINGS
            && self.estimate(sittings).is_some_and(|estimate| estimate.half_width() <= self.precision)
    }
}
