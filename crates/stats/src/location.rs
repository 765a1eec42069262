//! Where the values of forks lie, and what each fork contributes to that.
//!
//! A neighbour may disturb every sample of a fork, and more of them than a probe sees: most forks lie within a few thousandths of each
//! other and the rest anywhere. So forks are located by Huber's estimator (Robust estimation of a location parameter, 1964): those in the
//! middle count by their value, those outside by their side alone. Each fork's influence on the location (its ψ over the slope) is made a
//! value, so that the mean of these values is the location and Student's interval over them is the location's (the jackknife's
//! pseudo-values, with the influence for its differences; Hampel et al., Robust Statistics, 1986, section 2.1).

use crate::{median, student, two_levels};

/// So many forks at least count by their value: with few, a middle is luck, and what is left is their mean with Student's interval.
const LEAST_MIDDLE: usize = 15;
/// The share of forks that count by their value where there are many.
const MIDDLE: f64 = 0.4;
/// Steps towards the location at most; a few dozen reach the last digits.
const MOST_STEPS: usize = 100;

/// What one fork came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForkValue {
    /// The median of its pairs.
    pub mid: f64,
    /// How many pairs there are.
    pub pairs: usize,
}

/// For each fork a value; their mean is the location of all, and the standard error of their mean is the location's.
///
/// A fork weighs half as much as one of any length where it has the usual number of pairs, and less where it has fewer: processes differ,
/// and pairs do. Where whole processes run on two levels, both are the library's: all count by their value.
pub fn located(forks: &[ForkValue]) -> Vec<f64> {
    let mids: Vec<f64> = forks.iter().map(|fork| fork.mid).collect();
    let usual = median(&mut forks.iter().map(|fork| fork.pairs as f64).collect::<Vec<_>>()).unwrap_or(1.0);
    let weights: Vec<f64> = forks.iter().map(|fork| fork.pairs as f64 / (fork.pairs as f64 + usual)).collect();
    let total: f64 = weights.iter().sum();
    let weights: Vec<f64> = weights.into_iter().map(|weight| weight / total).collect();
    let mut half = if two_levels(&mids).is_some() { f64::INFINITY } else { half_middle(&mids) };
    let mut location = huber(&mids, &weights, half);
    if mids.iter().all(|mid| (mid - location).abs() > half) {
        // It fell between two levels.
        (half, location) = (f64::INFINITY, huber(&mids, &weights, f64::INFINITY));
    }
    let inside: f64 =
        mids.iter().zip(&weights).filter(|(mid, _)| (*mid - location).abs() <= half).map(|(_, w)| w).sum();
    let n = forks.len() as f64;
    // The middle is drawn from the forks themselves, which makes the error a little larger (Huber and Ronchetti, Robust Statistics, 2009,
    // section 7.6), and only the forks in it say by their values how they spread.
    let of_middle = mids.iter().filter(|mid| (*mid - location).abs() <= half).count();
    let drawn = (1.0 + (1.0 - inside) / inside / n) * student(of_middle) / student(forks.len());
    // What n ÷ (n − 1) in a variance is for forks that weigh the same, for these.
    let uneven = 1.0 - weights.iter().map(|weight| weight * weight).sum::<f64>();
    let scale = if forks.len() > 1 { n * ((n - 1.0) / n / uneven).sqrt() * drawn / inside } else { 0.0 };
    let influence = |(mid, weight): (&f64, &f64)| scale * weight * (mid - location).clamp(-half, half);
    let influences: Vec<f64> = mids.iter().zip(&weights).map(influence).collect();
    // Rounding aside, they sum to 0.
    let rest = influences.iter().sum::<f64>() / n;
    influences.into_iter().map(|influence| location + influence - rest).collect()
}

/// How far from the median the middle of the values reaches; infinite where all are in it, or it is a single value.
fn half_middle(mids: &[f64]) -> f64 {
    let least = LEAST_MIDDLE.max((MIDDLE * mids.len() as f64).ceil() as usize);
    let mid = median(&mut mids.to_vec()).unwrap_or(0.0);
    let mut off: Vec<f64> = mids.iter().map(|value| (value - mid).abs()).collect();
    if least >= off.len() {
        return f64::INFINITY;
    }
    let half = *off.select_nth_unstable_by(least - 1, f64::total_cmp).1;
    if half > 0.0 { half } else { f64::INFINITY }
}

/// Huber's location, by weights that are drawn anew in each step: the weighted mean where each value counts by its distance within `half`, and by its side beyond.
fn huber(mids: &[f64], weights: &[f64], half: f64) -> f64 {
    let mut location = median(&mut mids.to_vec()).unwrap_or(0.0);
    for _ in 0..MOST_STEPS {
        let (mut sum, mut total) = (0.0, 0.0);
        for (mid, weight) in mids.iter().zip(weights) {
            let weight = weight * (half / (mid - location).abs()).min(1.0);
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
    use crate::interval;
    use proptest::prelude::*;

    fn forks(mids: &[f64]) -> Vec<ForkValue> {
        mids.iter().map(|mid| ForkValue { mid: *mid, pairs: 9 }).collect()
    }

    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    /// 40 values within 0.005 of 0.
    fn near() -> Vec<f64> {
        (0..40).map(|n| f64::from(n * 7 % 11 - 5) * 1e-3).collect()
    }

    #[test]
    fn few_forks_of_equal_length_stay_as_they_are() {
        assert!(located(&[]).is_empty());
        for mids in [vec![0.3], vec![0.3; 20], near()[..15].to_vec()] {
            for (value, mid) in located(&forks(&mids)).into_iter().zip(mids) {
                assert!((value - mid).abs() < 1e-12, "{value} {mid}");
            }
        }
    }

    #[test]
    fn fork_far_out_counts_by_its_side() {
        let with = |far: f64| {
            let mut mids = near();
            mids[0] = far;
            located(&forks(&mids))
        };
        assert!((mean(&with(1.0)) - mean(&with(50.0))).abs() < 1e-9);
        assert!((mean(&with(1.0)) - mean(&near())).abs() < 0.0005, "{}", mean(&with(1.0)));
        let half = |values: &[f64]| interval(values, 0.95).unwrap().half_width();
        assert!(half(&with(50.0)) < 0.002, "{}", half(&with(50.0)));
    }

    #[test]
    fn fork_of_few_pairs_weighs_less() {
        let mut few = forks(&[0.0; 9]);
        few.push(ForkValue { mid: 1.0, pairs: 1 });
        // 0.1 against nine halves.
        assert!((mean(&located(&few)) - 0.1 / 4.6).abs() < 1e-9, "{}", mean(&located(&few)));
    }

    #[test]
    fn processes_on_two_levels_count_by_their_value() {
        let mids: Vec<f64> = (0..40).map(|n| if n % 4 == 0 { 0.1 } else { 0.0 } + f64::from(n % 3) * 1e-4).collect();
        assert!((mean(&located(&forks(&mids))) - mean(&mids)).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn location_lies_among_the_forks_whatever_they_are(
            forks in prop::collection::vec((prop_oneof![-1e-3..1e-3, 0.9..1.1, Just(0.5)], 1_usize..40), 1..60)
        ) {
            let forks: Vec<ForkValue> = forks.into_iter().map(|(mid, pairs)| ForkValue { mid, pairs }).collect();
            let location = mean(&located(&forks));
            let ends = forks.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), fork| {
                (low.min(fork.mid), high.max(fork.mid))
            });
            prop_assert!(ends.0 - 1e-9 <= location && location <= ends.1 + 1e-9, "{location} not within {ends:?}");
        }
    }
}
