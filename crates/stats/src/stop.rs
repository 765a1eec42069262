//! When to stop: on precision, looked at only between whole forks, never before the sixth, never on significance.

use crate::{Estimate, interval};

/// No precision counts before so many forks: with fewer, a small spread is often luck, and stopping on luck makes
/// intervals that lie.
pub const LEAST_FORKS: usize = 6;

/// The confidence of every interval that is printed.
const CONFIDENCE: f64 = 0.95;

/// The rule by which a cell has been measured well enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// Half-width of the interval, on the scale of logarithms (0.02 is ±2 %).
    pub precision: f64,
}

impl Stop {
    /// The interval over the forks' medians; `None` with fewer than two.
    pub fn estimate(&self, forks: &[f64]) -> Option<Estimate> {
        interval(forks, CONFIDENCE)
    }

    /// Whether that is enough.
    pub fn enough(&self, forks: &[f64]) -> bool {
        forks.len() >= LEAST_FORKS
            && self.estimate(forks).is_some_and(|estimate| estimate.half_width() <= self.precision)
    }
}
