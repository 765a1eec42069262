//! Which records of a run belong to a question: its cells alone, of the ciphers and libraries that its program has. And what becomes of
//! those that give no answer: a cipher whose output was wrong is left out and named, and so is a size at which nothing can be compared.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Algorithm, Cell, Family, Operation, Outcome, Record, escaped};

use super::question::{Question, asked_cells, is_candidate, is_of_program};
use ciphermeter_answer::measured::{is_here, measured, wrong_here};
use ciphermeter_answer::point::Point;
use ciphermeter_answer::words::size;
use ciphermeter_answer::words::{listed, of_library};

/// A cipher of a library that gave wrong output anywhere in the run, and so is never recommended.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub(super) struct Wrong {
    pub(super) algorithm: Algorithm,
    pub(super) provider: String,
    /// The messages at which it did, in bytes.
    pub(super) messages: Vec<u64>,
    /// What was expected and what came, of the first.
    pub(super) why: String,
}

/// An operation at a size.
pub(super) type Spot = (Operation, Point);

/// Where a cell stands.
pub(super) fn spot(cell: &Cell) -> Spot {
    (cell.operation, Point::of(&cell.parameters))
}

/// The records of a question.
pub(super) struct Entries<'a> {
    /// Whatever became of them.
    pub(super) all: Vec<&'a Record>,
    /// The operations and sizes that are asked for, each with its ciphers that may be recommended.
    pub(super) asked: BTreeMap<Spot, BTreeSet<Algorithm>>,
    pub(super) wrong: Vec<Wrong>,
}

impl<'a> Entries<'a> {
    /// Messages that are sealed and opened, and files that move: by one thread, on this machine. Both ends of a message count.
    pub(super) fn of(records: &'a [Record], question: &Question) -> Self {
        let Question { mix, program, scenario, .. } = *question;
        let cells = scenario.map(asked_cells);
        let belongs = |record: &&Record| {
            let cell = &record.cell;
            let is_alone = cell.is_transfer() || cell.parameters.cpus().is_none();
            let is_counted = mix.is_none_or(|mix| mix.count(cell.parameters.message()) > 0.0);
            let protects = matches!(cell.operation, Operation::Seal | Operation::Open | Operation::Transfer);
            let is_cipher = cell.algorithm.family() == Family::Aead;
            let is_asked = cells.as_ref().is_none_or(|cells| cells.contains(&(cell.algorithm, cell.group())));
            is_here(record)
                && is_cipher
                && protects
                && is_alone
                && is_counted
                && is_asked
                && is_of_program(cell, program)
        };
        let all: Vec<&Record> = records.iter().filter(belongs).collect();
        let mut asked = BTreeMap::<Spot, BTreeSet<Algorithm>>::new();
        let own = all.iter().map(|record| (record.cell.algorithm, spot(&record.cell)));
        let has = |algorithm: Algorithm| {
            program.is_none_or(|program| program.algorithms.is_empty() || program.algorithms.contains(&algorithm))
        };
        let of_scenario = cells
            .iter()
            .flatten()
            .map(|(algorithm, group)| (*algorithm, (group.operation, Point::of(&group.parameters))));
        let is_counted = |(_, point): &Spot| mix.is_none_or(|mix| mix.count(point.message) > 0.0);
        let all_asked = own
            .chain(of_scenario)
            .filter(|(algorithm, spot)| is_candidate(*algorithm) && has(*algorithm) && is_counted(spot));
        for (algorithm, spot) in all_asked {
            asked.entry(spot).or_default().insert(algorithm);
        }
        let wrong = wrong(records, &all);
        Self { all, asked, wrong }
    }

    /// The operations that are asked for.
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
pub(super) fn left_out(wrong: &[Wrong]) -> Option<String> {
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
