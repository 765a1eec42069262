//! What a reader should know before trusting a figure. Warnings are values; printing them is another crate's matter.

use std::fmt;

use crate::{LEAST_FORKS, median};

/// Something about the samples that a single figure would hide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Warning {
    /// The interval is wider than was asked for.
    Wide {
        /// Its half-width, as a fraction.
        half_width: f64,
        /// The half-width asked for.
        asked: f64,
    },
    /// So few forks that an interval over them means little, however narrow it is.
    Few {
        /// How many.
        forks: usize,
    },
    /// The ratio lies on two levels; its median is one of them or between.
    TwoLevels {
        /// How much the upper lies above the lower, as a fraction.
        apart: f64,
        /// Share of the samples on the upper.
        upper: f64,
    },
    /// CPU time far from elapsed time: something else ran on the core, or the library uses threads of its own.
    CpuApart {
        /// Share of the samples, as a fraction.
        share: f64,
    },
    /// After a cell with wide vectors it ran at another speed, in spite of warm-up.
    CarryOver {
        /// By how much, as a fraction; above 0: slower.
        by: f64,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: &f64| share * 100.0;
        match self {
            Self::Wide { half_width, asked } => {
                let (known, asked) = (percent(half_width), percent(asked));
                write!(f, "precision ±{known:.1} % (requested ±{asked:.1} %); a longer --budget narrows it")
            }
            Self::Few { forks } => {
                let forks = format!("{forks} whole fork{}", if *forks == 1 { "" } else { "s" });
                write!(
                    f,
                    "rests on {forks}, fewer than the {LEAST_FORKS} that an interval needs; a longer --budget adds some"
                )
            }
            Self::TwoLevels { apart, upper } => write!(
                f,
                "runs at two levels {:.1} % apart, with {:.0} % of the samples at the slower",
                percent(apart),
                percent(upper)
            ),
            Self::CpuApart { share } => {
                write!(
                    f,
                    "CPU time differs from elapsed time by more than 10 % in {:.0} % of the samples",
                    percent(share)
                )
            }
            Self::CarryOver { by } => {
                write!(f, "runs {:+.1} % slower right after a cell with wide vectors, despite warm-up", percent(by))
            }
        }
    }
}

/// Two levels in values on a logarithmic scale: the split that leaves the least spread within its halves is real if each half holds
/// a tenth of the values and their medians lie a hundredth, and eight times their own median deviation, apart.
pub fn two_levels(values: &[f64]) -> Option<Warning> {
    const LEAST: usize = 20;
    if values.len() < LEAST {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let split = best_split(&sorted);
    let (low, high) = sorted.split_at(split);
    if low.len().min(high.len()) * 10 < values.len() {
        return None;
    }
    let (low_mid, low_off) = middle(low)?;
    let (high_mid, high_off) = middle(high)?;
    let apart = high_mid - low_mid;
    let real = apart > 0.01 && apart > 8.0 * low_off.max(high_off);
    real.then(|| Warning::TwoLevels { apart: apart.exp_m1(), upper: high.len() as f64 / values.len() as f64 })
}

/// Where to cut sorted values so that the squares within both parts sum to the least (Otsu's threshold).
fn best_split(sorted: &[f64]) -> usize {
    let total: f64 = sorted.iter().sum();
    let (mut below, mut best, mut best_between) = (0.0, 1, f64::MIN);
    for cut in 1..sorted.len() {
        below += sorted[cut - 1];
        let (n, m) = (cut as f64, (sorted.len() - cut) as f64);
        let between = below * below / n + (total - below) * (total - below) / m;
        if between > best_between {
            (best, best_between) = (cut, between);
        }
    }
    best
}

/// Median and median absolute deviation.
fn middle(values: &[f64]) -> Option<(f64, f64)> {
    let mid = median(&mut values.to_vec())?;
    let mut off: Vec<f64> = values.iter().map(|value| (value - mid).abs()).collect();
    Some((mid, median(&mut off)?))
}

/// CPU time off from elapsed time by over a tenth in over a tenth of the samples. `samples` are (ns, cpu_ns).
pub fn cpu_apart(samples: &[(u64, u64)]) -> Option<Warning> {
    let apart = samples.iter().filter(|(ns, cpu)| cpu.abs_diff(*ns) * 10 > *ns).count();
    let share = apart as f64 / samples.len().max(1) as f64;
    (share > 0.1).then_some(Warning::CpuApart { share })
}

/// How much slower the values (on a logarithmic scale) are right after a wide neighbour than after others; `None` if either is too rare.
pub fn carry_over(after_wide: &mut [f64], after_others: &mut [f64]) -> Option<f64> {
    const LEAST: usize = 8;
    if after_wide.len() < LEAST || after_others.len() < LEAST {
        return None;
    }
    Some(median(after_wide)? - median(after_others)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_levels_are_told_from_one_wide_one() {
        let one: Vec<f64> = (0..200).map(|n| f64::from(n % 17) * 0.002).collect();
        assert_eq!(two_levels(&one), None);
        let two: Vec<f64> = (0..200).map(|n| f64::from(n % 7) * 0.0005 + if n % 4 == 0 { 0.05 } else { 0.0 }).collect();
        match two_levels(&two) {
            Some(Warning::TwoLevels { apart, upper }) => {
                assert!((apart - 0.051).abs() < 0.002, "{apart}");
                assert!((upper - 0.25).abs() < 0.01, "{upper}");
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_few_outliers_are_not_a_level() {
        let values: Vec<f64> =
            (0..200).map(|n| f64::from(n % 7) * 0.0005 + if n % 40 == 0 { 0.5 } else { 0.0 }).collect();
        assert_eq!(two_levels(&values), None);
    }

    #[test]
    fn cpu_time_far_from_elapsed_is_flagged() {
        assert_eq!(cpu_apart(&[(100, 99); 20]), None);
        assert_eq!(cpu_apart(&[(100, 50), (100, 100)]), Some(Warning::CpuApart { share: 0.5 }));
        assert_eq!(cpu_apart(&[]), None);
    }
}
