//! Percentiles of single calls, and when none is given.
//!
//! A tail that a few calls decide, or that is mostly the clock's own cost, is refused with the reason; nothing is ever
//! subtracted from a call to rescue it (METHODOLOGY.md, point 13).

use std::fmt;

/// A percentile that is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Percentile {
    /// The median.
    P50,
    /// Nine calls in ten take at most so long.
    P90,
    /// 99 of 100.
    P99,
    /// 999 of 1,000.
    P99_9,
}

impl Percentile {
    /// All of them, ascending.
    pub const ALL: [Self; 4] = [Self::P50, Self::P90, Self::P99, Self::P99_9];

    /// As it is written: `p50`, `p99.9`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::P50 => "p50",
            Self::P90 => "p90",
            Self::P99 => "p99",
            Self::P99_9 => "p99.9",
        }
    }

    /// So many calls it takes: at the least fifty beyond it, a hundred in the tails.
    pub const fn needs(self) -> u64 {
        match self {
            Self::P50 => 100,
            Self::P90 => 1_000,
            Self::P99 => 10_000,
            Self::P99_9 => 100_000,
        }
    }

    const fn per_mille(self) -> u64 {
        match self {
            Self::P50 => 500,
            Self::P90 => 900,
            Self::P99 => 990,
            Self::P99_9 => 999,
        }
    }

    /// The length that so large a share of the calls doesn't exceed, from (nanoseconds, calls) in ascending order; `None` without calls. It is
    /// interpolated within a step of the clock, over whose width the calls of the step are spread evenly: a clock that goes in steps of
    /// 10 ns reads 140 ns for whatever takes 135 to 145.
    pub fn of(self, calls: &[(u64, u64)]) -> Option<f64> {
        let steps = steps(calls);
        let rank = steps.iter().map(|step| step.calls).sum::<f64>() * self.per_mille() as f64 / 1000.0;
        let mut below = 0.0;
        for Step { middle, width, calls } in steps {
            if below + calls >= rank {
                return Some(middle + width * ((rank - below) / calls - 0.5));
            }
            below += calls;
        }
        None
    }

    /// The same where it can be given.
    ///
    /// # Errors
    /// Too few calls, or one reading of the clock, which costs `clock_ns`, is over a tenth of it.
    pub fn judged(self, calls: &[(u64, u64)], clock_ns: u64) -> Result<u64, Refused> {
        let (all, needed) = (u64::try_from(total(calls)).unwrap_or(u64::MAX), self.needs());
        match self.of(calls).map(|ns| ns.round() as u64) {
            Some(ns) if all >= needed => match clock_ns.saturating_mul(10) > ns || ns == 0 {
                true => Err(Refused::Clock { clock_ns, ns }),
                false => Ok(ns),
            },
            _ => Err(Refused::Calls { calls: all, needed }),
        }
    }
}

/// Lengths between which the clock tells no difference.
struct Step {
    middle: f64,
    width: f64,
    calls: f64,
}

/// The steps that the clock goes in, from lengths in ascending order. A tick of 10.02 ns is read as 10 or 11 ns, so lengths that lie much
/// closer than most others do are one step.
fn steps(calls: &[(u64, u64)]) -> Vec<Step> {
    let calls: Vec<(f64, f64)> =
        calls.iter().filter(|(_, calls)| *calls > 0).map(|(ns, calls)| (*ns as f64, *calls as f64)).collect();
    let gap = usual_gap(&calls);
    let mut steps: Vec<Vec<(f64, f64)>> = Vec::new();
    for (ns, calls) in calls {
        match steps.last_mut().filter(|step| step.last().is_some_and(|(last, _)| ns - last < gap / 2.0)) {
            Some(step) => step.push((ns, calls)),
            None => steps.push(vec![(ns, calls)]),
        }
    }
    let step = |lengths: Vec<(f64, f64)>| {
        let calls = lengths.iter().map(|(_, calls)| calls).sum::<f64>();
        let middle = lengths.iter().map(|(ns, calls)| ns * calls).sum::<f64>() / calls;
        // From a step's first length to the next one's first.
        let within = lengths.last().map_or(0.0, |(last, _)| last - lengths[0].0);
        Step { middle, width: gap + within, calls }
    };
    steps.into_iter().map(step).collect()
}

/// The gap between neighbouring lengths that separates steps where most calls are: nine in ten of the gaps, by the calls on their rarer
/// side, are no wider.
fn usual_gap(calls: &[(f64, f64)]) -> f64 {
    let mut gaps: Vec<(f64, f64)> =
        calls.windows(2).map(|pair| (pair[1].0 - pair[0].0, pair[0].1.min(pair[1].1))).collect();
    gaps.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all: f64 = gaps.iter().map(|(_, calls)| calls).sum();
    let mut below = 0.0;
    let reaches = |(_, calls): &&(f64, f64)| {
        below += calls;
        below >= 0.9 * all
    };
    gaps.iter().find(reaches).map_or(0.0, |(gap, _)| *gap)
}

/// Two counts of 2⁶⁴ calls don't overflow.
fn total(calls: &[(u64, u64)]) -> u128 {
    calls.iter().map(|(_, calls)| u128::from(*calls)).sum()
}

/// Why a percentile is not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// The clock's cost is over a tenth of it.
    Clock {
        /// One reading, in nanoseconds.
        clock_ns: u64,
        /// What the percentile would have been, in nanoseconds.
        ns: u64,
    },
    /// Too few calls were timed.
    Calls {
        /// How many were.
        calls: u64,
        /// How many it takes.
        needed: u64,
    },
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clock { clock_ns, ns } => {
                write!(f, "one reading of the clock costs {clock_ns} ns, over 10 % of the {ns} ns that were read")
            }
            Self::Calls { calls, needed } => write!(f, "{calls} calls were timed, it takes {needed}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranks() {
        let calls: Vec<(u64, u64)> = (1..=1000).map(|ns| (ns, 1)).collect();
        assert_eq!(Percentile::ALL.map(|percentile| percentile.of(&calls)), [500.5, 900.5, 990.5, 999.5].map(Some));
        assert_eq!(Percentile::ALL.map(|percentile| percentile.of(&[(7, 1)])), [Some(7.0); 4]);
        assert_eq!(Percentile::P50.of(&[(7, 0), (8, 2), (9, 1)]), Some(8.25));
        assert_eq!(Percentile::P50.of(&[]), None);
        assert!(Percentile::P99_9.of(&[(1, u64::MAX), (2, u64::MAX)]).unwrap() > 2.0, "sums don't overflow");
    }

    #[test]
    fn percentiles_lie_within_a_step() {
        // As an EPYC reads 16-byte seals: ticks of 10.02 ns.
        let calls = [
            (120, 269),
            (121, 68),
            (130, 1413),
            (131, 469),
            (140, 5883),
            (141, 2243),
            (150, 1070),
            (151, 392),
            (160, 182),
        ];
        let p50 = Percentile::P50.of(&calls).unwrap();
        // 2,219 calls are below the step of 8,126 that holds number 5,994.5.
        assert!((p50 - (140.28 + 10.0 * (3775.5 / 8126.0 - 0.5))).abs() < 0.1, "{p50}");
        // A clock of 1 ns: nothing is merged.
        let fine: Vec<(u64, u64)> = (100..=199).map(|ns| (ns, 10)).collect();
        let p90 = Percentile::P90.of(&fine).unwrap();
        assert!((p90 - 189.5).abs() < 1e-9, "{p90}");
        assert_eq!(Percentile::P50.of(&[(7, 3)]), Some(7.0));
        assert_eq!(Percentile::P50.of(&[]), None);
    }

    #[test]
    fn refused_where_calls_are_too_few() {
        for (percentile, needed) in Percentile::ALL.into_iter().zip([100, 1_000, 10_000, 100_000]) {
            assert_eq!(percentile.judged(&[(500, needed)], 20), Ok(500));
            let calls = needed - 1;
            assert_eq!(percentile.judged(&[(500, calls)], 20), Err(Refused::Calls { calls, needed }));
        }
        assert_eq!(Percentile::P50.judged(&[], 20), Err(Refused::Calls { calls: 0, needed: 100 }));
    }

    #[test]
    fn refused_where_the_clock_costs_over_a_tenth() {
        let judged = |ns, clock_ns| Percentile::P50.judged(&[(ns, 1000)], clock_ns);
        assert_eq!(judged(230, 23), Ok(230));
        assert_eq!(judged(229, 23), Err(Refused::Clock { clock_ns: 23, ns: 229 }));
        assert_eq!(judged(0, 0), Err(Refused::Clock { clock_ns: 0, ns: 0 }), "a clock too coarse to see the call");
        let why = judged(229, 23).unwrap_err().to_string();
        assert_eq!(why, "one reading of the clock costs 23 ns, over 10 % of the 229 ns that were read");
    }

    proptest! {
        #[test]
        fn agrees_with_sorting(mut lengths in proptest::collection::vec(0..50u64, 1..300)) {
            lengths.sort_unstable();
            let mut calls = Vec::<(u64, u64)>::new();
            for &ns in &lengths {
                match calls.last_mut() {
                    Some(last) if last.0 == ns => last.1 += 1,
                    _ => calls.push((ns, 1)),
                }
            }
            for percentile in Percentile::ALL {
                let rank = (lengths.len() * percentile.per_mille() as usize).div_ceil(1000);
                // Steps are at most as wide as the widest gap.
                let widest = lengths.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0).max(1) as f64;
                let off = (percentile.of(&calls).unwrap() - lengths[rank - 1] as f64).abs();
                prop_assert!(off <= 2.0 * widest, "{off} off where the widest gap is {widest}");
            }
        }
    }
}
