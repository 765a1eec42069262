//! What the first screen compares, for a figure of the same: its ciphers, its form, its libraries, and how it names the machine.

use ciphermeter_answer::pair::{PairAnswer, Row};
use ciphermeter_answer::which_cipher;
use ciphermeter_core::{CellId, Form, Operation, Record};
use ciphermeter_estimate::{Cipher, CipherPair};
use ciphermeter_stats::{LEAST_FORKS, simultaneous};

use ciphermeter_answer::measured::{has_enough_forks, measured};

/// Two ciphers, and the libraries that have both.
pub(crate) struct Chosen<'a> {
    pub(crate) first: Cipher,
    pub(crate) second: Cipher,
    pub(crate) form: Form,
    /// The library of the screen's table first, then the fastest.
    pub(crate) libraries: Vec<Library<'a>>,
    /// That of the answer's intervals: one ratio has one interval, wherever it stands.
    pub(crate) confidence: f64,
}

impl Chosen<'_> {
    /// The question that the screen answers.
    pub(crate) fn question(&self) -> String {
        which_cipher(CipherPair { first: self.first, second: self.second, form: self.form })
    }
}

/// What a library has of both; of ciphers of sectors, what the fastest library of each has.
pub(crate) struct Library<'a> {
    pub(crate) provider: String,
    /// A pair of records for each size that has enough forks, smallest first.
    pub(crate) sizes: Vec<[&'a Record; 2]>,
}

/// The first screen's choice; `None` where a run has no two such ciphers. A library without enough forks at any size is left out.
pub(crate) fn chosen(records: &[Record]) -> Option<Chosen<'_>> {
    let answer = PairAnswer::of(records)?;
    let table = &answer.usual().provider;
    let of = |id: &CellId| records.iter().find(|record| record.id == *id);
    let mut libraries: Vec<Library> = answer
        .libraries
        .iter()
        .chain(&answer.left_out)
        .filter_map(|library| {
            let both = |row: &Row| Some([of(&row.cells[0])?, of(&row.cells[1])?]);
            // What is enough for the ratio is enough for what it is made of.
            let enough = |row: &Row, both: &[&Record; 2]| {
                row.forks >= LEAST_FORKS || both.iter().all(|record| has_enough_forks(record))
            };
            let sizes: Vec<_> =
                library.rows.iter().filter_map(|row| both(row).filter(|both| enough(row, both))).collect();
            let provider = library.provider.clone();
            (!sizes.is_empty()).then_some(Library { provider, sizes })
        })
        .collect();
    let time = |library: &Library| {
        let last = library.sizes.last().and_then(|[first, _]| measured(first));
        last.map_or(f64::INFINITY, |summary| summary.range.mid)
    };
    libraries.sort_by(|a, b| {
        let order = |library: &Library| (library.provider != *table, std::cmp::Reverse(library.sizes.len()));
        order(a).cmp(&order(b)).then(time(a).total_cmp(&time(b)))
    });
    let confidence = simultaneous(answer.comparisons());
    Some(Chosen { first: answer.first, second: answer.second, form: answer.form, libraries, confidence })
}

/// Whether a cell does to messages what this operation does: `seal` and `encrypt` protect, `open` and `decrypt` read.
pub(crate) fn is_alike(one: Operation, other: Operation) -> bool {
    let sort = |operation: Operation| {
        (operation == Operation::Transfer, operation == Operation::KeySetup, operation.consumes_sealed())
    };
    sort(one) == sort(other)
}
