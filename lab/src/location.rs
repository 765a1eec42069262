//! A trial: where the log-ratios of a run lie, located over all its forks at once, and what each fork contributes to that.
//!
//! A sample is disturbed by seconds of other work on the machine more often than a probe can see, so that most pairs lie within a few
//! thousandths of each other and the rest anywhere. Medians of single forks, of a few pairs each, then jump, and their mean with them.
//! So all forks together are located at once, stratum by stratum, with an estimator that counts what lies in the middle by its value and
//! what lies outside by its side alone: Huber's (Robust estimation of a location parameter, 1964), with a narrow middle.
//!
//! Samples of one fork share a process, so its interval is that of forks: each fork's influence on the location (its sum of Huber's ψ over
//! the slope) is made a value whose mean over forks is the location, and whose spread over forks is its error. Student's interval over
//! these values then is that of a location whose errors are clustered by fork (Hampel et al., Robust Statistics, 1986, section 2.1; the
//! jackknife's pseudo-values, with the influence for its differences). A fork weighs as much as it has pairs. `copies` prints what it comes
//! to beside the figures of a run.

use std::collections::BTreeMap;

use ciphermeter_stats::median;

/// The share of a stratum's values that are counted by value.
const MIDDLE: f64 = 0.2;
/// The middle has at least so many values where there are as many; with fewer in a stratum, strata are not told apart.
const LEAST_MIDDLE: usize = 15;
/// But so large a share of the values at most, so that a few that lie far out never count by value.
const MOST_MIDDLE: f64 = 0.75;
/// Steps towards the location at most; a few dozen reach the last digits.
const MOST_STEPS: usize = 100;

/// One value of a fork.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Located {
    /// The fork's number.
    pub fork: u32,
    /// Values of a stratum belong together; strata weigh the same.
    pub stratum: usize,
    /// The logarithm of a ratio.
    pub log: f64,
}

/// For each fork a value; their mean is the location of all, and the standard error of their mean is the location's.
pub fn fork_values(all: &[Located]) -> BTreeMap<u32, f64> {
    let mut pairs: BTreeMap<u32, f64> = BTreeMap::new();
    let mut strata: BTreeMap<usize, Vec<Located>> = BTreeMap::new();
    for value in all {
        *pairs.entry(value.fork).or_default() += 1.0;
        strata.entry(value.stratum).or_default().push(*value);
    }
    if strata.values().any(|values| values.len() < LEAST_MIDDLE) {
        strata = BTreeMap::from([(0, all.to_vec())]);
    }
    let (mut location, mut influences) = (0.0, pairs.keys().map(|fork| (*fork, 0.0)).collect::<BTreeMap<u32, f64>>());
    let weight = 1.0 / strata.len() as f64;
    for values in strata.values() {
        let logs: Vec<f64> = values.iter().map(|value| value.log).collect();
        let Some((mid, half)) = middle(&logs) else { continue };
        location += weight * mid;
        let inside = logs.iter().filter(|log| (*log - mid).abs() <= half).count().max(1);
        for value in values {
            let psi = (value.log - mid).clamp(-half, half);
            *influences.entry(value.fork).or_default() += weight * psi / inside as f64;
        }
    }
    let forks = pairs.len() as f64;
    let total: f64 = pairs.values().sum();
    // What the interval's n ÷ (n − 1) is for forks of equal size, for these.
    let uneven = (1.0 - pairs.values().map(|own| (own / total).powi(2)).sum::<f64>()).max(f64::MIN_POSITIVE);
    let scale = if forks > 1.0 { forks * ((forks - 1.0) / forks / uneven).sqrt() } else { 0.0 };
    // Rounding aside, they sum to 0.
    let rest = influences.values().sum::<f64>() / forks;
    influences.into_iter().map(|(fork, influence)| (fork, location + scale * (influence - rest))).collect()
}

/// The location of one stratum, and half of the width of its middle; `None` of nothing.
fn middle(logs: &[f64]) -> Option<(f64, f64)> {
    let mut mid = median(&mut logs.to_vec())?;
    let share = (LEAST_MIDDLE as f64 / logs.len() as f64).clamp(MIDDLE, MOST_MIDDLE);
    let mut off: Vec<f64> = logs.iter().map(|log| (log - mid).abs()).collect();
    off.sort_by(f64::total_cmp);
    let half = off[((share * off.len() as f64).ceil() as usize).clamp(1, off.len()) - 1];
    if !(half > 0.0 && half.is_finite()) {
        return Some((mid, 0.0));
    }
    for _ in 0..MOST_STEPS {
        let (mut sum, mut weights) = (0.0, 0.0);
        for log in logs {
            let weight = (half / (log - mid).abs()).min(1.0);
            (sum, weights) = (sum + weight * log, weights + weight);
        }
        let next = sum / weights;
        let is_there = (next - mid).abs() < 1e-9 * half;
        mid = next;
        if is_there {
            break;
        }
    }
    Some((mid, half))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ciphermeter_stats::interval;

    fn located(forks: &[&[f64]]) -> Vec<Located> {
        let of_fork = |(fork, logs): (usize, &&[f64])| {
            logs.iter().map(move |log| Located { fork: fork as u32, stratum: 0, log: *log }).collect::<Vec<_>>()
        };
        forks.iter().enumerate().flat_map(of_fork).collect()
    }

    fn mean(values: &BTreeMap<u32, f64>) -> f64 {
        values.values().sum::<f64>() / values.len() as f64
    }

    #[test]
    fn values_of_nothing_of_one_and_of_equals() {
        assert!(fork_values(&[]).is_empty());
        assert_eq!(fork_values(&located(&[&[0.3]])), BTreeMap::from([(0, 0.3)]));
        assert_eq!(fork_values(&located(&[&[0.3, 0.3], &[0.3]])), BTreeMap::from([(0, 0.3), (1, 0.3)]));
    }

    #[test]
    fn what_lies_far_out_counts_by_its_side() {
        let near: Vec<f64> = (0..40).map(|n| f64::from(n % 10) * 0.001).collect();
        let with = |far: f64| {
            let mut logs = near.clone();
            logs[0] = far;
            mean(&fork_values(&located(&logs.chunks(4).collect::<Vec<_>>())))
        };
        assert!((with(1.0) - with(50.0)).abs() < 1e-9, "{} {}", with(1.0), with(50.0));
        assert!((with(1.0) - 0.0045).abs() < 0.0005, "{}", with(1.0));
    }

    #[test]
    fn strata_weigh_the_same_and_levels_within_them_are_averaged() {
        // A stratum with twice as many pairs, a tenth higher.
        let mut all = Vec::new();
        for fork in 0..10_u32 {
            for pair in 0..6_u32 {
                let stratum = usize::from(pair >= 2);
                let noise = f64::from((fork * 7 + pair * 3) % 11) * 1e-4;
                all.push(Located { fork, stratum, log: stratum as f64 * 0.1 + noise });
            }
        }
        assert!((mean(&fork_values(&all)) - 0.0505).abs() < 0.0005, "{}", mean(&fork_values(&all)));
    }

    #[test]
    fn a_fork_weighs_as_much_as_it_has_pairs() {
        let jitter = |n: i32| f64::from(n % 5 - 2) * 1e-3;
        let many: Vec<f64> = (0..30).map(jitter).collect();
        let few: Vec<f64> = (0..3).map(|n| 0.5 + jitter(n)).collect();
        let estimate = mean(&fork_values(&located(&[&many, &many, &many, &few])));
        assert!(estimate.abs() < 0.002, "{estimate}");
    }

    #[test]
    fn processes_that_differ_widen_the_interval_however_many_pairs_they_have() {
        let fork = |base: f64, pairs: i32| (0..pairs).map(|n| base + f64::from(n % 7 - 3) * 1e-4).collect::<Vec<f64>>();
        let half = |pairs: i32| {
            let forks: Vec<Vec<f64>> = (0..12).map(|n| fork(f64::from((n * 5) % 12) * 0.01, pairs)).collect();
            let values = fork_values(&located(&forks.iter().map(Vec::as_slice).collect::<Vec<_>>()));
            interval(&values.into_values().collect::<Vec<_>>(), 0.95).unwrap().half_width()
        };
        assert!(half(20) > 0.015 && (half(80) / half(20) - 1.0).abs() < 0.2, "{} {}", half(20), half(80));
    }
}
