//! The ways of encrypting one long message: a strategy, a provider, a number of threads.

use std::collections::BTreeMap;

use ciphermeter_core::{Algorithm, Cell, Form, Parameters, Record, Run, escaped};

use super::bound::Bound;
use super::energy::Energy;
use crate::rate::rate;
use crate::threads::{Gain, gain};
use crate::words::{counted, size};

/// The provider that measures OpenMP's threads instead of the worker's own.
pub(super) const OPENMP: &str = "openmp";

/// A way that was measured.
pub struct Way<'a> {
    /// Its record.
    pub record: &'a Record,
    /// GB/s, the median over samples.
    pub rate: f64,
    /// What several threads gain over one.
    pub gain: Option<Gain>,
    /// The nearest limit.
    pub bound: Option<Bound>,
    /// Joules, where they were counted.
    pub energy: Option<Energy>,
}

/// All ways of one cipher at one size.
pub struct SplitMessage<'a> {
    /// Its length.
    pub bytes: u64,
    /// The cipher.
    pub algorithm: Algorithm,
    /// Bytes of XOR's key.
    pub key: u64,
    /// Fastest first.
    pub ways: Vec<Way<'a>>,
}

impl SplitMessage<'_> {
    /// `AES-256-CTR`; `XOR, key of 4 KiB`.
    pub fn title(&self) -> String {
        titled(self.algorithm, self.key)
    }
}

/// A cipher's name, of XOR with an unusual key that key's length.
pub(super) fn titled(algorithm: Algorithm, key: u64) -> String {
    let usual = algorithm != Algorithm::Xor || key == Parameters::USUAL_KEY;
    match usual {
        true => algorithm.title().into(),
        false => format!("{}, key of {}", algorithm.title(), size(key)),
    }
}

/// Whether a record is of a message that is split, and no ceiling.
pub fn is_way(record: &Record) -> bool {
    record.cell.is_split() && !record.cell.algorithm.is_ceiling()
}

/// By size and cipher, AES before XOR; ceilings are no ways.
pub fn messages<'a>(run: &Run, records: &'a [Record]) -> Vec<SplitMessage<'a>> {
    let mut messages = BTreeMap::<_, Vec<Way>>::new();
    for record in records.iter().filter(|record| is_way(record)) {
        let Some(rate) = rate(record) else { continue };
        let key = (record.cell.parameters.message(), record.cell.algorithm, record.cell.parameters.key());
        let way = Way {
            record,
            rate,
            gain: gain(record, records),
            bound: Bound::of(run, record, records),
            energy: Energy::of(run, record, rate),
        };
        messages.entry(key).or_default().push(way);
    }
    messages.values_mut().for_each(|ways| ways.sort_by(|a, b| b.rate.total_cmp(&a.rate)));
    messages.into_iter().map(|((bytes, algorithm, key), ways)| SplitMessage { bytes, algorithm, key, ways }).collect()
}

/// Of each cipher the message of its largest message.
pub fn largest<'c, 'a>(messages: &'c [SplitMessage<'a>]) -> Vec<&'c SplitMessage<'a>> {
    let is_larger =
        |message: &SplitMessage, other: &SplitMessage| other.title() == message.title() && other.bytes > message.bytes;
    messages.iter().filter(|message| !messages.iter().any(|other| is_larger(message, other))).collect()
}

/// How a message is split: the words of the study that asked for it.
pub fn strategy(cell: &Cell) -> &'static str {
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
pub fn is_software(record: &Record) -> bool {
    let path = record.provenance.as_ref().map(|provenance| provenance.path.as_str());
    path.is_some_and(|path| record.cell.form.is_played_by(path))
}

/// Whether the card's memory holds the message before and after, so that no copy is in the figure.
pub fn is_on_card(cell: &Cell) -> bool {
    cell.form == Form::Device
}

/// How many threads split the message; nothing of a card, which has none of these.
pub fn threads(cell: &Cell) -> String {
    if cell.form.is_of_card() { String::new() } else { cell.parameters.threads().to_string() }
}

/// Who encrypts. The provider `ceiling` has an XOR of its own, which is no limit of the machine.
pub fn provider(cell: &Cell) -> String {
    match (cell.algorithm, cell.provider.as_str()) {
        (Algorithm::Xor, "ceiling") => "built-in".into(),
        (_, provider) => escaped(provider),
    }
}

/// `openssl, 2 threads`; `openssl, 2 dynamic`; `wgpu, end-to-end`.
pub fn name(record: &Record) -> String {
    let cell = &record.cell;
    let (provider, threads) = (provider(cell), cell.parameters.threads());
    match cell.form {
        Form::Static => format!("{provider}, {}", counted(threads, "thread")),
        form if form.is_of_card() && is_software(record) => format!("{provider}, {form} (software)"),
        form if form.is_of_card() => format!("{provider}, {form}"),
        form => format!("{provider}, {threads} {form}"),
    }
}
