//! Where a series steps from one level to another: a figure that one run after another gives.
//!
//! The method (METHODOLOGY, point 11): each value has its own standard error, and runs differ by
//! more than that, which successive differences tell. Among all ways to cut the series into
//! levels, the one of least cost counts (optimal partitioning: Jackson et al., "An algorithm for
//! optimal partitioning of data on an interval", 2005; PELT prunes the same recursion, which
//! series of a hundred runs don't need). A value costs no more than an outlier does, so that a
//! single run off its level is no step (Fearnhead and Rigaill, "Changepoint detection in the
//! presence of outliers", 2019). A step costs what simulated series without any gave
//! (`tests/steps.rs`).

use crate::median;

/// The longest series that is cut; of a longer one, only so many latest values count.
pub const MOST_VALUES: usize = 200;
/// Values of a level, the first and the last included.
const LEAST: usize = 2;
/// What a step may cost more elsewhere, and be there as well: the 95 % quantile of χ²(1).
const ELSEWHERE: f64 = 3.84;
/// The cost of a value beyond three standard errors from its level.
const OUTLIER: f64 = 9.0;
/// The cost of a step: of a long series, and more of a short one, whose variation is hardly known.
const PENALTY: f64 = 15.0;
const PENALTY_SHORT: f64 = 80.0;
/// Standard errors beyond which the latest values are off their level.
const LATEST: f64 = 5.0;
/// The median of χ²(1).
const MEDIAN: f64 = 0.454_9;
/// With fewer values a series does not tell how runs differ: the median of their differences says nothing.
pub const LEAST_VALUES: usize = 6;

/// A value and its standard error, in the same unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    /// The value.
    pub mid: f64,
    /// Its standard error.
    pub error: f64,
}

/// From one level to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The first value after it.
    pub at: usize,
    /// The first and the last place at which it may be as well, as the noise hides where it is.
    pub between: [usize; 2],
    /// The level after it less the level before it.
    pub size: f64,
    /// The standard error of that.
    pub error: f64,
    /// How many values show it: those of the level after it. With one, which only the latest can be, it may be an outlier.
    pub values: usize,
}

/// The steps of a series, ascending. `between` is the variance between runs, at least 0, for series of fewer than six values,
/// which do not tell their own; without it, these have none.
pub fn steps(series: &[Known], between: Option<f64>) -> Vec<Step> {
    let skipped = series.len().saturating_sub(MOST_VALUES);
    let series = &series[skipped..];
    let own = differences(series).and_then(|pairs| variance(&pairs));
    let Some(between) = own.or(between) else { return Vec::new() };
    let weighed: Vec<Weighed> = series.iter().map(|known| Weighed::of(*known, between)).collect();
    let ends = partition(&weighed);
    let levels: Vec<Level> = ends.windows(2).map(|ends| Level::of(&weighed[ends[0]..ends[1]])).collect();
    let each = levels.windows(2).zip(ends.windows(3));
    let mut found: Vec<Step> = each
        .map(|(levels, ends)| levels[0].step(&levels[1], ends[1]).between(&weighed, levels, [ends[0], ends[2]]))
        .collect();
    found.extend(latest(&weighed, ends.iter().rev().nth(1).copied().unwrap_or(0)));
    for step in &mut found {
        step.at += skipped;
        step.between = step.between.map(|place| place + skipped);
    }
    found
}

impl Step {
    /// With the places next to it at which it may be as well. Each level, which ends at one of `ends`, keeps a value.
    fn between(self, series: &[Weighed], levels: &[Level], ends: [usize; 2]) -> Self {
        let [earlier, later] = [&series[ends[0] + 1..self.at], &series[self.at..ends[1] - 1]];
        let earlier = undecided(earlier.iter().rev(), &levels[0], &levels[1]);
        let later = undecided(later.iter(), &levels[1], &levels[0]);
        Self { between: [self.at - earlier, self.at + later], ..self }
    }
}

/// How many of these values of one level, the nearest to the other first, may as well be of that.
fn undecided<'a>(values: impl Iterator<Item = &'a Weighed>, own: &Level, other: &Level) -> usize {
    let cost = |value: &Weighed, level: &Level| value.distance(level.mid).min(OUTLIER);
    let more = values.scan(0.0, |sum, value| {
        *sum += cost(value, other) - cost(value, own);
        Some(*sum)
    });
    more.take_while(|more| *more < ELSEWHERE).count()
}

/// The variance between the runs of several series beyond the values' own errors, from all their successive differences; `None` of
/// too few.
pub fn variance_of(series: &[Vec<Known>]) -> Option<f64> {
    let all: Vec<Pair> = series.iter().filter_map(|series| differences(series)).flatten().collect();
    variance(&all)
}

/// The square of a difference, and the variance that its two errors explain.
type Pair = (f64, f64);

fn differences(series: &[Known]) -> Option<Vec<Pair>> {
    let pair = |two: &[Known]| ((two[1].mid - two[0].mid).powi(2), two[0].error.powi(2) + two[1].error.powi(2));
    (series.len() > 1).then(|| series.windows(2).map(pair).collect())
}

/// By medians, so that steps and outliers do not count.
fn variance(pairs: &[Pair]) -> Option<f64> {
    let of = |of: fn(&Pair) -> f64| median(&mut pairs.iter().map(of).collect::<Vec<_>>());
    let (squares, errors) = (of(|pair| pair.0)?, of(|pair| pair.1)?);
    (pairs.len() >= LEAST_VALUES - 1).then(|| ((squares / MEDIAN - errors) / 2.0).max(0.0))
}

#[derive(Debug, Clone, Copy)]
struct Weighed {
    mid: f64,
    weight: f64,
}

impl Weighed {
    /// Equal values without any error differ in their last digits only, which is rounding.
    fn of(known: Known, between: f64) -> Self {
        Self { mid: known.mid, weight: 1.0 / (known.error.powi(2) + between).max(1e-18) }
    }

    fn distance(&self, level: f64) -> f64 {
        self.weight * (self.mid - level).powi(2)
    }
}

/// The values between two steps.
#[derive(Debug, Clone, Copy)]
struct Level {
    mid: f64,
    weight: f64,
    values: usize,
    cost: f64,
}

impl Level {
    fn of(values: &[Weighed]) -> Self {
        let mut mids: Vec<f64> = values.iter().map(|value| value.mid).collect();
        Self::around(values, median(&mut mids).unwrap_or(0.0))
    }

    /// The mean of the values that are no outliers from where the level is likely to be.
    fn around(values: &[Weighed], likely: f64) -> Self {
        let near = || values.iter().filter(|value| value.distance(likely) <= OUTLIER);
        let weight: f64 = near().map(|value| value.weight).sum();
        // Two values far apart have none near their middle.
        let mid = if weight > 0.0 {
            likely + near().map(|value| value.weight * (value.mid - likely)).sum::<f64>() / weight
        } else {
            likely
        };
        let cost = values.iter().map(|value| value.distance(mid).min(OUTLIER)).sum();
        Self { mid, weight, values: values.len(), cost }
    }

    fn error(&self) -> f64 {
        if self.weight > 0.0 { self.weight.recip().sqrt() } else { f64::INFINITY }
    }

    fn step(&self, after: &Self, at: usize) -> Step {
        let error = self.error().hypot(after.error());
        Step { at, between: [at, at], size: after.mid - self.mid, error, values: after.values }
    }
}

/// The ends of the levels, from 0 to the series' length.
fn partition(series: &[Weighed]) -> Vec<usize> {
    let n = series.len();
    let penalty = PENALTY + PENALTY_SHORT / n.max(1) as f64;
    // The least cost of the values up to each place, and the last step before it.
    let mut best = vec![(f64::INFINITY, 0); n + 1];
    best[0] = (-penalty, 0);
    for from in 0..n {
        if best[from].0.is_infinite() {
            continue;
        }
        let mut sorted = Vec::with_capacity(n - from);
        for (place, value) in series.iter().enumerate().skip(from) {
            let at = sorted.partition_point(|other: &f64| *other < value.mid);
            sorted.insert(at, value.mid);
            let values = &series[from..=place];
            if values.len() < LEAST {
                continue;
            }
            let cost = best[from].0 + penalty + Level::around(values, middle(&sorted)).cost;
            if cost < best[place + 1].0 {
                best[place + 1] = (cost, from);
            }
        }
    }
    let mut ends = vec![n];
    while *ends.last().expect("it has the end") > 0 {
        ends.push(best[*ends.last().expect("it has the end")].1);
    }
    ends.reverse();
    ends
}

fn middle(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { f64::midpoint(sorted[half - 1], sorted[half]) }
}

/// The latest values, if they are off the level of those before them, all on one side: too few as yet to be a level of their own.
fn latest(series: &[Weighed], from: usize) -> Option<Step> {
    let all = &series[from..];
    let level = Level::of(all.split_last()?.1);
    let is_above = all.last()?.mid > level.mid;
    let is_off = |value: &&Weighed| value.distance(level.mid) > OUTLIER && (value.mid > level.mid) == is_above;
    let off = all.iter().rev().take_while(is_off).count();
    let (before, after) = all.split_at(all.len() - off);
    if off == 0 || before.len() < LEAST {
        return None;
    }
    let step = Level::of(before).step(&Level::of(after), series.len() - off);
    (step.size.abs() > LATEST * step.error).then_some(step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn known(mids: &[f64]) -> Vec<Known> {
        mids.iter().map(|mid| Known { mid: *mid, error: 0.001 }).collect()
    }

    /// Values around these levels, so many of each.
    fn levels(levels: &[(f64, usize)]) -> Vec<Known> {
        let noise = |k: usize| 0.001 * ((k * 7 % 5) as f64 - 2.0) / 2.0;
        let mids = levels.iter().flat_map(|(mid, values)| (0..*values).map(move |k| mid + noise(k)));
        known(&mids.collect::<Vec<_>>())
    }

    #[test]
    fn two_steps_have_their_places_and_sizes() {
        let found = steps(&levels(&[(0.4, 12), (0.5, 10), (0.45, 9)]), None);
        assert_eq!(found.iter().map(|step| (step.at, step.values)).collect::<Vec<_>>(), [(12, 10), (22, 9)]);
        assert!((found[0].size - 0.1).abs() < 0.002 && (found[1].size + 0.05).abs() < 0.002, "{found:?}");
        assert!(found.iter().all(|step| step.error > 0.0 && step.error < 0.002), "{found:?}");
    }

    #[test]
    fn place_of_a_small_step_is_known_less_well_than_that_of_a_large_one() {
        let large = steps(&levels(&[(0.4, 12), (0.5, 10)]), None);
        assert_eq!((large[0].at, large[0].between), (12, [12, 12]));
        let mut middle = levels(&[(0.4, 12), (0.41, 10)]);
        middle[12].mid = 0.405;
        let small = steps(&middle, None);
        assert_eq!(small.len(), 1, "{small:?}");
        assert_eq!(small[0].between, [12, 13], "run 12 lies in the middle: {small:?}");
    }

    #[test]
    fn one_run_off_its_level_is_no_step_unless_it_is_the_latest() {
        assert!(steps(&levels(&[(0.4, 10), (0.6, 1), (0.4, 9)]), None).is_empty());
        let latest = steps(&levels(&[(0.4, 10), (0.6, 1)]), None);
        assert!(latest.len() == 1 && (latest[0].at, latest[0].values) == (10, 1), "{latest:?}");
        assert!(steps(&levels(&[(0.4, 4), (0.6, 1)]), None).is_empty(), "too few to know how runs differ");
    }

    #[test]
    fn what_runs_differ_by_elsewhere_is_no_step() {
        let series = levels(&[(0.4, 2), (0.42, 3)]);
        assert_eq!(steps(&series, Some(0.0)).len(), 1);
        assert!(steps(&series, None).is_empty() && steps(&series, Some(0.02_f64.powi(2))).is_empty());
        assert!(variance_of(&[known(&[0.0, 0.02, 0.0]), known(&[0.5, 0.48, 0.5, 0.53])]).unwrap() > 1e-4);
        assert_eq!(variance_of(&[known(&[0.0]), Vec::new()]), None);
    }

    #[test]
    fn second_run_confirms_the_step_at_the_first() {
        for before in [4, 6, 10, 20] {
            let found = steps(&levels(&[(0.4, before), (0.5, 2)]), None);
            assert_eq!(found.iter().map(|step| (step.at, step.values)).collect::<Vec<_>>(), [(before, 2)], "{before}");
        }
    }

    #[test]
    fn latest_values_of_a_long_series_count() {
        let found = steps(&levels(&[(0.4, 100), (0.5, MOST_VALUES), (0.6, 30)]), None);
        assert_eq!(found.iter().map(|step| step.at).collect::<Vec<_>>(), [100 + MOST_VALUES]);
    }

    proptest! {
        #[test]
        fn places_ascend_and_nothing_panics(
            mids in proptest::collection::vec(-50.0..50.0f64, 0..40),
            error in prop_oneof![Just(0.0), 1e-9..10.0f64],
            between in 0.0..10.0f64,
        ) {
            let series: Vec<Known> = mids.iter().map(|mid| Known { mid: *mid, error }).collect();
            let found = steps(&series, Some(between));
            prop_assert!(found.windows(2).all(|two| two[0].at < two[1].at));
            prop_assert!(found.iter().all(|step| step.at > 0 && step.at < mids.len() && step.size.is_finite()));
        }
    }
}
