//! The ways of encrypting one long message: a strategy, a provider, a number of threads.

use std::collections::BTreeMap;

use ciphermeter_core::{Algorithm, Cell, Family, Form, Record, escaped};

use super::bound::Bound;
use crate::gb_per_s;
use crate::measured::measured;
use crate::text::size;
use crate::threads::{Gain, gain};

/// The provider that measures OpenMP's threads instead of the worker's own.
const OPENMP: &str = "openmp";

/// A way that was measured.
pub(crate) struct Way<'a> {
    pub(crate) record: &'a Record,
    /// GB/s, the median over samples.
    pub(crate) rate: f64,
    pub(crate) gain: Option<Gain>,
    pub(crate) bound: Option<Bound>,
}

/// All ways of one cipher at one size.
pub(crate) struct Contest<'a> {
    pub(crate) bytes: u64,
    pub(crate) algorithm: Algorithm,
    /// Bytes of XOR's key.
    pub(crate) key: u64,
    /// Fastest first.
    pub(crate) ways: Vec<Way<'a>>,
}

impl Contest<'_> {
    /// `AES-256-CTR`; `XOR, key of 4 KiB`.
    pub(crate) fn title(&self) -> String {
        let usual = self.algorithm != Algorithm::Xor || self.key == Algorithm::Xor.key_bytes() as u64;
        match usual {
            true => self.algorithm.title().into(),
            false => format!("{}, key of {}", self.algorithm.title(), size(self.key)),
        }
    }
}

/// By size and cipher, AES before XOR; ceilings are no ways.
pub(crate) fn contests(records: &[Record]) -> Vec<Contest<'_>> {
    let mut contests = BTreeMap::<_, Vec<Way>>::new();
    for record in records.iter().filter(|record| record.cell.algorithm.family() != Family::Ceiling) {
        let Some(rate) = measured(record).and_then(|summary| gb_per_s(&record.cell, summary.range)) else { continue };
        let key = (record.cell.parameters.message(), record.cell.algorithm, record.cell.parameters.key());
        let way = Way { record, rate: rate.mid, gain: gain(record, records), bound: Bound::of(record, records) };
        contests.entry(key).or_default().push(way);
    }
    contests.values_mut().for_each(|ways| ways.sort_by(|a, b| b.rate.total_cmp(&a.rate)));
    contests.into_iter().map(|((bytes, algorithm, key), ways)| Contest { bytes, algorithm, key, ways }).collect()
}

/// How a message is split: the words of the study that asked for it.
pub(crate) fn strategy(cell: &Cell) -> &'static str {
    let several = cell.parameters.threads() > 1;
    match cell.form {
        Form::Static if cell.provider == OPENMP && several => "openmp",
        Form::Dynamic if cell.provider == OPENMP => "openmp dynamic",
        Form::Static if several => "threads",
        Form::Static => "sequential",
        other => other.as_str(),
    }
}

/// Whether a processor plays the card, so that the figure says nothing about cards.
pub(crate) fn is_software(record: &Record) -> bool {
    let path = record.provenance.as_ref().map(|provenance| provenance.path.as_str());
    record.cell.form.is_of_card() && path.is_some_and(|path| path.ends_with("software"))
}

/// `openssl, 2 threads`; `openssl, 2 dynamic`; `wgpu, end-to-end`; `wgpu, device: software` where a processor plays the card.
pub(crate) fn name(record: &Record) -> String {
    let cell = &record.cell;
    let (provider, threads) = (escaped(&cell.provider), cell.parameters.threads());
    match cell.form {
        Form::Static if threads == 1 => format!("{provider}, 1 thread"),
        Form::Static => format!("{provider}, {threads} threads"),
        form if is_software(record) => format!("{provider}, {form}: software"),
        form if form.is_of_card() => format!("{provider}, {form}"),
        form => format!("{provider}, {threads} {form}"),
    }
}
