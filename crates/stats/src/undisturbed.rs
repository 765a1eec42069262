//! When was the machine undisturbed? A probe that is no cell tells.
//!
//! Where two hardware threads share a physical core, a neighbour on the other one slows implementations by very different
//! shares (METHODOLOGY.md, point 3): then even paired ratios say something else than on a core of one's own. The probe is timed
//! beside every group, so which samples are excluded never depends on the cells themselves.

use crate::quantile;

/// The probe's undisturbed level is its 10 % quantile: some of any run is undisturbed.
const UNDISTURBED: f64 = 0.1;
/// Up to so much above that level a sample still counts as quiet: clocks move by some percent by themselves.
const SLACK: f64 = 1.06;

/// The fewest undisturbed pairs from which a fork's median is taken, where it has more samples than that.
pub const LEAST_PAIRS: usize = 3;

/// The highest reading of the probe that counts as undisturbed, from all readings of a run; `None` without any.
pub fn undisturbed_limit(readings: impl IntoIterator<Item = u64>) -> Option<u64> {
    let mut readings: Vec<f64> = readings.into_iter().map(|reading| reading as f64).collect();
    Some((quantile(&mut readings, UNDISTURBED)? * SLACK) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_lies_just_above_the_quiet_level() {
        let readings = (0..100).map(|n| if n % 2 == 0 { 1000 + n % 20 } else { 1700 + n });
        let limit = undisturbed_limit(readings).unwrap();
        assert!((1060..1090).contains(&limit), "{limit}");
        assert_eq!(undisturbed_limit([]), None);
    }
}
