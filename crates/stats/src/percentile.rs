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

    /// The shortest length that so large a share of the calls don't exceed (the nearest rank, a length that was measured),
    /// from (nanoseconds, calls) in ascending order; `None` without calls.
    pub fn of(self, calls: &[(u64, u64)]) -> Option<u64> {
        let all = total(calls);
        let rank = (all * u128::from(self.per_mille())).div_ceil(1000).max(1);
        let mut below = 0;
        let reaches = |(_, calls): &&(u64, u64)| {
            below += u128::from(*calls);
            below >= rank
        };
        calls.iter().find(reaches).map(|(ns, _)| *ns)
    }

    /// The same where it can be given.
    ///
    /// # Errors
    /// Too few calls, or one reading of the clock, which costs `clock_ns`, is over a tenth of it.
    pub fn judged(self, calls: &[(u64, u64)], clock_ns: u64) -> Result<u64, Refused> {
        let (all, needed) = (u64::try_from(total(calls)).unwrap_or(u64::MAX), self.needs());
        match self.of(calls) {
            Some(ns) if all >= needed => match clock_ns.saturating_mul(10) > ns || ns == 0 {
                true => Err(Refused::Clock { clock_ns, ns }),
                false => Ok(ns),
            },
            _ => Err(Refused::Calls { calls: all, needed }),
        }
    }
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
    fn nearest_ranks() {
        let calls: Vec<(u64, u64)> = (1..=1000).map(|ns| (ns, 1)).collect();
        assert_eq!(Percentile::ALL.map(|percentile| percentile.of(&calls)), [500, 900, 990, 999].map(Some));
        assert_eq!(Percentile::ALL.map(|percentile| percentile.of(&[(7, 1)])), [Some(7); 4]);
        assert_eq!(Percentile::P50.of(&[(7, 0), (8, 2), (9, 1)]), Some(8));
        assert_eq!(Percentile::P50.of(&[]), None);
        assert_eq!(Percentile::P99_9.of(&[(1, u64::MAX), (2, u64::MAX)]), Some(2), "sums don't overflow");
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
                prop_assert_eq!(percentile.of(&calls), Some(lengths[rank - 1]));
            }
        }
    }
}
