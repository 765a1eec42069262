//! What a reader should know before trusting a figure. Warnings are values; printing them is another crate's matter.

use std::fmt;

use crate::{LEAST_FORKS, median, quantile};

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
    /// Some processes are slower as a whole, on a level of their own.
    ByProcess {
        /// How much the upper lies above the lower, as a fraction.
        apart: f64,
        /// How many processes are on the upper.
        slower: usize,
        /// Of how many.
        all: usize,
        /// What put them there.
        cause: LevelCause,
    },
    /// In some layouts it is slower.
    ByLayout {
        /// By how much, as a fraction.
        apart: f64,
        /// Those positions of the stack in a cache line in which it is, a bit for each 16 bytes.
        stack: u8,
        /// Whether it is where buffers are not aligned.
        unaligned: bool,
    },
    /// While its calls fault in pages, it is slower: an allocator that gives memory back gets it anew for each call.
    ByFaults {
        /// By how much, as a fraction.
        apart: f64,
        /// How many faults a call then has.
        faults: f64,
        /// In which share of the samples, as a fraction.
        share: f64,
    },
    /// A process that has just started and one that has served for a while differ.
    ByAge {
        /// By how much the slower, as a fraction.
        apart: f64,
        /// Whether that is the one that has just started.
        new_is_slower: bool,
    },
    /// CPU time far from elapsed time: something else ran on the core, or the library uses threads of its own.
    CpuApart {
        /// Share of the samples, as a fraction.
        share: f64,
    },
    /// By the harness's clock its calls took far longer than its worker claims.
    Unclaimed {
        /// How many times as long, the median of these samples.
        times: f64,
        /// Their share of all, as a fraction.
        share: f64,
    },
}

/// What puts whole processes on a level of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LevelCause {
    /// The library, or where its process lies: other workers' cells stay as they are in the same forks.
    Library,
    /// The machine: other workers' cells shift in the same forks.
    Machine,
    /// Too few workers were measured to tell.
    Unknown,
}

impl Warning {
    /// What more time does about it; `None` where it does nothing.
    pub fn more_time(&self) -> Option<&'static str> {
        match self {
            Self::Wide { .. } => Some("narrows it"),
            Self::Few { .. } => Some("adds some"),
            _ => None,
        }
    }
}

/// Without what helps, as that depends on where it was measured.
impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: &f64| share * 100.0;
        match self {
            Self::Wide { half_width, asked } => {
                let (known, asked) = (percent(half_width), percent(asked));
                write!(f, "precision ±{known:.1} % (requested ±{asked:.1} %)")
            }
            Self::Few { forks } => {
                let forks = format!("{forks} whole fork{}", if *forks == 1 { "" } else { "s" });
                write!(f, "rests on {forks}, fewer than the {LEAST_FORKS} that an interval needs")
            }
            Self::TwoLevels { apart, upper } => write!(
                f,
                "runs at two levels {:.1} % apart, with {:.0} % of the samples at the slower",
                percent(apart),
                percent(upper)
            ),
            Self::ByProcess { apart, slower, all, cause } => {
                let cause = match cause {
                    LevelCause::Library => "",
                    LevelCause::Machine => ", as other libraries are in the same forks: the machine differed",
                    LevelCause::Unknown => "; with fewer than three workers, that may be the library or the machine",
                };
                let apart = percent(apart);
                write!(f, "runs at two levels {apart:.1} % apart by process: {slower} of {all} are slower{cause}")
            }
            Self::ByLayout { apart, stack, unaligned } => {
                let bytes: Vec<String> =
                    (0..4).filter(|bit| stack >> bit & 1 == 1).map(|bit| (16 * bit).to_string()).collect();
                let stack = (!bytes.is_empty())
                    .then(|| format!("where the stack lies at {} bytes of a cache line", bytes.join(" or ")));
                let buffers = unaligned.then(|| "where buffers are not aligned to 16 bytes".to_owned());
                let places: Vec<String> = stack.into_iter().chain(buffers).collect();
                write!(
                    f,
                    "runs {:.1} % slower {}; the figure is the mean over layouts",
                    percent(apart),
                    places.join(" and ")
                )
            }
            Self::ByFaults { apart, faults, share } => write!(
                f,
                "runs {:.0} % slower in {:.0} % of the samples, whose calls fault in {faults:.0} pages each: the allocator had given \
                 the memory back",
                percent(apart),
                percent(share)
            ),
            Self::ByAge { apart, new_is_slower } => {
                let (slower, faster) = ("a process that has just started", "one that has served for a while");
                let (slower, faster) = if *new_is_slower { (slower, faster) } else { (faster, slower) };
                write!(
                    f,
                    "runs {:.1} % slower in {slower} than in {faster}; the figure is that of both",
                    percent(apart)
                )
            }
            Self::CpuApart { share } => {
                write!(
                    f,
                    "CPU time differs from elapsed time by more than 10 % in {:.0} % of the samples",
                    percent(share)
                )
            }
            Self::Unclaimed { times, share } => write!(
                f,
                "took {times:.1} times as long as its worker claims in {:.0} % of the samples, by the harness's clock: do not use the \
                 figure; correct the worker's times (PROTOCOL.md, `sample`), and measure again",
                percent(share)
            ),
        }
    }
}

/// Two levels in values on a logarithmic scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Levels {
    /// By how much the upper lies above the lower, as a logarithm.
    pub apart: f64,
    /// The least value of the upper.
    pub upper: f64,
    /// How many values are on the upper.
    pub count: usize,
}

/// Two levels in values on a logarithmic scale: the split that leaves the least spread within its halves is real if each half holds
/// a tenth of the values and their medians lie a hundredth, and eight times their own median deviation, apart. Fewer than 20 values show
/// nothing.
pub fn levels(values: &[f64]) -> Option<Levels> {
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
    real.then_some(Levels { apart, upper: *high.first()?, count: high.len() })
}

/// Two levels in the samples of a cell.
pub fn two_levels(values: &[f64]) -> Option<Warning> {
    let Levels { apart, count, .. } = levels(values)?;
    Some(Warning::TwoLevels { apart: apart.exp_m1(), upper: count as f64 / values.len() as f64 })
}

/// Strata that are slower than the others.
#[derive(Debug, Clone, PartialEq)]
pub struct Slower {
    /// By how much, as a fraction.
    pub apart: f64,
    /// Their places.
    pub strata: Vec<usize>,
}

/// Which strata of values on a logarithmic scale lie above the others: sorted by their medians and cut where the step is largest. The
/// cut is real if the halves lie a hundredth, and five standard errors, apart. `None` without one, or with fewer than eight values
/// in a stratum. Reorders the values.
pub fn slower_strata(strata: &mut [Vec<f64>]) -> Option<Slower> {
    const LEAST: usize = 8;
    if strata.iter().any(|values| values.len() < LEAST) {
        return None;
    }
    let mut order: Vec<(f64, f64, usize)> = Vec::new();
    for (place, values) in strata.iter().enumerate() {
        let (mid, off) = middle(values)?;
        // A median's variance is π/2 times a mean's, and a normal's deviation 1.4826 times the median one.
        let square = std::f64::consts::FRAC_PI_2 * (1.4826 * off).powi(2) / values.len() as f64;
        order.push((mid, square, place));
    }
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let cut = (1..order.len()).max_by(|a, b| {
        let step = |cut: &usize| order[*cut].0 - order[cut - 1].0;
        step(a).total_cmp(&step(b))
    })?;
    let (fast, slow) = order.split_at(cut);
    let mean = |part: &[(f64, f64, usize)]| part.iter().map(|(mid, ..)| mid).sum::<f64>() / part.len() as f64;
    let square = |part: &[(f64, f64, usize)]| {
        part.iter().map(|(_, square, _)| square).sum::<f64>() / (part.len() * part.len()) as f64
    };
    let apart = mean(slow) - mean(fast);
    let error = (square(fast) + square(slow)).sqrt();
    let mut places: Vec<usize> = slow.iter().map(|(.., place)| *place).collect();
    places.sort_unstable();
    (apart > 0.01 && apart > 5.0 * error).then(|| Slower { apart: apart.exp_m1(), strata: places })
}

/// Whether samples whose calls fault in pages are slower than the others; each is (faults a call, logarithm of its time). Both
/// sorts must be a tenth of the samples, and lie a hundredth apart.
pub fn by_faults(samples: &[(f64, f64)]) -> Option<Warning> {
    const LEAST: usize = 20;
    if samples.len() < LEAST {
        return None;
    }
    let many = quantile(&mut samples.iter().map(|(faults, _)| *faults).collect::<Vec<_>>(), 0.9)?;
    let (high, low): (Vec<_>, Vec<_>) = samples.iter().copied().partition(|(faults, _)| *faults >= many / 2.0);
    if many < 1.0 || high.len().min(low.len()) * 10 < samples.len() {
        return None;
    }
    let mid = |part: &[(f64, f64)]| median(&mut part.iter().map(|(_, log)| *log).collect::<Vec<_>>());
    let apart = mid(&high)? - mid(&low)?;
    let faults = median(&mut high.iter().map(|(faults, _)| *faults).collect::<Vec<_>>())?;
    let share = high.len() as f64 / samples.len() as f64;
    (apart > 0.01).then(|| Warning::ByFaults { apart: apart.exp_m1(), faults, share })
}

/// Whether forks whose processes have just started differ from those whose processes have served for a while: values on a logarithmic
/// scale, one a fork.
pub fn by_age(new: &[f64], served: &[f64]) -> Option<Warning> {
    let Slower { apart, strata } = slower_strata(&mut [new.to_vec(), served.to_vec()])?;
    Some(Warning::ByAge { apart, new_is_slower: strata == [0] })
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
    fn strata_that_are_slower_are_named() {
        let stratum = |base: f64| (0..40).map(|n| base + f64::from(n % 7) * 0.001).collect::<Vec<f64>>();
        let found = slower_strata(&mut [stratum(0.0), stratum(0.08), stratum(0.001), stratum(0.082), stratum(0.003)]);
        let Slower { apart, strata } = found.unwrap();
        assert_eq!(strata, [1, 3]);
        assert!((apart - 0.081).abs() < 0.005, "{apart}");
        assert_eq!(slower_strata(&mut [stratum(0.0), stratum(0.004), stratum(0.001)]), None);
        assert_eq!(slower_strata(&mut [stratum(0.0), vec![0.5; 7]]), None, "too few to tell");
    }

    #[test]
    fn levels_by_layout_and_process_read_as_sentences() {
        let by_layout = |stack, unaligned| Warning::ByLayout { apart: 0.09, stack, unaligned }.to_string();
        assert_eq!(
            by_layout(0b1010, false),
            "runs 9.0 % slower where the stack lies at 16 or 48 bytes of a cache line; the figure is the mean over layouts"
        );
        assert_eq!(
            by_layout(0, true),
            "runs 9.0 % slower where buffers are not aligned to 16 bytes; the figure is the mean over layouts"
        );
        let values: Vec<f64> =
            (0..24).map(|n| f64::from(n % 5) * 0.001 + if n % 8 == 0 { 0.12 } else { 0.0 }).collect();
        let Levels { apart, count, .. } = levels(&values).unwrap();
        let said =
            |cause| Warning::ByProcess { apart: apart.exp_m1(), slower: count, all: values.len(), cause }.to_string();
        let levels = "runs at two levels 12.6 % apart by process: 3 of 24 are slower";
        assert_eq!(said(LevelCause::Library), levels);
        assert!(said(LevelCause::Machine).ends_with("in the same forks: the machine differed"));
        assert!(said(LevelCause::Unknown).ends_with("may be the library or the machine"));
    }

    #[test]
    fn faults_of_pages_are_a_reason() {
        let sample = |n: u32, faults: f64, log: f64| (faults + f64::from(n % 3), log + f64::from(n % 7) * 0.002);
        let mixed: Vec<(f64, f64)> =
            (0..100).map(|n| if n % 4 == 0 { sample(n, 255.0, 0.45) } else { sample(n, 0.0, 0.0) }).collect();
        let found = by_faults(&mixed).unwrap().to_string();
        assert_eq!(
            found,
            "runs 57 % slower in 25 % of the samples, whose calls fault in 256 pages each: the allocator had given the memory back"
        );
        let all: Vec<(f64, f64)> = (0..100).map(|n| sample(n, 255.0, 0.0)).collect();
        assert_eq!(by_faults(&all), None, "where every call faults there are no two states");
        let level: Vec<(f64, f64)> = (0..100).map(|n| sample(n, f64::from(n % 2) * 255.0, 0.0)).collect();
        assert_eq!(by_faults(&level), None, "nor where faults cost nothing");
        assert_eq!(by_faults(&mixed[..10]), None);
    }

    #[test]
    fn age_of_a_process_is_a_reason() {
        let forks = |base: f64| (0..12).map(|n| base + f64::from(n % 5) * 0.004).collect::<Vec<f64>>();
        let found = by_age(&forks(0.3), &forks(0.0)).unwrap().to_string();
        assert_eq!(
            found,
            "runs 35.0 % slower in a process that has just started than in one that has served for a while; the figure is that of both"
        );
        assert_eq!(by_age(&forks(0.0), &forks(0.002)), None);
        assert_eq!(by_age(&forks(0.3), &forks(0.0)[..7]), None, "too few forks to tell");
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
