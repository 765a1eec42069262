//! How far each of several lies behind the fastest of them, whichever that is, with intervals that hold for all at once.
//!
//! The fastest is found on the samples that it is then compared by. Among equals that is whichever had luck, and the luck stays in every
//! ratio to it. So the intervals are those of Edwards and Hsu (Multiple comparisons with the best treatment, JASA 78, 1983): the
//! comparisons of the one that is truly fastest, whichever it is, hold together at 95 % (Bonferroni). Then nothing surely
//! beats it, so it is among those that nothing surely beats, and the span of the intervals to each of these holds the ratio to it.

use ciphermeter_stats::simultaneous;

use crate::logs::Logs;
use crate::ratio::Ratio;

/// So many that nothing surely beats are no order of anything; the time for their spans would grow with their square.
const MOST_UNBEATEN: usize = 128;

/// Where one of several stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Behind {
    /// Its time ÷ that of the one that came out fastest. The range holds its time ÷ that of the one that is, together with those
    /// of all others; `None` with a single fork.
    pub ratio: Ratio,
    /// Whether it may itself be the fastest: the span of its intervals holds 1.
    pub may_be_fastest: bool,
}

/// Each of `count` beside the fastest, where `best` came out fastest and `logs` gives, for each fork, ln(time of the one ÷ time of the
/// other). `families` such tables are to hold at once. `None` for what shares no fork with `best`. Without ranges where too many may be the
/// fastest.
pub fn behind_fastest(
    count: usize,
    best: usize,
    families: usize,
    logs: impl Fn(usize, usize) -> Logs,
) -> Vec<Option<Behind>> {
    let confidence = simultaneous(count.saturating_sub(1) * families);
    let itself = Ratio::new(1.0, Some((1.0, 1.0)));
    let between = |one: usize, other: usize| match one == other {
        true => Some(itself),
        false => Ratio::from_logs(&logs(one, other), confidence),
    };
    let to_best: Vec<Option<Ratio>> = (0..count).map(|one| between(one, best)).collect();
    let is_beaten = |one: usize| to_best[one].is_none_or(|ratio| ratio.is_above_one());
    let others: Vec<usize> = (0..count).filter(|one| *one != best && !is_beaten(*one)).collect();
    let behind = |one: usize| {
        let ratio = to_best[one]?;
        if others.len() > MOST_UNBEATEN {
            return Some(Behind { ratio: Ratio::new(ratio.mid, None), may_be_fastest: !is_beaten(one) });
        }
        let mut range = ratio.range();
        for other in &others {
            let own = between(one, *other).and_then(|ratio| ratio.range());
            range = range.zip(own).map(|(span, own)| (span.0.min(own.0), span.1.max(own.1)));
        }
        let ratio = Ratio::new(ratio.mid, range);
        Some(Behind { ratio, may_be_fastest: !ratio.is_above_one() })
    };
    (0..count).map(behind).collect()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn by_fork(values: impl IntoIterator<Item = f64>) -> Logs {
        Logs::located(&(0..).zip(values).collect())
    }

    /// So many that are equal, each with a value a fork.
    fn equals(count: usize, forks: usize, seed: u64) -> Vec<Vec<f64>> {
        let mut random = fastrand::Rng::with_seed(seed);
        // Sums of twelve uniform values are normal enough.
        let mut normal = || (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
        (0..count).map(|_| (0..forks).map(|_| 0.01 * normal()).collect()).collect()
    }

    fn best_of(values: &[Vec<f64>]) -> usize {
        let mean = |one: &Vec<f64>| one.iter().sum::<f64>() / one.len() as f64;
        (0..values.len()).min_by(|a, b| mean(&values[*a]).total_cmp(&mean(&values[*b]))).unwrap()
    }

    fn logs_of(values: &[Vec<f64>], one: usize, other: usize) -> Logs {
        by_fork(values[one].iter().zip(&values[other]).map(|(one, other)| one - other))
    }

    /// Of so many that are equal, tables of which at least one interval misses, as shares of `tables`: drawn to the one that came out
    /// fastest, each at 95 %, and as here.
    fn missed(count: usize, forks: usize, tables: u64) -> (f64, f64) {
        let (mut plain, mut here) = (0, 0);
        for seed in 0..tables {
            let values = equals(count, forks, seed);
            let best = best_of(&values);
            let logs = |one: usize, other: usize| logs_of(&values, one, other);
            let misses = Ratio::excludes_one;
            let alone = |one| Ratio::from_logs(&logs(one, best), crate::CONFIDENCE).unwrap();
            plain += u32::from((0..count).filter(|one| *one != best).map(alone).any(|ratio| misses(&ratio)));
            let table = behind_fastest(count, best, 1, logs);
            here += u32::from(table.iter().flatten().any(|behind| misses(&behind.ratio)));
        }
        (f64::from(plain) / tables as f64, f64::from(here) / tables as f64)
    }

    #[test]
    fn tables_of_equals_hold_as_a_whole() {
        for count in [2, 3, 6, 24] {
            let (plain, here) = missed(count, 20, 1000);
            println!(
                "{count} equals: {:.1} % of tables miss one by plain intervals, {:.1} %",
                plain * 100.0,
                here * 100.0
            );
            // 5 %, and three standard deviations of a thousand draws.
            assert!(here <= 0.071, "{count}: {here}");
        }
        assert!(missed(6, 20, 1000).0 > 0.15, "plain intervals to the best of six miss, which is why these exist");
    }

    #[test]
    fn each_of_equals_may_be_the_fastest() {
        for count in [6, 24] {
            let left_out = (0..1000).filter(|seed| {
                let values = equals(count, 12, *seed);
                let table = behind_fastest(count, best_of(&values), 1, |one, other| logs_of(&values, one, other));
                // Which of them is the first makes no difference: they are equal.
                !table[0].unwrap().may_be_fastest
            });
            let share = left_out.count() as f64 / 1000.0;
            println!("{count} equals: the first is left out of the fastest in {:.1} % of tables", share * 100.0);
            assert!(share <= 0.07, "{count}: {share}");
        }
    }

    #[test]
    fn too_many_that_may_be_the_fastest_have_no_range() {
        let values = equals(MOST_UNBEATEN + 20, 12, 7);
        let compared = Cell::new(0);
        let logs = |one: usize, other: usize| {
            compared.set(compared.get() + 1);
            logs_of(&values, one, other)
        };
        let table = behind_fastest(values.len(), best_of(&values), 1, logs);
        assert!(table.iter().flatten().all(|behind| behind.ratio.range().is_none()));
        assert!(table.iter().flatten().filter(|behind| behind.may_be_fastest).count() > MOST_UNBEATEN);
        assert!(compared.get() < 2 * values.len(), "{}", compared.get());
    }

    #[test]
    fn what_is_surely_slower_keeps_its_interval() {
        let values = [[0.0, 0.01, 0.02, 0.0, 0.01, 0.02], [0.7, 0.72, 0.71, 0.7, 0.72, 0.71]];
        let logs =
            |one: usize, other: usize| by_fork(values[one].iter().zip(&values[other]).map(|(one, other)| one - other));
        let table = behind_fastest(2, 0, 1, logs);
        assert_eq!(table[0], Some(Behind { ratio: Ratio::new(1.0, Some((1.0, 1.0))), may_be_fastest: true }));
        let plain = Ratio::from_logs(&logs(1, 0), crate::CONFIDENCE).unwrap();
        assert_eq!(table[1], Some(Behind { ratio: plain, may_be_fastest: false }));
        let wider = behind_fastest(2, 0, 10, logs)[1].unwrap();
        assert!(wider.ratio.range().unwrap().0 < plain.range().unwrap().0);
    }

    #[test]
    fn the_span_reaches_to_each_that_may_be_fastest() {
        // The third is 2 % behind the first and 4 % behind the second, which is nowhere surely faster or slower than the first.
        let logs = |one: usize, other: usize| {
            let of = |one: usize, fork: usize| [0.0, 0.02 * (fork % 2) as f64 - 0.01, 0.5][one];
            by_fork((0..8).map(|fork| of(one, fork) - of(other, fork)))
        };
        let table = behind_fastest(3, 0, 1, logs);
        let (low, high) = table[2].unwrap().ratio.range().unwrap();
        assert!(low < 0.49_f64.exp() && high > 0.51_f64.exp() && table[1].unwrap().may_be_fastest, "{table:?}");
        let (low, high) = table[0].unwrap().ratio.range().unwrap();
        assert!(low < 1.0 && high > 1.0, "the one that came out fastest may not be: {table:?}");
    }

    #[test]
    fn without_forks_in_common_there_is_nothing() {
        let table = behind_fastest(3, 0, 1, |one, _| if one == 1 { by_fork([0.1]) } else { Logs::default() });
        assert_eq!(table[2], None);
        let single = table[1].unwrap();
        assert!(single.ratio.range().is_none() && single.may_be_fastest);
        assert!(behind_fastest(0, 0, 1, |_, _| Logs::default()).is_empty());
    }
}
