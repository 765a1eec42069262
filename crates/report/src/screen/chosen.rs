//! What the first screen compares, for a figure of the same: its ciphers, its form, its libraries, and how it names the machine.

use ciphermeter_core::{Form, Operation, Record, Run};
use ciphermeter_estimate::Cipher;
use ciphermeter_stats::LEAST_FORKS;

use super::frame;
use super::versus::Versus;
use ciphermeter_answer::measured::{has_enough_forks, measured};

/// Two ciphers, and the libraries that have both.
pub(crate) struct Chosen<'a> {
    pub(crate) first: Cipher,
    pub(crate) second: Cipher,
    pub(crate) form: Form,
    /// The library of the screen's table first, then the fastest.
    pub(crate) libraries: Vec<Library<'a>>,
}

/// What a library has of both.
pub(crate) struct Library<'a> {
    pub(crate) provider: &'a str,
    /// A pair of records for each size that has enough forks, smallest first.
    pub(crate) sizes: Vec<[&'a Record; 2]>,
}

/// The first screen's choice; `None` where a run has no two such ciphers. A library without enough forks at any size is left out.
pub(crate) fn chosen(records: &[Record]) -> Option<Chosen<'_>> {
    let versus = Versus::find(records)?;
    let table = versus.contest().provider;
    let pair = versus.pair;
    let mut libraries: Vec<Library> = versus
        .contests
        .into_iter()
        .chain(versus.left_out)
        .map(|contest| {
            let rows = contest.rows.iter();
            // What is enough for the ratio is enough for what it is made of.
            let enough = rows.filter(|row| {
                row.logs.forks() >= LEAST_FORKS || [row.first, row.second].into_iter().all(has_enough_forks)
            });
            Library { provider: contest.provider, sizes: enough.map(|row| [row.first, row.second]).collect() }
        })
        .filter(|library| !library.sizes.is_empty())
        .collect();
    let time = |library: &Library| {
        let last = library.sizes.last().and_then(|[first, _]| measured(first));
        last.map_or(f64::INFINITY, |summary| summary.range.mid)
    };
    libraries.sort_by(|a, b| {
        let order = |library: &Library| (library.provider != table, std::cmp::Reverse(library.sizes.len()));
        order(a).cmp(&order(b)).then(time(a).total_cmp(&time(b)))
    });
    Some(Chosen { first: pair.first, second: pair.second, form: pair.form, libraries })
}

/// The machine in a few words: `Intel Xeon, 2 CPUs, AES instructions`.
pub(crate) fn machine(run: &Run) -> String {
    frame::machine(run).join(", ")
}

/// Whether a cell does to messages what this operation does: `seal` and `encrypt` protect, `open` and `decrypt` read.
pub(crate) fn is_alike(one: Operation, other: Operation) -> bool {
    let sort = |operation: Operation| {
        (operation == Operation::Transfer, operation == Operation::KeySetup, operation.consumes_sealed())
    };
    sort(one) == sort(other)
}
