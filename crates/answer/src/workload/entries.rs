//! Which records of a run belong to a question: its cells alone, of the ciphers and libraries that its program has. And what becomes of
//! those that give no answer: a cipher whose output was wrong is left out and named, and so is a size at which nothing can be compared.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Algorithm, Cell, Operation, Outcome, Record, escaped};
use serde::Serialize;

use super::question::{Question, asked_as, asked_cells, is_candidate};
use crate::measured::{is_here, measured, wrong_here};
use crate::point::Point;
use crate::words::{listed, of_library, size};

/// A cipher of a library that gave wrong output anywhere in the run, and so is never recommended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Wrong {
    pub algorithm: Algorithm,
    pub provider: String,
    /// The messages at which it did, in bytes.
    pub messages: Vec<u64>,
    /// What was expected and what came, of the first.
    pub why: String,
}

/// An operation at a size.
pub(super) type Spot = (Operation, Point);

pub(super) fn spot(cell: &Cell) -> Spot {
    (cell.operation, Point::of(&cell.parameters))
}

pub(super) struct Entries<'a> {
    /// Whatever became of them.
    pub(super) all: Vec<&'a Record>,
    /// The operations and sizes that are asked for, each with its ciphers that may be recommended.
    pub(super) asked: BTreeMap<Spot, BTreeSet<Algorithm>>,
    pub(super) wrong: Vec<Wrong>,
}

impl<'a> Entries<'a> {
    /// Messages that are sealed and opened, sectors, and files that move: by one thread, on this machine. Both ends of a message count.
    pub(super) fn of(records: &'a [Record], question: &Question) -> Self {
        let cells = question.scenario.map(asked_cells);
        let belongs = |record: &&Record| {
            let cell = &record.cell;
            is_here(record)
                && cell.algorithm.stands_alone()
                && cell.operation != Operation::KeySetup
                && (cell.is_transfer() || cell.parameters.cpus().is_none())
                && question.counts(cell.parameters.message())
                && question.has(cell.algorithm)
                && question.links(&cell.provider)
                && cells.as_ref().is_none_or(|cells| cells.contains(&asked_as(cell)))
        };
        let all: Vec<&Record> = records.iter().filter(belongs).collect();
        let own = all.iter().map(|record| (record.cell.algorithm, spot(&record.cell)));
        let of_scenario = cells.iter().flatten();
        let of_scenario = of_scenario.map(|(one, group)| (*one, (group.operation, Point::of(&group.parameters))));
        let mut asked = BTreeMap::<Spot, BTreeSet<Algorithm>>::new();
        for (algorithm, spot) in own.chain(of_scenario) {
            if is_candidate(algorithm) && question.has(algorithm) && question.counts(spot.1.message) {
                asked.entry(spot).or_default().insert(algorithm);
            }
        }
        let wrong = wrong(records, &all);
        Self { all, asked, wrong }
    }

    pub(super) fn operations(&self) -> BTreeSet<Operation> {
        self.asked.keys().map(|(operation, _)| *operation).collect()
    }

    /// Those with figures that may be believed.
    pub(super) fn measured(&self) -> Vec<&'a Record> {
        self.all.iter().copied().filter(|record| self.is_measured(record)).collect()
    }

    pub(super) fn is_measured(&self, record: &Record) -> bool {
        let (algorithm, provider) = (record.cell.algorithm, &record.cell.provider);
        let is_wrong = self.wrong.iter().any(|wrong| (wrong.algorithm, &wrong.provider) == (algorithm, provider));
        measured(record).is_some() && !is_wrong
    }
}

/// Ciphers by libraries of which some output was wrong, as far as `all` has them.
fn wrong(records: &[Record], all: &[&Record]) -> Vec<Wrong> {
    let mut found = BTreeMap::<(Algorithm, &str), Wrong>::new();
    for record in wrong_here(records) {
        let Outcome::WrongOutput { why } = &record.outcome else { continue };
        let (algorithm, provider) = (record.cell.algorithm, record.cell.provider.as_str());
        if !all.iter().any(|one| one.cell.algorithm == algorithm && one.cell.provider == provider) {
            continue;
        }
        let new = || Wrong { algorithm, provider: provider.to_owned(), messages: Vec::new(), why: escaped(why) };
        found.entry((algorithm, provider)).or_insert_with(new).messages.push(record.cell.parameters.message());
    }
    let sorted = |mut wrong: Wrong| {
        wrong.messages.sort_unstable();
        wrong.messages.dedup();
        wrong
    };
    found.into_values().map(sorted).collect()
}

/// At most so many of them are named on a screen.
const NAMED: usize = 2;

/// `Left out: aws-lc's AES-256-GCM, whose output was wrong at 64 B.`
pub fn left_out(wrong: &[Wrong]) -> Option<String> {
    let one = |wrong: &Wrong| {
        let at: Vec<String> = wrong.messages.iter().map(|message| size(*message)).collect();
        let at = match &at[..] {
            [first, .., last] if at.len() > 3 => format!("{} sizes, {first} to {last}", at.len()),
            at => listed(at),
        };
        format!("{}, whose output was wrong at {at}", of_library(wrong.algorithm, &wrong.provider))
    };
    let mut said: Vec<String> = wrong.iter().take(NAMED).map(one).collect();
    if wrong.len() > NAMED {
        said.push(format!("{} more, whose output was wrong", wrong.len() - NAMED));
    }
    (!said.is_empty()).then(|| format!("Left out: {}.", said.join("; ")))
}
