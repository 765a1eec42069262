//! Ciphers against each other on one device, size by size: which is cheapest, and what the run cannot decide.
//!
//! A cipher's figure is that of its cheapest provider. It is called the cheapest where it is so beside every provider of every other
//! cipher. Counts are exact: the lesser wins, unless they differ by so little that it means nothing, or by less than forks
//! of the same cell do. Times are compared as everywhere, and all comparisons hold at once.

use std::collections::BTreeMap;

use ciphermeter_core::{Algorithm, Family, Operation, Record};
use ciphermeter_estimate::{
    self as estimate, Cipher, Comparison, Direction, Logs, Ratio, Side, Thresholds, time_of_forks,
};

use crate::device::{Board, Cost, cost};
use ciphermeter_answer::measured::{has_enough_forks, sets_key_up_inside};
use ciphermeter_answer::point::Point;
use ciphermeter_answer::words::{Figures, times};

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

/// A provider's cipher at one size.
#[derive(Clone)]
pub(super) struct Candidate<'a> {
    pub(super) algorithm: Algorithm,
    /// Its cell, and behind it that of its key set-up where the question has it.
    records: Vec<&'a Record>,
    pub(super) cost: Cost,
}

/// What is known of the cheapest cipher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Best {
    /// There is no other.
    Only(Algorithm),
    Cheapest(Algorithm),
    /// These differ by too little to matter, the cheapest first.
    Equal(Vec<Algorithm>),
    Unknown,
}

/// All ciphers at one size.
pub(super) struct Choice<'a> {
    pub(super) point: Point,
    /// Each cipher by its cheapest provider, the cheapest first.
    pub(super) offers: Vec<Candidate<'a>>,
    /// Every provider of each, the cheapest first.
    pub(super) all: Vec<Candidate<'a>>,
    pub(super) best: Best,
    /// How many times as much the next cipher costs, and how sure that is.
    pub(super) margin: Option<(String, String)>,
}

impl<'a> Candidate<'a> {
    pub(super) fn record(&self) -> &'a Record {
        self.records[0]
    }

    /// By fork: ln(time of this ÷ time of the other).
    fn logs(&self, other: &Self) -> Logs {
        match (self.records.as_slice(), other.records.as_slice()) {
            ([own], [other]) => estimate::logs(own, other),
            _ => {
                let (own, other) = (self.times(), other.times());
                let log = |(fork, ns): (&u32, &f64)| Some((*fork, (ns / other.get(fork)?).ln()));
                Logs::located(&own.iter().filter_map(log).collect()).correlated(self.record().correlation())
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
}

impl Choice<'_> {
    pub(super) fn offer(&self, algorithm: Algorithm) -> Option<&Candidate<'_>> {
        self.offers.iter().find(|offer| offer.algorithm == algorithm)
    }
}

/// The choices of a device between these ciphers, smallest size first; `comparisons` hold at once.
pub(super) fn choices<'a>(
    board: &Board<'a>,
    question: Question,
    takes: impl Fn(Algorithm) -> bool,
    comparisons: usize,
) -> Vec<Choice<'a>> {
    let own = candidates(board, question).into_iter();
    let choice = |(point, candidates): (Point, Vec<Candidate<'a>>)| {
        let taken: Vec<_> = candidates.into_iter().filter(|candidate| takes(candidate.algorithm)).collect();
        choice(board, point, taken, comparisons)
    };
    own.filter_map(choice).collect()
}

/// How many comparisons the screen makes of times, each of the cheapest with a provider of another cipher.
pub(super) fn comparisons(boards: &[Board]) -> usize {
    let timed = boards.iter().filter(|board| board.unit.is_time());
    let of = |board| {
        let all = [Question::Protect, Question::Read, Question::Once].map(|question| candidates(board, question));
        all.iter().flatten().map(|(_, candidates)| candidates.len().saturating_sub(1)).sum::<usize>()
    };
    timed.map(of).sum::<usize>().max(1)
}

fn choice<'a>(board: &Board, point: Point, mut all: Vec<Candidate<'a>>, comparisons: usize) -> Option<Choice<'a>> {
    all.sort_by(|a, b| a.cost.mid.total_cmp(&b.cost.mid).then(a.algorithm.cmp(&b.algorithm)));
    let first = all.first()?;
    let rivals: Vec<&Candidate> = all.iter().filter(|other| other.algorithm != first.algorithm).collect();
    let compared: Vec<(Algorithm, Comparison)> =
        rivals.iter().map(|rival| (rival.algorithm, compare(board, first, rival, comparisons))).collect();
    let is_equal = |comparison: &Comparison| matches!(comparison, Comparison::Equal(_));
    let is_open = |comparison: &Comparison| !is_equal(comparison) && comparison.faster() != Some(Side::First);
    let equal = || compared.iter().filter(|(_, comparison)| is_equal(comparison)).map(|(algorithm, _)| *algorithm);
    let best = match () {
        () if rivals.is_empty() => Best::Only(first.algorithm),
        () if compared.iter().any(|(_, comparison)| is_open(comparison)) => Best::Unknown,
        () if equal().next().is_some() => {
            let mut those = vec![first.algorithm];
            equal().for_each(|algorithm| {
                if !those.contains(&algorithm) {
                    those.push(algorithm)
                }
            });
            Best::Equal(those)
        }
        () => Best::Cheapest(first.algorithm),
    };
    let margin = rivals.first().map(|rival| margin(board, first, rival, comparisons));
    let mut offers: Vec<Candidate> = Vec::new();
    for candidate in &all {
        if !offers.iter().any(|offer| offer.algorithm == candidate.algorithm) {
            offers.push(candidate.clone());
        }
    }
    Some(Choice { point, best, margin, offers, all })
}

/// The cheapest and a rival.
fn compare(board: &Board, first: &Candidate, rival: &Candidate, comparisons: usize) -> Comparison {
    match board.unit.is_time() {
        true => Comparison::of_logs(&rival.logs(first), Thresholds::of(comparisons)),
        false => {
            let (own, other) = (first.cost, rival.cost);
            // Two starts that lie far apart show that a third may lie elsewhere.
            let further = (own.high - own.low).max(other.high - other.low);
            let range = ((other.low - further).max(0.0) / own.high, (other.high + further) / own.low);
            Comparison::of_counts(Ratio::new(other.mid / own.mid, Some(range)), Thresholds::EQUAL)
        }
    }
}

fn margin(board: &Board, first: &Candidate, rival: &Candidate, comparisons: usize) -> (String, String) {
    match (board.unit.is_time(), compare(board, first, rival, comparisons)) {
        (true, comparison) => comparison.figures(),
        // A count that is the same in all forks is exact.
        (false, Comparison::First(ratio)) if ratio.range().is_none_or(|(low, high)| low == high) => {
            (times(ratio.mid), String::new())
        }
        (false, comparison @ Comparison::First(_)) => comparison.figures(),
        (false, comparison @ Comparison::Equal(_)) => (comparison.figures().0, String::new()),
        (false, _) => Comparison::of(None).figures(),
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
    let costs: Vec<Cost> = records
        .iter()
        .map(|record| cost(record).filter(|_| !board.unit.is_time() || has_enough_forks(record)))
        .collect::<Option<_>>()?;
    let sum = |of: fn(&Cost) -> f64| costs.iter().map(of).sum();
    let cost = Cost { low: sum(|cost| cost.low), mid: sum(|cost| cost.mid), high: sum(|cost| cost.high) };
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
pub(super) fn family(board: &Board) -> Family {
    let is_aead = |record: &&Record| record.cell.algorithm.family() == Family::Aead;
    if board.records.iter().any(is_aead) { Family::Aead } else { Family::Bare }
}
