//! Ratios between any two cells that were sampled in the same rounds, of one group or of two (METHODOLOGY.md, point 6).
//!
//! Within a group, samples of a pair lie milliseconds apart. Between groups they lie up to a round apart, so such a ratio is as honest
//! and wider.

use std::collections::BTreeMap;

use ciphermeter_core::Record;
use ciphermeter_stats::interval;

use crate::pairs::{pairs, values};

/// The confidence of every printed interval.
pub const CONFIDENCE: f64 = 0.95;

/// One time ÷ another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// The estimate.
    pub mid: f64,
    /// The interval's ends; `None` with a single fork.
    pub range: Option<(f64, f64)>,
}

impl Ratio {
    /// From one value a fork, logarithms of ratios.
    pub fn from_logs(logs: &[f64], confidence: f64) -> Option<Self> {
        match (logs, interval(logs, confidence)) {
            ([only], _) => Some(Self { mid: only.exp(), range: None }),
            (_, Some(estimate)) => {
                let ratio = estimate.exp();
                Some(Self { mid: ratio.mid, range: Some((ratio.low, ratio.high)) })
            }
            _ => None,
        }
    }

    /// Whether it is surely above 1.
    pub fn is_above_one(&self) -> bool {
        self.range.is_some_and(|(low, _)| low > 1.0)
    }
}

/// For each whole fork that has both: its number, and what it contributes to ln(time of `cell` ÷ time of `other`), their mean.
pub fn logs(cell: &Record, other: &Record) -> BTreeMap<u32, f64> {
    values(&pairs(&cell.forks, &other.forks, &cell.limits()))
}

/// Time of `cell` ÷ time of `other`; `None` if they share no round of a whole fork.
pub fn between(cell: &Record, other: &Record) -> Option<Ratio> {
    let logs: Vec<f64> = logs(cell, other).into_values().collect();
    Ratio::from_logs(&logs, CONFIDENCE)
}

/// Time of `cell` ÷ time of `other`, as it was summed up where `other` is the reference, else drawn anew.
pub fn ratio(cell: &Record, other: &Record) -> Option<Ratio> {
    let summed =
        cell.summary.as_ref().filter(|summary| summary.reference == other.id).and_then(|summary| summary.ratio);
    match summed {
        Some(ratio) => Some(Ratio { mid: ratio.mid, range: Some((ratio.low, ratio.high)) }),
        None => between(cell, other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratio_is_above_one_where_its_whole_range_is() {
        let above = |range| Ratio { mid: 1.02, range }.is_above_one();
        assert_eq!([Some((1.01, 1.03)), Some((0.99, 1.05)), None].map(above), [true, false, false]);
    }
}
