//! Where the values of forks lie, and what each fork contributes to that.
//!
//! A figure is about the typical process: what most of them do, not their mean, which a neighbour or a process in an unlucky place can move
//! anywhere. So forks are located by Huber's estimator (Robust estimation of a location parameter, 1964): those in the middle count by
//! their value, those outside by their side alone. Each fork's influence on the location (its ψ over the slope) is made a value, so that
//! the mean of these values is the location and Student's interval over them is the location's (the jackknife's pseudo-values, with the
//! influence for its differences; Hampel et al., Robust Statistics, 1986, section 2.1).

use crate::median;

/// So many forks at least count by their value: of fewer, Student's interval would be wider than any answer takes.
const LEAST_MIDDLE: usize = 5;
/// The share of forks that count by their value where there are more.
const MIDDLE: f64 = 0.6;
/// Forks that tie, on a board that counts cycles or by a coarse clock, are known to lie this near, on the scale of logarithms: others are
/// far from them, and no mean of all.
const TIED: f64 = 1e-4;
/// Steps towards the location at most; a few dozen reach the last digits.
const MOST_STEPS: usize = 100;

/// A location, or a mean of locations, by what each fork contributes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Located {
    /// One for each fork: their mean is the location, and the standard error of their mean is the location's.
    pub values: Vec<f64>,
    /// Student's degrees of freedom of that error.
    pub freedom: f64,
}

impl Located {
    /// Values that count as they are: their mean.
    pub fn mean(values: Vec<f64>) -> Self {
        let freedom = values.len().saturating_sub(1) as f64;
        Self { values, freedom }
    }
}

/// Locates one value a fork.
///
/// Only the forks in the middle say by their values how forks spread, so they give the degrees of freedom.
pub fn located(mids: &[f64]) -> Located {
    let mut half = half_middle(mids);
    let mut location = huber(mids, half);
    if mids.iter().all(|mid| (mid - location).abs() > half) {
        // It fell between two levels.
        (half, location) = (f64::INFINITY, huber(mids, f64::INFINITY));
    }
    let n = mids.len() as f64;
    let of_middle = mids.iter().filter(|mid| (*mid - location).abs() <= half).count();
    let inside = of_middle as f64 / n;
    // The middle is drawn from the forks themselves, which makes the error a little larger (Huber and Ronchetti, Robust Statistics, 2009,
    // section 7.6).
    let drawn = 1.0 + (1.0 - inside) / inside / n;
    let influences: Vec<f64> = mids.iter().map(|mid| drawn / inside * (mid - location).clamp(-half, half)).collect();
    // Rounding aside, they sum to 0.
    let rest = influences.iter().sum::<f64>() / n;
    Located {
        values: influences.into_iter().map(|influence| location + influence - rest).collect(),
        freedom: of_middle.saturating_sub(1) as f64,
    }
}

/// The degrees of freedom of the location of so many forks that differ.
pub fn freedom_of(forks: usize) -> f64 {
    middle(forks).saturating_sub(1) as f64
}

/// How many of so many forks count by their value.
fn middle(forks: usize) -> usize {
    LEAST_MIDDLE.max((MIDDLE * forks as f64).ceil() as usize).min(forks)
}

/// How far from the median the middle of the values reaches, but no less than [`TIED`]; infinite where all are in it.
fn half_middle(mids: &[f64]) -> f64 {
    let mid = median(&mut mids.to_vec()).unwrap_or(0.0);
    let mut off: Vec<f64> = mids.iter().map(|value| (value - mid).abs()).collect();
    let middle = middle(off.len());
    if middle == off.len() {
        return f64::INFINITY;
    }
    off.select_nth_unstable_by(middle - 1, f64::total_cmp).1.max(TIED)
}

/// Huber's location, by weights that are drawn anew in each step: a value counts by its distance within `half`, and by its side beyond.
fn huber(mids: &[f64], half: f64) -> f64 {
    let mut location = median(&mut mids.to_vec()).unwrap_or(0.0);
    for _ in 0..MOST_STEPS {
        let (mut sum, mut total) = (0.0, 0.0);
        for mid in mids {
            let weight = (half / (mid - location).abs()).min(1.0);
            (sum, total) = (sum + weight * mid, total + weight);
        }
        let next = sum / total;
        let is_there = (next - location).abs() < 1e-9 * half.min(1.0);
        location = next;
        if is_there {
            break;
        }
    }
    location
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Effect;
    use proptest::prelude::*;

    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    /// 40 values within 0.005 of 0.
    fn near() -> Vec<f64> {
        (0..40).map(|n| f64::from(n * 7 % 11 - 5) * 1e-3).collect()
    }

    #[test]
    fn few_forks_stay_as_they_are() {
        assert!(located(&[]).values.is_empty());
        for mids in [vec![0.3], vec![0.3; 20], near()[..5].to_vec()] {
            let found = located(&mids);
            assert!((found.freedom - (mids.len() - 1) as f64).abs() < 1e-12);
            for (value, mid) in found.values.into_iter().zip(mids) {
                assert!((value - mid).abs() < 1e-12, "{value} {mid}");
            }
        }
    }

    #[test]
    fn forks_far_out_count_by_their_side() {
        let with = |far: f64, count: usize| {
            let mut mids = near();
            mids[..count].fill(far);
            located(&mids)
        };
        let location = |far, count| mean(&with(far, count).values);
        assert!((location(1.0, 1) - location(50.0, 1)).abs() < 1e-9);
        assert!((location(1.0, 1) - mean(&near())).abs() < 0.0005, "{}", location(1.0, 1));
        let half = Effect::paired(&with(50.0, 1)).unwrap().interval(0.95).half_width();
        assert!(half < 0.002, "{half}");
        assert!(location(0.26, 12) < 0.004, "thirty percent on a level of their own: {}", location(0.26, 12));
    }

    #[test]
    fn middle_gives_the_degrees_of_freedom() {
        // Five of six, and 24 of 40; values that lie alike are all in it.
        assert!((located(&[0.0, 1.0, 2.0, 3.0, 4.0, 50.0]).freedom - 4.0).abs() < 1e-12);
        let spread: Vec<f64> = (0..40).map(f64::from).collect();
        assert!((located(&spread).freedom - 23.0).abs() < 1e-12, "{}", located(&spread).freedom);
        assert!((located(&[0.5; 30]).freedom - 29.0).abs() < 1e-12);
    }

    #[test]
    fn forks_that_tie_are_located_where_they_tie() {
        let mut mids = vec![0.0; 20];
        mids[..6].fill(0.26);
        let found = located(&mids);
        let half = Effect::paired(&found).unwrap().interval(0.95).half_width();
        assert!(mean(&found.values) < 0.0005 && half < 0.0005, "{} {half}", mean(&found.values));
    }

    proptest! {
        #[test]
        fn location_lies_among_the_forks_whatever_they_are(
            mids in prop::collection::vec(prop_oneof![-1e-3..1e-3, 0.9..1.1, Just(0.5)], 1..60)
        ) {
            let location = mean(&located(&mids).values);
            let ends = mids.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), mid| {
                (low.min(*mid), high.max(*mid))
            });
            prop_assert!(ends.0 - 1e-9 <= location && location <= ends.1 + 1e-9, "{location} not within {ends:?}");
        }
    }
}
