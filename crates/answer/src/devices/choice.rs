//! Ciphers against each other on one device, size by size: which is cheapest, and what the run cannot decide.
//!
//! A cipher's figure is that of its cheapest provider. It is called the cheapest where it is so beside every provider of every other
//! cipher. Counts are exact: the lesser wins, unless they differ by so little that it means nothing, or by less than forks
//! of the same cell do. Times are compared as everywhere, and all comparisons hold at once.

use std::collections::BTreeMap;

use ciphermeter_core::{Algorithm, CellId, Family, Form, Operation, Record, SampleRange};
use ciphermeter_estimate::{
    self as estimate, Cipher, Comparison, Direction, Logs, Ratio, Side, Thresholds, counted, time_of_forks,
};
use serde::{Serialize, Serializer};

use super::board::{Board, provider};
use super::cost::{Unit, cost};
use super::footprint::Footprint;
use crate::measured::{has_enough_forks, measured, sets_key_up_inside};
use crate::point::Point;

/// What one message is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    /// Sealed, or encrypted.
    Protect,
    /// Opened, or decrypted.
    Read,
    /// Sealed under a key that is set up for it alone.
    Once,
}

/// What is known of the cheapest cipher.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "is", content = "ciphers", rename_all = "kebab-case")]
pub enum Best {
    /// There is no other.
    Only(#[serde(serialize_with = "listed")] Algorithm),
    /// It costs least.
    Cheapest(#[serde(serialize_with = "listed")] Algorithm),
    /// These differ by too little to matter, the cheapest first.
    Equal(Vec<Algorithm>),
    /// The run cannot decide.
    Unknown,
}

/// Whatever is known, its ciphers are a list.
fn listed<S: Serializer>(algorithm: &Algorithm, serializer: S) -> Result<S::Ok, S::Error> {
    [algorithm].serialize(serializer)
}

/// All ciphers at one size.
#[derive(Debug, Clone, Serialize)]
pub struct Choice {
    /// The size.
    #[serde(flatten)]
    pub point: Point,
    /// What is known of the cheapest.
    pub best: Best,
    /// Every cipher of every provider, the cheapest first.
    pub offers: Vec<Offer>,
    /// The cheapest and the next cipher.
    pub margin: Option<Comparison>,
}

/// A provider's cipher at one size.
#[derive(Debug, Clone, Serialize)]
pub struct Offer {
    /// The cipher.
    pub algorithm: Algorithm,
    /// The provider, without the device, escaped.
    pub provider: String,
    /// Its cell.
    pub cell: CellId,
    /// What is done.
    pub operation: Operation,
    /// Where the output goes.
    pub form: Form,
    /// What a call costs.
    pub cost: SampleRange,
    /// Forks that it rests on.
    pub forks: usize,
    /// How far counts of forks lay apart, as a fraction; 0 of times.
    pub spread: f64,
    /// What it takes of the device's memory and battery.
    #[serde(flatten)]
    pub footprint: Footprint,
}

impl Best {
    /// The ciphers that it names.
    pub fn named(&self) -> Vec<Algorithm> {
        match self {
            Self::Only(algorithm) | Self::Cheapest(algorithm) => vec![*algorithm],
            Self::Equal(algorithms) => algorithms.clone(),
            Self::Unknown => Vec::new(),
        }
    }
}

impl Choice {
    /// Each cipher by its cheapest provider, the cheapest first.
    pub fn ciphers(&self) -> impl Iterator<Item = &Offer> {
        let is_first = |(place, offer): &(usize, &Offer)| {
            !self.offers[..*place].iter().any(|other| other.algorithm == offer.algorithm)
        };
        self.offers.iter().enumerate().filter(is_first).map(|(_, offer)| offer)
    }

    /// A cipher by its cheapest provider.
    pub fn offer(&self, algorithm: Algorithm) -> Option<&Offer> {
        self.offers.iter().find(|offer| offer.algorithm == algorithm)
    }
}

/// A provider's cipher at one size, with its records.
struct Candidate<'a> {
    algorithm: Algorithm,
    /// Its cell, and behind it that of its key set-up where the question has it.
    records: Vec<&'a Record>,
    cost: SampleRange,
}

impl Candidate<'_> {
    /// By fork: ln(time of this ÷ time of the other).
    fn logs(&self, other: &Self) -> Logs {
        match (self.records.as_slice(), other.records.as_slice()) {
            ([own], [other]) => estimate::logs(own, other),
            _ => {
                let (own, other) = (self.times(), other.times());
                let log = |(fork, ns): (&u32, &f64)| Some((*fork, (ns / other.get(fork)?).ln()));
                Logs::located(&own.iter().filter_map(log).collect()).correlated(self.records[0].correlation())
            }
        }
    }

    /// Nanoseconds of each fork that has all its cells.
    fn times(&self) -> BTreeMap<u32, f64> {
        let each: Vec<_> = self.records.iter().map(|record| time_of_forks(record)).collect();
        let forks = each.first().into_iter().flat_map(BTreeMap::keys);
        let sum = |fork: &u32| each.iter().map(|times| Some(times.get(fork)?.ns)).sum::<Option<f64>>();
        forks.filter_map(|fork| Some((*fork, sum(fork)?))).collect()
    }

    fn offer(&self) -> Offer {
        let record = self.records[0];
        let counted = match Unit::of(record) {
            Unit::Count(counts) => counted(record, counts.metric()),
            Unit::Time(_) => None,
        };
        let timed = measured(record).map_or(0, |summary| summary.forks as usize);
        Offer {
            algorithm: self.algorithm,
            provider: provider(record),
            cell: record.id,
            operation: record.cell.operation,
            form: record.cell.form,
            cost: self.cost,
            forks: counted.as_ref().map_or(timed, |counted| counted.forks),
            spread: counted.map_or(0.0, |counted| counted.spread()),
            footprint: Footprint::of(record),
        }
    }
}

/// The choices of a device between these ciphers, smallest size first; `comparisons` hold at once.
pub(super) fn choices(
    board: &Board,
    question: Question,
    takes: impl Fn(Algorithm) -> bool,
    comparisons: usize,
) -> Vec<Choice> {
    let choice = |(point, candidates): (Point, Vec<Candidate>)| {
        let taken: Vec<_> = candidates.into_iter().filter(|candidate| takes(candidate.algorithm)).collect();
        choice(board, point, taken, comparisons)
    };
    candidates(board, question).into_iter().filter_map(choice).collect()
}

/// How many comparisons are made of times, each of the cheapest with a provider of another cipher.
pub(super) fn comparisons(boards: &[Board]) -> usize {
    let timed = boards.iter().filter(|board| board.unit.is_time());
    let of = |board| {
        let all = [Question::Protect, Question::Read, Question::Once].map(|question| candidates(board, question));
        all.iter().flatten().map(|(_, candidates)| candidates.len().saturating_sub(1)).sum::<usize>()
    };
    timed.map(of).sum::<usize>().max(1)
}

fn choice(board: &Board, point: Point, mut all: Vec<Candidate>, comparisons: usize) -> Option<Choice> {
    all.sort_by(|a, b| a.cost.mid.total_cmp(&b.cost.mid).then(a.algorithm.cmp(&b.algorithm)));
    let first = all.first()?;
    let rivals = all.iter().filter(|other| other.algorithm != first.algorithm);
    let compared: Vec<(Algorithm, Comparison)> =
        rivals.map(|rival| (rival.algorithm, compare(board, first, rival, comparisons))).collect();
    let is_equal = |comparison: &Comparison| matches!(comparison, Comparison::Equal(_));
    let is_open = |comparison: &Comparison| !is_equal(comparison) && comparison.faster() != Some(Side::First);
    let mut equal = vec![first.algorithm];
    for (algorithm, _) in compared.iter().filter(|(_, comparison)| is_equal(comparison)) {
        if !equal.contains(algorithm) {
            equal.push(*algorithm);
        }
    }
    let best = match equal.len() {
        _ if compared.is_empty() => Best::Only(first.algorithm),
        _ if compared.iter().any(|(_, comparison)| is_open(comparison)) => Best::Unknown,
        1 => Best::Cheapest(first.algorithm),
        _ => Best::Equal(equal),
    };
    let margin = compared.first().map(|(_, comparison)| *comparison);
    Some(Choice { point, best, margin, offers: all.iter().map(Candidate::offer).collect() })
}

fn compare(board: &Board, first: &Candidate, rival: &Candidate, comparisons: usize) -> Comparison {
    if board.unit.is_time() {
        return Comparison::of_logs(&rival.logs(first), Thresholds::of(comparisons));
    }
    let (own, other) = (first.cost, rival.cost);
    // Two starts that lie far apart show that a third may lie elsewhere.
    let further = (own.high - own.low).max(other.high - other.low);
    let range = ((other.low - further).max(0.0) / own.high, (other.high + further) / own.low);
    let mid = other.mid / own.mid;
    match Comparison::of_counts(Ratio::new(mid, Some(range)), Thresholds::EQUAL) {
        // A count that is the same in all forks is exact.
        Comparison::First(_) if range.0 == range.1 => Comparison::First(Ratio::new(mid, None)),
        comparison => comparison,
    }
}

/// Every provider of every cipher of the run's family, by size.
fn candidates<'a>(board: &Board<'a>, question: Question) -> BTreeMap<Point, Vec<Candidate<'a>>> {
    let (family, usual) = (family(board), board.usual_form());
    let direction = if question == Question::Read { Direction::Read } else { Direction::Protect };
    let mut all = BTreeMap::<Point, Vec<Candidate>>::new();
    for record in &board.records {
        let cell = &record.cell;
        let is_asked = cell.algorithm.family() == family
            && cell.algorithm != Algorithm::Xor
            && board.compares(cell, usual)
            && Cipher::new(cell.algorithm, direction).is_of(cell);
        if !is_asked {
            continue;
        }
        let records = if question == Question::Once { with_key_setup(board, record) } else { Some(vec![*record]) };
        if let Some(candidate) = records.and_then(|records| candidate(board, records)) {
            all.entry(Point::of(&cell.parameters)).or_default().push(candidate);
        }
    }
    all
}

/// `None` where one of its cells has no figure.
fn candidate<'a>(board: &Board, records: Vec<&'a Record>) -> Option<Candidate<'a>> {
    let costs: Vec<SampleRange> = records
        .iter()
        .map(|record| cost(record).filter(|_| !board.unit.is_time() || has_enough_forks(record)))
        .collect::<Option<_>>()?;
    let sum = |of: fn(&SampleRange) -> f64| costs.iter().map(of).sum();
    let cost = SampleRange { low: sum(|cost| cost.low), mid: sum(|cost| cost.mid), high: sum(|cost| cost.high) };
    Some(Candidate { algorithm: records.first()?.cell.algorithm, records, cost })
}

/// The cell and its provider's key set-up; alone where each call sets its key up in any case.
fn with_key_setup<'a>(board: &Board<'a>, record: &'a Record) -> Option<Vec<&'a Record>> {
    if sets_key_up_inside(record) {
        return Some(vec![record]);
    }
    let (algorithm, provider) = (record.cell.algorithm, &record.cell.provider);
    let is_own = |other: &&&Record| {
        let cell = &other.cell;
        cell.operation == Operation::KeySetup && cell.algorithm == algorithm && cell.provider == *provider
    };
    board.records.iter().find(is_own).map(|setup| vec![record, setup])
}

/// AEADs, unless the device has none.
fn family(board: &Board) -> Family {
    let is_aead = |record: &&Record| record.cell.algorithm.family() == Family::Aead;
    if board.records.iter().any(is_aead) { Family::Aead } else { Family::Bare }
}
