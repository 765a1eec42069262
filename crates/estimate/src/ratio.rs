//! Ratios between any two cells that were sampled in the same rounds, of one group or of two (METHODOLOGY.md, point 6).
//!
//! Within a group, samples of a pair lie milliseconds apart. Between groups they lie up to a round apart, so such a ratio is as honest
//! and wider.

use ciphermeter_core::{Interval, Metric, Record};
use ciphermeter_stats::{CONFIDENCE, freedom_of, student};

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
    pub range: Option<(f64, f64)>,
}

impl Ratio {
    /// Of logarithms by fork; `None` without forks.
    pub fn from_logs(logs: &Logs, confidence: f64) -> Option<Self> {
        let range = logs.effect().map(|effect| effect.interval(confidence).exp());
        Some(Self { mid: logs.mid()?.exp(), range: range.map(|ratio| (ratio.low, ratio.high)) })
    }

    /// Whether its interval, where there is one, is so wide that the middle says little.
    pub fn is_wide(&self) -> bool {
        self.range.is_some_and(|(low, high)| (high - low) / 2.0 / self.mid > WIDE)
    }

    /// Whether it is surely above 1.
    pub fn is_above_one(&self) -> bool {
        self.range.is_some_and(|(low, _)| low > 1.0)
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
    let freedom = freedom_of(forks as usize);
    let wider = student(freedom, confidence) / student(freedom, CONFIDENCE);
    let end = |end: f64| mid * (end / mid).powf(wider);
    Some(Ratio { mid, range: Some((end(low), end(high))) })
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
