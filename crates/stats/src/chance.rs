//! How likely it is that so few intervals contain the truth.

use statrs::distribution::{Binomial, DiscreteCDF};

/// The chance that at most `held` of `all` intervals contain the truth, where each does with probability `each`.
pub fn chance_of_at_most(held: usize, all: usize, each: f64) -> f64 {
    Binomial::new(each, all as u64).map_or(1.0, |binomial| binomial.cdf(held as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_that_hold_are_unlikely() {
        assert!((chance_of_at_most(1, 2, 0.5) - 0.75).abs() < 1e-12);
        assert!((chance_of_at_most(37, 40, 0.95) - 0.323).abs() < 0.001);
        assert!(chance_of_at_most(30, 40, 0.95) < 1e-4);
        assert!((chance_of_at_most(0, 0, 0.95) - 1.0).abs() < 1e-12);
    }
}
