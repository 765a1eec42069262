//! A claim and the records of a run: is it so here?
//!
//! Promises: only ratios within one run are judged, by 95 % intervals that hold for all of a claim's pairs at once, over at least six forks; a claim about several cells is
//! supported if it is in each of them, contradicted if it surely is not in one. What is not measured is not judged.

use ciphermeter_core::{Bytes, Cell, Fork, LeftOut, Memory, Metric, Outcome, Record};
use ciphermeter_estimate::{CONFIDENCE, Comparison, LEAST_FORKS, Ratio, Side, decline, logs, ratio_at, simultaneous};
use serde::Serialize;

use crate::claim::Claim;
use crate::question::{Expectation, Pick, Question, Way};
use crate::verdict::Verdict;

/// Two cells that a claim is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The first one.
    pub left: Cell,
    /// The second one.
    pub right: Cell,
    /// What the right one needs ÷ what the left one needs; `None` where there is no figure.
    pub ratio: Option<Ratio>,
    /// Why there is none: of how many forks it would be, or the reason of a cell that was not measured.
    pub missing: Option<Missing>,
    /// How the claim stands in this pair.
    pub verdict: Verdict,
}

/// Why a pair has no figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// So few forks have undisturbed samples of both cells; a figure takes [`LEAST_FORKS`].
    Forks(usize),
    /// A library does not have one of the cells.
    Unsupported,
    /// The run left one of them out, for which its budget was too short.
    LeftOut,
    /// The run ended or broke before one of them was measured, or lacks what the claim is about.
    Unmeasured,
    /// The output of one of them was wrong.
    WrongOutput,
}

impl Missing {
    /// Whether a longer run may have it.
    pub(crate) fn is_open(self) -> bool {
        matches!(self, Self::Forks(_) | Self::LeftOut | Self::Unmeasured)
    }
}

/// A claim's verdict, and the pairs that it rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// Over all pairs.
    pub verdict: Verdict,
    /// Each of them.
    pub pairs: Vec<Pair>,
}

impl Judgement {
    /// Whether no older run is asked, which must not depend on how this one came out: it has a figure of each pair, if only one that cannot
    /// tell; or the claim is about another sort of machine; or a library was wrong, which what it did before does not mend.
    pub(crate) fn is_final(&self) -> bool {
        let is_open = |pair: &Pair| pair.missing.is_some_and(Missing::is_open);
        let is_open = self.pairs.iter().any(is_open) && self.verdict != Verdict::WrongOutput;
        !is_open && !matches!(self.verdict, Verdict::NotMeasured | Verdict::NotTested)
    }

    /// A verdict without pairs.
    pub(crate) fn without_pairs(verdict: Verdict) -> Self {
        Self { verdict, pairs: Vec::new() }
    }
}

/// Judges a claim in one way by the records of the run that measures it; `None`: there is no such run.
pub fn judge(claim: &Claim, way: Way, records: Option<&[Record]>) -> Judgement {
    let open = if claim.needs(way).is_some() { Verdict::NotTested } else { Verdict::NotMeasured };
    let Some(question) = claim.question(way) else {
        let never = if claim.inapplicable.is_some() { Verdict::NotApplicable } else { open };
        return Judgement::without_pairs(never);
    };
    let Some(records) = records else { return Judgement::without_pairs(open) };
    let pairs = pairs(question.left, question.right, records, question.expect);
    // What a library does not have is no gap: the claim is about those that have it.
    let counted = pairs.iter().filter(|pair| pair.missing != Some(Missing::Unsupported));
    let worst = counted.map(|pair| pair.verdict).max_by_key(|verdict| weight(*verdict));
    let verdict = match worst {
        None | Some(Verdict::NotMeasured) => open,
        Some(Verdict::Supported) if lacks_a_size(&question, &pairs) => open,
        Some(verdict) => verdict,
    };
    Judgement { verdict, pairs }
}

/// Whether the claim names a size that no pair has.
fn lacks_a_size(question: &Question<'_>, pairs: &[Pair]) -> bool {
    let has = |size: &Bytes, of: fn(&Pair) -> &Cell| pairs.iter().any(|pair| of(pair).parameters.message() == size.0);
    !question.left.messages.iter().all(|size| has(size, |pair| &pair.left))
        || !question.right.messages.iter().all(|size| has(size, |pair| &pair.right))
}

/// Each left cell beside each right one that shares all that neither pick fixes; of a sustained load, each cell by itself.
pub(crate) fn pairs(left: &Pick, right: &Pick, records: &[Record], expect: Expectation) -> Vec<Pair> {
    if let Expectation::Falls { .. } = expect {
        let own = records.iter().filter(|record| left.takes(record) && right.takes(record));
        return own.map(|record| compare(record, record, expect, CONFIDENCE)).collect();
    }
    let mut pairs = Vec::new();
    for first in records.iter().filter(|record| left.takes(record)) {
        for second in records.iter().filter(|record| right.takes(record)) {
            if are_a_pair(left, right, &first.cell, &second.cell) {
                pairs.push((first, second));
            }
        }
    }
    // A single pair contradicts the claim, so all intervals are to hold at once.
    let confidence = simultaneous(pairs.len());
    pairs.into_iter().map(|(first, second)| compare(first, second, expect, confidence)).collect()
}

/// One contradiction contradicts the claim, whatever another library did; one wrong output leaves nothing to support it, one open pair
/// leaves it open; what was not measured supports nothing.
fn weight(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Contradicted => 4,
        Verdict::WrongOutput => 3,
        Verdict::Inconclusive => 2,
        Verdict::NotMeasured | Verdict::NotTested | Verdict::NotApplicable => 1,
        Verdict::Supported => 0,
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

fn compare(left: &Record, right: &Record, expect: Expectation, confidence: f64) -> Pair {
    let missing = [why_missing(left), why_missing(right)];
    // A pair that a library does not have is none; wrong output counts for more than a gap, on whichever side.
    let first = [Missing::Unsupported, Missing::WrongOutput, Missing::LeftOut, Missing::Unmeasured]
        .into_iter()
        .find(|why| missing.contains(&Some(*why)));
    let found = match first {
        Some(missing) => Err(missing),
        None => figure(left, right, expect, confidence),
    };
    let verdict = match &found {
        Ok(ratio) => stands(ratio, expect),
        Err(Missing::WrongOutput) => Verdict::WrongOutput,
        Err(_) => Verdict::NotMeasured,
    };
    Pair { left: left.cell.clone(), right: right.cell.clone(), ratio: found.ok(), missing: found.err(), verdict }
}

fn why_missing(record: &Record) -> Option<Missing> {
    match record.outcome {
        Outcome::Measured => None,
        Outcome::LeftOut(LeftOut::NotReached) => Some(Missing::Unmeasured),
        Outcome::LeftOut(LeftOut::NoMemory { .. }) | Outcome::Unsupported { .. } => Some(Missing::Unsupported),
        Outcome::LeftOut(_) => Some(Missing::LeftOut),
        Outcome::WrongOutput { .. } => Some(Missing::WrongOutput),
        Outcome::Failed { .. } => Some(Missing::Unmeasured),
    }
}

fn figure(left: &Record, right: &Record, expect: Expectation, confidence: f64) -> Result<Ratio, Missing> {
    let found = match expect {
        Expectation::Faster | Expectation::TimeRatio { .. } => return time_ratio(right, left, confidence),
        Expectation::MoreThroughput => by_byte(time_ratio(right, left, confidence)?, &left.cell, &right.cell),
        Expectation::MemoryRatio { .. } => memory_ratio(right, left),
        Expectation::CurrentRatio { .. } => current_ratio(right, left),
        Expectation::Falls { .. } => decline(left),
    };
    found.ok_or(Missing::Unmeasured)
}

/// Time of a record ÷ that of another, by as many forks as any figure takes.
fn time_ratio(record: &Record, other: &Record, confidence: f64) -> Result<Ratio, Missing> {
    let of = |record: &Record| record.summary.as_ref().map_or(0, |summary| summary.forks as usize);
    let is_reference = record.summary.as_ref().is_some_and(|summary| summary.reference == other.id);
    let common = if is_reference { usize::MAX } else { logs(record, other).forks() };
    match common.min(of(record)).min(of(other)) {
        forks if forks < LEAST_FORKS => Err(Missing::Forks(forks)),
        _ => ratio_at(record, other, confidence).ok_or(Missing::Unmeasured),
    }
}

fn stands(ratio: &Ratio, expect: Expectation) -> Verdict {
    let sure = match expect {
        // A difference within what is equal neither supports that one is faster nor contradicts it.
        Expectation::Faster | Expectation::MoreThroughput => {
            Comparison::of(Some(*ratio)).faster().map(|side| side == Side::First)
        }
        _ => {
            let (least, most) = expect.bounds();
            ratio.is_between(least, most)
        }
    };
    match sure {
        Some(true) => Verdict::Supported,
        Some(false) => Verdict::Contradicted,
        None => Verdict::Inconclusive,
    }
}

/// A ratio of times as one of times a byte; `None` where a message is empty.
fn by_byte(time: Ratio, left: &Cell, right: &Cell) -> Option<Ratio> {
    let (first, second) = (left.parameters.message(), right.parameters.message());
    let factor = (first > 0 && second > 0).then(|| first as f64 / second as f64)?;
    Some(time.times(factor))
}

/// Peak memory of one ÷ that of the other. It is counted, not sampled: the range is that of the processes, or of a board's forks.
fn memory_ratio(record: &Record, other: &Record) -> Option<Ratio> {
    if record.cell.device().is_some() {
        return by_extremes(on_board(record), on_board(other));
    }
    // Like with like: what the runtime or the C library counted on both sides, else what was resident on both.
    let peaks = |record: &Record, of: fn(&Memory) -> Option<u64>| -> Vec<f64> {
        record.memory.iter().filter_map(of).map(|bytes| bytes as f64).collect()
    };
    let by = |of: fn(&Memory) -> Option<u64>| by_extremes(peaks(record, of), peaks(other, of));
    by(|memory| memory.peak_heap).or_else(|| by(|memory| memory.peak_rss))
}

/// State and stack of a cell on a board, by forks.
fn on_board(record: &Record) -> Vec<f64> {
    let of = |fork: &Fork| {
        let most = |metric| fork.samples.iter().filter_map(|sample| sample.count(metric)).max();
        Some((most(Metric::STACK)? + most(Metric::STATE)?) as f64)
    };
    record.forks.iter().filter_map(of).collect()
}

/// A board's mean current during the calls of one ÷ during those of the other, by forks.
fn current_ratio(record: &Record, other: &Record) -> Option<Ratio> {
    by_extremes(currents(record), currents(other))
}

/// In amperes: nC ÷ ns.
fn currents(record: &Record) -> Vec<f64> {
    let of = |fork: &Fork| {
        let metered = fork.samples.iter().filter_map(|one| one.count(Metric::CHARGE).zip(one.count(Metric::ELAPSED)));
        let (charge, time) = metered.fold((0, 0), |sums, one| (sums.0 + one.0, sums.1 + one.1));
        (time > 0).then(|| charge as f64 / time as f64)
    };
    record.forks.iter().filter(|fork| !fork.short).filter_map(of).collect()
}

/// The mid of the range in which one value of these ÷ one of those lies.
fn by_extremes(mut these: Vec<f64>, mut those: Vec<f64>) -> Option<Ratio> {
    these.retain(|value| *value > 0.0);
    those.retain(|value| *value > 0.0);
    let least = |values: &[f64]| values.iter().copied().reduce(f64::min);
    let most = |values: &[f64]| values.iter().copied().reduce(f64::max);
    let (low, high) = (least(&these)? / most(&those)?, most(&these)? / least(&those)?);
    Some(Ratio::new((low * high).sqrt(), Some((low, high))))
}

#[cfg(test)]
mod tests;
