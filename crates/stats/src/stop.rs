//! When to stop: on precision, looked at only between whole forks, never before the sixth, never on significance.

use statrs::distribution::{ChiSquared, ContinuousCDF};

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

    /// Whether an interval of this half-width from so many forks may end a run: it would be enough if they came out spread less than they
    /// do in four of five cases. A run that ended at the first width that is enough would end at one that came out short.
    pub fn ends(&self, half_width: f64, forks: usize) -> bool {
        if forks < LEAST_FORKS {
            return false;
        }
        let freedom = (forks - 1) as f64;
        // The squares of normal values sum to χ².
        let short = ChiSquared::new(freedom).map_or(0.0, |chi| (chi.inverse_cdf(0.2) / freedom).sqrt());
        half_width <= self.precision * short
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_forks_end_a_run_at_a_narrower_interval_than_many() {
        let stop = Stop { precision: 0.02 };
        assert!(!stop.ends(0.001, 5));
        // The fifth part of χ²(5) is 2.343, and of χ²(99) 87.09.
        assert!(stop.ends(0.0136, 6) && !stop.ends(0.0138, 6));
        assert!(stop.ends(0.0187, 100) && !stop.ends(0.0189, 100));
    }
}
