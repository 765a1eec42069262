//! Where a course of rates falls for good: the start of throttling, and whatever looks like it.
//!
//! The method (docs/sustained.md): logarithms of the rates, single outliers replaced (Hampel's
//! filter); for every place, the difference of the means before and after it over its standard
//! error, one-sided, of which the largest counts (the standardized CUSUM: Csörgő and Horváth,
//! *Limit Theorems in Change-Point Analysis*, 1997). The noise is not taken as independent: its
//! long-run variance comes from means of batches, at the length of batch at which it is largest.
//! Only places count from which on the rate stays down, so a dip that ends is none. Further falls
//! are sought before and after the one that was found (binary segmentation: Vostrikova, 1981).

use crate::{median, order};

/// With fewer steps nothing is said.
pub const LEAST_STEPS: usize = 10;
/// No fall is sought before so many steps: a level of what was before takes some.
const BEFORE: usize = 5;
/// A fall must last for so many steps, or a third of a course that is shorter than three times as many.
const AFTER: usize = 10;
/// The least fall that counts, as a fraction: less is no throttling, and a shared machine does it by itself.
pub const LEAST_FALL: f64 = 0.05;
/// Standard errors beyond which a fall is believed, of a long course and more of a short one: by simulation, so that at most
/// 5 % of courses without any have one (`tests/falls.rs`).
const CRITICAL: f64 = 4.0;
const CRITICAL_SHORT: f64 = 150.0;
/// An outlier is so many deviations from the median of its neighbours,
const OUTLYING: f64 = 4.0;
/// which are so many on either side.
const NEIGHBOURS: usize = 4;
/// The deviation of normal noise ÷ its median absolute deviation.
const NORMAL: f64 = 1.4826;
/// Longer courses are put together to so many steps: places are then known to a two-thousandth of the course.
const MOST: usize = 2000;

/// The steps at which the rate falls for good, ascending; none of a course that doesn't, or that has fewer than
/// [`LEAST_STEPS`]. Rates are of steps of equal length, in any unit.
pub fn falls(rates: &[u64]) -> Vec<usize> {
    let by = rates.len().div_ceil(MOST).max(1);
    let sums: Vec<f64> = rates.chunks_exact(by).map(|steps| steps.iter().map(|rate| *rate as f64).sum()).collect();
    let mut found = Vec::new();
    if let Some(course) = logarithms(&sums) {
        seek(&without_outliers(&course), 0, &mut found);
    }
    found.into_iter().map(|place| place * by).collect()
}

/// A standstill has no logarithm; it counts as a hundredth of the usual rate. `None` if that is a standstill, too.
fn logarithms(rates: &[f64]) -> Option<Vec<f64>> {
    let least = median(&mut rates.to_vec()).filter(|median| *median > 0.0)? / 100.0;
    Some(rates.iter().map(|rate| rate.max(least).ln()).collect())
}

/// What is far from the median of its neighbours takes that median's place.
fn without_outliers(course: &[f64]) -> Vec<f64> {
    let around = |k: usize| &course[k.saturating_sub(NEIGHBOURS)..(k + NEIGHBOURS + 1).min(course.len())];
    let medians: Vec<f64> = (0..course.len()).map(|k| order::median_of(around(k))).collect();
    let apart: Vec<f64> = course.iter().zip(&medians).map(|(value, median)| (value - median).abs()).collect();
    let limit = OUTLYING * NORMAL * order::median_of(&apart);
    let keep = |((value, median), apart): ((&f64, &f64), &f64)| if *apart > limit { *median } else { *value };
    course.iter().zip(&medians).zip(&apart).map(keep).collect()
}

/// Adds the falls of a part of the course that begins at `offset`.
fn seek(part: &[f64], offset: usize, found: &mut Vec<usize>) {
    if let Some(place) = fall(part) {
        seek(&part[..place], offset, found);
        found.push(offset + place);
        seek(&part[place..], offset + place, found);
    }
}

/// The likeliest place of a fall that stays, if it is beyond what noise does.
fn fall(part: &[f64]) -> Option<usize> {
    let n = part.len();
    if n < LEAST_STEPS {
        return None;
    }
    let apart_at = |place| (apart(part, place, mean), place);
    let mut places: Vec<(f64, usize)> = (BEFORE..=n - AFTER.min(n / 3)).map(apart_at).collect();
    places.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (means, place) = places.into_iter().find(|(_, place)| stays(part, *place))?;
    // A dip moves the mean and not the median.
    let apart = means.min(apart(part, place, order::median_of));
    let critical = CRITICAL + CRITICAL_SHORT / n as f64;
    (apart > critical * noise(part, place)).then_some(place)
}

/// The difference of two levels before and after, in units in which independent noise has its own deviation.
fn apart(part: &[f64], place: usize, level: fn(&[f64]) -> f64) -> f64 {
    let (before, after) = part.split_at(place);
    (level(before) - level(after)) / (1.0 / before.len() as f64 + 1.0 / after.len() as f64).sqrt()
}

/// Whether it is lower in each third of what follows by at least half of the fall, and the fall is one that counts.
fn stays(part: &[f64], place: usize) -> bool {
    let (before, after) = part.split_at(place);
    let (high, low) = (order::median_of(before), order::median_of(after));
    let third = after.len() / 3;
    let thirds = [&after[..third], &after[third..2 * third], &after[2 * third..]];
    high - low >= -(1.0 - LEAST_FALL).ln() && thirds.iter().all(|third| order::median_of(third) < (high + low) / 2.0)
}

/// The root of the noise's long-run variance around the two means: b × the variance of means of b steps, for independent noise
/// the same at all b, and the largest of b = 1, 2, 4, … up to an eighth of the course.
fn noise(part: &[f64], place: usize) -> f64 {
    let (before, after) = part.split_at(place);
    let around = |side: &[f64]| {
        let mean = mean(side);
        side.iter().map(|value| value - mean).collect::<Vec<_>>()
    };
    let rest = [around(before), around(after)].concat();
    let lengths = std::iter::successors(Some(1), |b| Some(b * 2)).take_while(|b| *b <= (rest.len() / 8).max(1));
    let variance = |b: usize| {
        let batches: Vec<f64> = rest.rchunks_exact(b).map(mean).collect();
        batches.iter().map(|mean| mean * mean).sum::<f64>() / (batches.len() - 1) as f64 * b as f64
    };
    // Two means were taken out; and equal values differ in their last digits only, which is rounding.
    (lengths.map(variance).fold(0.0, f64::max) * rest.len() as f64 / (rest.len() - 2) as f64).sqrt().max(1e-9)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_phone_that_grows_hot() {
        let course: Vec<u64> = (0..40).map(|k| if k < 6 { 178_000 + k % 3 } else { 33_000 + k % 5 }).collect();
        assert_eq!(falls(&course), [6]);
        assert_eq!(falls(&course[..12]), [6]);
        assert!(falls(&course[..9]).is_empty(), "too short to say");
    }

    #[test]
    fn what_stands_still_or_stays() {
        assert!(falls(&[0; 50]).is_empty() && falls(&[7; 50]).is_empty() && falls(&[]).is_empty());
        let stops: Vec<u64> = (0..50).map(|k| if k < 25 { 1000 } else { 0 }).collect();
        assert_eq!(falls(&stops), [25]);
    }

    #[test]
    fn a_day_is_put_together() {
        let day: Vec<u64> = (0..86_400).map(|second| if second < 43_000 { 1000 } else { 700 }).collect();
        let falls = falls(&day);
        assert!(falls.len() == 1 && falls[0].abs_diff(43_000) < 90, "{falls:?}");
    }

    proptest! {
        #[test]
        fn places_are_within_and_ascend(rates in proptest::collection::vec(0..1u64 << 53, 0..120)) {
            let falls = falls(&rates);
            prop_assert!(falls.is_sorted() && falls.iter().all(|place| *place > 0 && *place < rates.len()));
        }
    }
}
