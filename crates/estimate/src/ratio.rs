//! Ratios between any two cells that were sampled in the same rounds, of one group or of two (METHODOLOGY.md, point 6).
//!
//! Within a group, samples of a pair lie milliseconds apart. Between groups they lie up to a round apart, so such a ratio is as honest
//! and wider.

use ciphermeter_core::{Interval, Metric, Record};
use ciphermeter_stats::{CONFIDENCE, Effect, freedom_of, student};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::logs::Logs;
use crate::means::fork_costs;
use crate::pairs::{Moments, medians, pairs, pairs_at};

/// An interval that is wider, relative, leaves only its nearer end to be said.
const WIDE: f64 = 0.25;

/// One time ÷ another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// The estimate.
    pub mid: f64,
    /// The interval's ends; `None` with a single fork.
    range: Option<(f64, f64)>,
}

impl Ratio {
    /// With the interval's ends; `None` for those of a single fork.
    pub fn new(mid: f64, range: Option<(f64, f64)>) -> Self {
        Self { mid, range }
    }

    /// Of logarithms by fork; `None` without forks.
    pub fn from_logs(logs: &Logs, confidence: f64) -> Option<Self> {
        let mid = logs.mid()?.exp();
        Some(
            logs.effect()
                .map_or(Self { mid, range: None }, |effect| Self { mid, ..Self::of_effect(&effect, confidence) }),
        )
    }

    /// Of an effect on the scale of logarithms.
    pub(crate) fn of_effect(effect: &Effect, confidence: f64) -> Self {
        let ratio = effect.interval(confidence).exp();
        Self { mid: ratio.mid, range: Some((ratio.low, ratio.high)) }
    }

    /// The interval's ends, to be printed: what they come to is decided here and by [`crate::Comparison`].
    pub fn range(&self) -> Option<(f64, f64)> {
        self.range
    }

    /// The other time ÷ this one.
    pub fn inverse(self) -> Self {
        Self { mid: 1.0 / self.mid, range: self.range.map(|(low, high)| (1.0 / high, 1.0 / low)) }
    }

    /// So many times as much.
    pub fn times(self, factor: f64) -> Self {
        Self { mid: self.mid * factor, range: self.range.map(|(low, high)| (low * factor, high * factor)) }
    }

    /// Whether its interval, where there is one, is so wide that the middle says little.
    pub fn is_wide(&self) -> bool {
        self.range.is_some_and(|(low, high)| (high - low) / 2.0 / self.mid > WIDE)
    }

    /// Half of the interval's width, of the logarithm; `None` with a single fork.
    pub fn half_width(&self) -> Option<f64> {
        self.range.map(|(low, high)| (high / low).ln() / 2.0)
    }

    /// Whether it lies surely between these two (`true`) or surely outside (`false`); `None` where neither is sure.
    pub fn is_between(&self, least: f64, most: f64) -> Option<bool> {
        let (low, high) = self.range?;
        match () {
            () if low > least && high < most => Some(true),
            () if high < least || low > most => Some(false),
            () => None,
        }
    }

    /// Whether its interval contains this ratio; without an interval, it does not.
    pub fn contains(&self, ratio: f64) -> bool {
        self.range.is_some_and(|(low, high)| low <= ratio && ratio <= high)
    }

    /// Whether it is surely above 1.
    pub fn is_above_one(&self) -> bool {
        self.range.is_some_and(|(low, _)| low > 1.0)
    }

    /// Whether it surely is not 1.
    pub fn excludes_one(&self) -> bool {
        self.is_above_one() || self.inverse().is_above_one()
    }

    /// By how much the two differ at most, whichever takes longer, as a share; `None` with a single fork.
    pub fn differ_at_most(&self) -> Option<f64> {
        self.range.map(|(low, high)| (high - 1.0).max(1.0 / low - 1.0))
    }
}

/// ln(time of `cell` ÷ time of `other`), by each whole fork that has both.
pub fn logs(cell: &Record, other: &Record) -> Logs {
    Logs::located(&medians(&pairs(&cell.forks, &other.forks, &cell.limits()))).correlated(cell.correlation())
}

/// The same of the samples that figures leave out, as other work on the machine disturbed them.
pub fn disturbed_logs(cell: &Record, other: &Record) -> Logs {
    let pairs = pairs_at(&cell.forks, &other.forks, &cell.limits(), Moments::Disturbed);
    Logs::located(&medians(&pairs)).correlated(cell.correlation())
}

/// The same by the mean time of a call in each fork: a few slow calls count by how slow they are, which a median does not see.
pub fn mean_logs(cell: &Record, other: &Record) -> Logs {
    let (own, others) = (fork_costs(cell, Metric::NS), fork_costs(other, Metric::NS));
    let log = |(fork, cost): (u32, f64)| Some((fork, (cost / others.get(&fork)?).ln()));
    Logs::located(&own.into_iter().filter_map(log).collect()).correlated(cell.correlation())
}

impl Serialize for Ratio {
    /// `{"mid", "low", "high"}`, the ends null with a single fork.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (low, high) = self.range.unzip();
        let mut ratio = serializer.serialize_struct("Ratio", 3)?;
        ratio.serialize_field("mid", &self.mid)?;
        ratio.serialize_field("low", &low)?;
        ratio.serialize_field("high", &high)?;
        ratio.end()
    }
}

/// Time of `cell` ÷ time of `other`; `None` if they share no round of a whole fork.
pub fn between(cell: &Record, other: &Record) -> Option<Ratio> {
    Ratio::from_logs(&logs(cell, other), CONFIDENCE)
}

/// Time of `cell` ÷ time of `other`, as it was summed up where `other` is the reference, else drawn anew.
pub fn ratio(cell: &Record, other: &Record) -> Option<Ratio> {
    ratio_at(cell, other, CONFIDENCE)
}

/// The same with an interval of another confidence.
pub fn ratio_at(cell: &Record, other: &Record, confidence: f64) -> Option<Ratio> {
    let summary = cell.summary.as_ref().filter(|summary| summary.reference == other.id);
    let Some((Interval { mid, low, high }, forks)) = summary.and_then(|own| Some((own.ratio?, own.forks))) else {
        return Ratio::from_logs(&logs(cell, other), confidence);
    };
    let drawn = logs(cell, other);
    let freedom = if drawn.are_enough() { drawn.freedom() } else { freedom_of(forks as usize) };
    let wider = student(freedom, confidence) / student(freedom, CONFIDENCE);
    let end = |end: f64| mid * (end / mid).powf(wider);
    Some(Ratio { mid, range: Some((end(low), end(high))) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratio_is_above_one_where_its_whole_range_is() {
        let above = |range| Ratio::new(1.02, range).is_above_one();
        assert_eq!([Some((1.01, 1.03)), Some((0.99, 1.05)), None].map(above), [true, false, false]);
    }
}
