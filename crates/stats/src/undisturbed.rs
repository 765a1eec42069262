//! When was the machine undisturbed? A probe that is no cell tells.
//!
//! Where two hardware threads share a physical core, a neighbour on the other one slows
//! implementations by very different shares (METHODOLOGY.md, point 3a): then even paired ratios say
//! something else than on a core of one's own. The probe is timed beside every group, so which
//! samples are excluded never depends on the cells themselves.

use std::collections::BTreeMap;

use crate::{LEAST_FORKS, quantile};

/// The probe's undisturbed level is its 10 % quantile, as clocks move by steps of some percent.
const UNDISTURBED: f64 = 0.1;
/// Where that lies over so many times above the 1 % quantile, less than a tenth of the run was undisturbed: a clock moves by less, and a
/// neighbour by more.
const RARELY: f64 = 0.01;
const STEPS: f64 = 1.08;
/// Up to so much above that level a sample still counts as quiet: clocks move by some percent by themselves.
const SLACK: f64 = 1.06;

/// A clock that falls is no neighbour. It does not fall further than this, and it moves all readings alike: of a fork that has a level of
/// its own, at least this share lies this close above it. Beside a neighbour, a fifth does.
const CLOCK: f64 = 1.25;
const ALIKE: f64 = 0.5;
const CLOSE: f64 = 1.03;
/// A fork's level is that of so many readings at least, with those of the forks around it where it has fewer.
const LEAST_READINGS: usize = 40;

/// The fewest undisturbed pairs with which a fork counts: a few undisturbed moments of a disturbed fork are too few for its median.
const LEAST_PAIRS: usize = 3;

/// How many of a fork's samples have an undisturbed pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Undisturbed {
    /// Those that have.
    pub pairs: usize,
    /// All.
    pub samples: usize,
}

/// Which forks count: those with three pairs, or with all pairs that they could have. Where a busy machine leaves fewer such forks than any
/// answer takes, and enough with two pairs or with one, those.
pub fn forks_that_count(forks: &[Undisturbed]) -> Vec<bool> {
    let have =
        |least: usize| -> Vec<bool> { forks.iter().map(|fork| fork.pairs >= least.min(fork.samples).max(1)).collect() };
    let are_enough = |counting: &Vec<bool>| counting.iter().filter(|counts| **counts).count() >= LEAST_FORKS;
    (1..=LEAST_PAIRS).rev().map(have).find(are_enough).unwrap_or_else(|| have(LEAST_PAIRS))
}

/// The highest reading of the probe that counts as undisturbed, from all readings of a run; `None` without any.
pub fn undisturbed_limit(readings: impl IntoIterator<Item = u64>) -> Option<u64> {
    let mut readings: Vec<f64> = readings.into_iter().map(|reading| reading as f64).collect();
    Some((level(&mut readings)? * SLACK) as u64)
}

/// The same for each fork, by its number: above its own level where its clock was another, else above that of the whole run.
pub fn undisturbed_limits(forks: &BTreeMap<u32, Vec<u64>>) -> BTreeMap<u32, u64> {
    let readings: Vec<Vec<f64>> =
        forks.values().map(|fork| fork.iter().map(|reading| *reading as f64).collect()).collect();
    let Some(usual) = level(&mut readings.concat()) else { return BTreeMap::new() };
    let limit = |place: usize| {
        let own = clock_level(around(&readings, place)).filter(|own| *own <= usual * CLOCK);
        (own.unwrap_or(usual) * SLACK) as u64
    };
    forks.keys().enumerate().map(|(place, fork)| (*fork, limit(place))).collect()
}

fn level(readings: &mut [f64]) -> Option<f64> {
    let (usual, rare) = (quantile(readings, UNDISTURBED)?, quantile(readings, RARELY)?);
    Some(usual.min(rare * STEPS))
}

/// The level of readings that lie alike.
fn clock_level(mut readings: Vec<f64>) -> Option<f64> {
    let level = level(&mut readings)?;
    let close = readings.iter().filter(|reading| **reading <= level * CLOSE).count();
    (close as f64 >= ALIKE * readings.len() as f64).then_some(level)
}

/// A fork's readings, with those of as many forks before and after it as it takes.
fn around(readings: &[Vec<f64>], place: usize) -> Vec<f64> {
    let window = |reach: usize| &readings[place.saturating_sub(reach)..readings.len().min(place + reach + 1)];
    let count = |reach: usize| window(reach).iter().map(Vec::len).sum::<usize>();
    let reach = (0..readings.len()).find(|reach| count(*reach) >= LEAST_READINGS).unwrap_or(readings.len());
    window(reach).concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_pairs_count_where_a_busy_machine_leaves_no_more() {
        let counting = |pairs: &[usize]| {
            let forks: Vec<Undisturbed> =
                pairs.iter().map(|pairs| Undisturbed { pairs: *pairs, samples: 10 }).collect();
            forks_that_count(&forks).into_iter().filter(|counts| *counts).count()
        };
        assert_eq!(counting(&[9, 9, 9, 9, 9, 3, 2, 0]), 6);
        assert_eq!(counting(&[9, 9, 9, 9, 9, 2, 2, 1, 0]), 7);
        assert_eq!(counting(&[9, 9, 9, 9, 9, 1, 0]), 6);
        assert_eq!(counting(&[9, 9, 9, 9, 1]), 4, "five forks are no answer either way");
        let single = [Undisturbed { pairs: 1, samples: 1 }, Undisturbed { pairs: 0, samples: 1 }];
        assert_eq!(forks_that_count(&single), [true, false], "a call that takes as long as a fork");
    }

    #[test]
    fn the_limit_lies_just_above_the_quiet_level() {
        let readings = (0..100).map(|n| if n % 2 == 0 { 1000 + n % 20 } else { 1700 + n });
        let limit = undisturbed_limit(readings).unwrap();
        assert!((1060..1090).contains(&limit), "{limit}");
        assert_eq!(undisturbed_limit([]), None);
    }

    #[test]
    fn core_that_was_hardly_ever_undisturbed_has_a_low_limit() {
        let reading = |n: u64| if n.is_multiple_of(20) { 1000 + n % 40 } else { 1300 + n % 700 };
        let limit = undisturbed_limit((0..2000).map(reading)).unwrap();
        assert!((1040..1160).contains(&limit), "a twentieth was undisturbed: {limit}");
    }

    /// Forks of so many readings, a third of them beside a neighbour, on a clock that falls by 12 % after the third.
    fn fallen(readings: u64) -> BTreeMap<u32, Vec<u64>> {
        let level = |fork: u32| if fork < 3 { 1000 } else { 1120 };
        let reading = |fork, n: u64| level(fork) * (4 + n % 3 / 2) / 4 + n % 20;
        (0..12).map(|fork| (fork, (0..readings).map(|n| reading(fork, n)).collect())).collect()
    }

    #[test]
    fn falling_clock_is_no_neighbour() {
        let limits = undisturbed_limits(&fallen(60));
        assert!(limits[&2] < 1120 && (1180..1250).contains(&limits[&3]), "{limits:?}");
        // Forks of few readings take those of their neighbours.
        let limits = undisturbed_limits(&fallen(10));
        assert!(limits[&0] < 1120 && limits[&11] > 1180 && limits.values().all(|limit| *limit < 1300), "{limits:?}");
    }

    #[test]
    fn fork_that_was_disturbed_throughout_has_no_level_of_its_own() {
        let mut forks = fallen(60);
        forks.insert(5, vec![1800; 60]);
        forks.insert(6, (0..60).map(|n| 1120 + 7 * n).collect());
        let limits = undisturbed_limits(&forks);
        assert!(limits[&5] < 1100 && limits[&6] < 1100, "{limits:?}");
        assert!(undisturbed_limits(&BTreeMap::new()).is_empty());
    }
}
