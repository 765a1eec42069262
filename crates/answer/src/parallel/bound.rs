//! What binds a way of encrypting a long message: of the ceilings that were measured in the same rounds with as many threads, the one
//! that leaves the least room.

use ciphermeter_core::{Algorithm, Bytes, Cell, CipherKind, Form, Record, Run};
use ciphermeter_estimate as estimate;
use serde::Serialize;

use crate::measured::measured;

/// A ceiling, and in which form it is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    pub algorithm: Algorithm,
    form: Form,
    /// What it is a limit of, for people.
    pub what: &'static str,
    /// Whether it is a card's own: from the same provider.
    own: bool,
}

/// A way that passes its limit by more shows that the limit moved between samples, or was measured on a busier machine.
const UNSETTLED: f64 = 1.05;

/// What a cell reaches of the ceiling that binds it.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Bound {
    /// What it is a limit of.
    pub what: &'static str,
    /// Time at the ceiling ÷ its own time.
    pub share: f64,
}

impl Bound {
    /// `None` where none of its ceilings was measured, or the nearest is no limit.
    pub fn of(run: &Run, record: &Record, records: &[Record]) -> Option<Self> {
        let shares = limits(&record.cell).into_iter().filter_map(|limit| {
            let ceiling = limit.record(&record.cell, records)?;
            let what = if limit.what == MEMORY { memory(run, &record.cell) } else { limit.what };
            Some(Self { what, share: estimate::between(ceiling, record)?.mid })
        });
        shares.max_by(|a, b| a.share.total_cmp(&b.share)).filter(|bound| bound.share <= UNSETTLED)
    }
}

/// Whether a way passes this ceiling by so much that it is no limit.
pub fn passes(way: &Record, ceiling: &Record, records: &[Record]) -> bool {
    let is_its = |limit: &Limit| limit.record(&way.cell, records).is_some_and(|found| found.id == ceiling.id);
    limits(&way.cell).iter().any(is_its) && estimate::between(ceiling, way).is_some_and(|ratio| ratio.mid > UNSETTLED)
}

const MEMORY: &str = "memory";

/// Where a message lies that is encrypted in place, again and again: `cache` if the largest one of the worker's CPU holds it.
pub fn memory(run: &Run, cell: &Cell) -> &'static str {
    let held = largest_cache(run).is_some_and(|cache| cell.parameters.message() <= cache);
    if held { "cache" } else { MEMORY }
}

/// Bytes, from the fact `L1d 48KiB shared by 3,7, L3 12MiB shared by 0-7`.
fn largest_cache(run: &Run) -> Option<u64> {
    let words = run.fact("caches")?.split([' ', ',']);
    words.filter_map(|word| word.parse::<Bytes>().ok()).filter(|size| size.0 >= 1024).map(|size| size.0).max()
}

impl Limit {
    /// The ceiling's record for a cell: as long a message, and as many threads.
    fn record<'a>(&self, cell: &Cell, records: &'a [Record]) -> Option<&'a Record> {
        records.iter().find(|other| {
            let same = |name| other.cell.parameters.get(name) == cell.parameters.get(name);
            other.cell.algorithm == self.algorithm
                && other.cell.form == self.form
                && (!self.own || other.cell.provider == cell.provider)
                && ["message", "threads", "cpus"].into_iter().all(same)
                && measured(other).is_some()
        })
    }
}

/// The ceilings that may bind a cell.
fn limits(cell: &Cell) -> Vec<Limit> {
    let limit = |algorithm, form, what, own| Limit { algorithm, form, what, own };
    let is_aes = cell.algorithm.kind() == CipherKind::Aes;
    let units = || is_aes.then(|| limit(Algorithm::AesUnit, Form::Static, "AES units", false));
    match cell.form {
        Form::Static | Form::Dynamic => {
            let memory = limit(Algorithm::ReadModifyWrite, Form::Static, MEMORY, false);
            [memory].into_iter().chain(units()).collect()
        }
        Form::Mapped | Form::Buffered | Form::Direct => {
            [limit(Algorithm::Memcpy, cell.form, "file copies", false)].into_iter().chain(units()).collect()
        }
        Form::Device => vec![limit(Algorithm::ReadModifyWrite, Form::Device, "card memory", true)],
        Form::EndToEnd | Form::Pageable => vec![limit(Algorithm::Memcpy, cell.form, "card copies", true)],
        _ => Vec::new(),
    }
}

/// What a ceiling's own record is a limit of.
pub fn limit(cell: &Cell) -> &'static str {
    match (cell.algorithm, cell.form) {
        (Algorithm::AesUnit, _) => "AES units",
        (Algorithm::CopyIn, Form::Pageable) => "pageable to card",
        (Algorithm::CopyOut, Form::Pageable) => "pageable from card",
        (Algorithm::Memcpy, Form::Pageable) => "pageable both ways",
        (Algorithm::CopyIn, _) => "copy to card",
        (Algorithm::CopyOut, _) => "copy from card",
        (Algorithm::Memcpy, Form::Mapped) => "file copied, mapped",
        (Algorithm::Memcpy, Form::Buffered) => "file copied, buffered",
        (Algorithm::Memcpy, Form::Direct) => "file copied, direct",
        (Algorithm::Memcpy, Form::Device) => "card copied",
        (Algorithm::Memcpy, form) if form.is_of_card() => "copy both ways",
        (Algorithm::Memcpy, _) => "memory copied",
        (_, form) if form.is_of_card() => "card in place",
        _ => "memory in place",
    }
}
