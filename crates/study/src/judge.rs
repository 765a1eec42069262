//! A claim and the records of a run: is it so here?
//!
//! Promises: only ratios within one run are judged, each by its 95 % interval; a claim about several cells is supported if it
//! is in each of them, contradicted if it surely is not in one. What is not measured is not judged.

use ciphermeter_core::{Cell, Outcome, Record};
use ciphermeter_estimate::{Ratio, ratio};
use serde::Serialize;

use crate::claim::Claim;
use crate::question::{Expectation, Pick, Way};

/// How a claim stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It is so here.
    Supported,
    /// It is not so here.
    Contradicted,
    /// The interval straddles what decides it.
    Inconclusive,
    /// No record here is about it: measure the scenario.
    NotMeasured,
    /// No record of this machine can be about it.
    NotTested,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Supported, Self::Contradicted, Self::Inconclusive, Self::NotMeasured, Self::NotTested];

    /// In a column of a list.
    pub fn short(self) -> &'static str {
        match self {
            Self::NotMeasured => "not measured",
            Self::NotTested => "not tested",
            decided => decided.as_str(),
        }
    }

    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::Contradicted => "contradicted",
            Self::Inconclusive => "inconclusive",
            Self::NotMeasured => "not measured yet",
            Self::NotTested => "not tested here",
        }
    }

    /// Whether it is a yes or a no.
    pub fn is_decided(self) -> bool {
        matches!(self, Self::Supported | Self::Contradicted)
    }
}

/// Two cells that a claim is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The first one.
    pub left: Cell,
    /// The second one.
    pub right: Cell,
    /// What the right one needs ÷ what the left one needs; `None` where one of them has no figure.
    pub ratio: Option<Ratio>,
    /// How the claim stands in this pair.
    pub verdict: Verdict,
}

/// A claim's verdict, and the pairs that it rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// Over all pairs.
    pub verdict: Verdict,
    /// Each of them.
    pub pairs: Vec<Comparison>,
}

/// Judges a claim in one way by the records of the run that measures it; `None`: there is no such run.
pub fn judge(claim: &Claim, way: Way, records: Option<&[Record]>) -> Judgement {
    let none = |verdict| Judgement { verdict, pairs: Vec::new() };
    let Some(question) = claim.question(way) else { return none(Verdict::NotTested) };
    let Some(records) = records else { return none(Verdict::NotMeasured) };
    let pairs = pairs(question.left, question.right, records, question.expect);
    let measured = pairs.iter().filter(|pair| pair.ratio.is_some());
    let verdict = match measured.map(|pair| pair.verdict).max_by_key(|verdict| weight(*verdict)) {
        None => Verdict::NotMeasured,
        Some(verdict) => verdict,
    };
    Judgement { verdict, pairs }
}

/// Each left cell beside each right one that shares all that neither pick fixes.
pub(crate) fn pairs(left: &Pick, right: &Pick, records: &[Record], expect: Expectation) -> Vec<Comparison> {
    let mut pairs = Vec::new();
    for first in records.iter().filter(|record| left.takes(&record.cell)) {
        for second in records.iter().filter(|record| right.takes(&record.cell)) {
            if are_a_pair(left, right, &first.cell, &second.cell) {
                pairs.push(compare(first, second, expect));
            }
        }
    }
    pairs
}

/// One contradiction contradicts the claim, and one open pair leaves it open.
fn weight(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Contradicted => 2,
        Verdict::Inconclusive => 1,
        Verdict::Supported | Verdict::NotMeasured | Verdict::NotTested => 0,
    }
}

/// Whether they share all that neither pick fixes.
fn are_a_pair(left: &Pick, right: &Pick, first: &Cell, second: &Cell) -> bool {
    let same = |is_fixed: bool, is_equal: bool| is_fixed || is_equal;
    let both = |of: fn(&Pick) -> bool| of(left) && of(right);
    // Several sizes on both sides are compared size by size; one on each side, with each other.
    let sizes = left.messages.len() == 1 && right.messages.len() == 1;
    same(both(|pick| pick.provider.is_some()), first.provider == second.provider)
        && same(both(|pick| pick.algorithm.is_some()), first.algorithm == second.algorithm)
        && same(both(|pick| pick.operation.is_some()), first.operation == second.operation)
        && same(both(|pick| pick.form.is_some()), first.form == second.form)
        && same(sizes, first.parameters.message() == second.parameters.message())
        && same(both(|pick| pick.threads.is_some()), first.parameters.threads() == second.parameters.threads())
        && first.parameters.aad() == second.parameters.aad()
        && first.parameters.device() == second.parameters.device()
        && first != second
}

fn compare(left: &Record, right: &Record, expect: Expectation) -> Comparison {
    let is_measured = |record: &Record| record.outcome == Outcome::Measured;
    let found = match expect {
        _ if !is_measured(left) || !is_measured(right) => None,
        Expectation::Faster | Expectation::TimeRatio { .. } => ratio(right, left),
        Expectation::MoreThroughput => ratio(right, left).and_then(|time| by_byte(time, &left.cell, &right.cell)),
        Expectation::MemoryRatio { .. } => memory_ratio(right, left),
    };
    let verdict = found.as_ref().map_or(Verdict::NotMeasured, |ratio| stands(ratio, expect));
    Comparison { left: left.cell.clone(), right: right.cell.clone(), ratio: found, verdict }
}

fn stands(ratio: &Ratio, expect: Expectation) -> Verdict {
    let Some((low, high)) = ratio.range else { return Verdict::Inconclusive };
    let (least, most) = expect.bounds();
    if low > least && high < most {
        Verdict::Supported
    } else if high < least || low > most {
        Verdict::Contradicted
    } else {
        Verdict::Inconclusive
    }
}

/// A ratio of times as one of times a byte; `None` where a message is empty.
fn by_byte(time: Ratio, left: &Cell, right: &Cell) -> Option<Ratio> {
    let (first, second) = (left.parameters.message(), right.parameters.message());
    let factor = (first > 0 && second > 0).then(|| first as f64 / second as f64)?;
    Some(Ratio { mid: time.mid * factor, range: time.range.map(|(low, high)| (low * factor, high * factor)) })
}

/// Peak memory of one ÷ that of the other. Allocations are counted, not sampled: the range is that of the processes.
fn memory_ratio(record: &Record, other: &Record) -> Option<Ratio> {
    let peaks = |record: &Record| -> Vec<f64> {
        let peak = |memory: &ciphermeter_core::Memory| memory.peak_heap.or(memory.peak_rss).map(|bytes| bytes as f64);
        record.memory.iter().filter_map(peak).filter(|bytes| *bytes > 0.0).collect()
    };
    let (these, those) = (peaks(record), peaks(other));
    let least = |values: &[f64]| values.iter().copied().reduce(f64::min);
    let most = |values: &[f64]| values.iter().copied().reduce(f64::max);
    let (low, high) = (least(&these)? / most(&those)?, most(&these)? / least(&those)?);
    Some(Ratio { mid: (low * high).sqrt(), range: Some((low, high)) })
}

#[cfg(test)]
mod tests;
