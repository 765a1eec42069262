//! What a precise figure is. A run may stop on precision, never on significance.

use crate::{CONFIDENCE, Effect};

/// The rule by which a cell has been measured well enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// Half-width of the interval, on the scale of logarithms (0.02 is ±2 %).
    pub precision: f64,
}

impl Stop {
    /// Whether this is known well enough.
    pub fn enough(&self, effect: &Effect) -> bool {
        effect.is_enough() && effect.interval(CONFIDENCE).half_width() <= self.precision
    }
}
