//! What a figure says of a single cell: its rate with the range, its name, and words for its operation and form.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use ciphermeter_core::{Algorithm, Cell, Form, Group, IN_BATCHES, Operation, Record};

use super::caption::clean;
use crate::gb_per_s;
use ciphermeter_answer::measured::{is_here, measured};
use ciphermeter_answer::words::{rotation, size};
use ciphermeter_chart::sheet::Point;

/// Throughput with the range in which 90 % of the samples lay; GB/s, of files MB/s.
pub(super) fn rate(record: &Record) -> Option<Point> {
    let range = gb_per_s(&record.cell, measured(record)?.range)?;
    let scale = if record.cell.is_transfer() { 1000.0 } else { 1.0 };
    above_zero([range.low, range.mid, range.high].map(|rate| rate * scale))
}

/// Nanoseconds of a call in the same way, for what moves no bytes.
pub(super) fn time(record: &Record) -> Option<Point> {
    let range = measured(record)?.range;
    above_zero([range.low, range.mid, range.high])
}

fn above_zero([low, mid, high]: [f64; 3]) -> Option<Point> {
    (mid.is_finite() && mid > 0.0).then(|| Point::new(mid, Some((low, high))))
}

/// How fast cells are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speed {
    Rate,
    /// Of files, which are slower.
    TransferRate,
    /// Where calls move no bytes.
    Time,
}

impl Speed {
    /// That of a group's cells.
    pub(super) fn of(group: &Group) -> Self {
        match group.operation {
            Operation::Transfer => Self::TransferRate,
            Operation::KeySetup => Self::Time,
            _ if group.parameters.message() == 0 => Self::Time,
            _ => Self::Rate,
        }
    }

    /// The quantity and its unit.
    pub(super) fn quantity(self) -> &'static str {
        match self {
            Self::Rate => "throughput, GB/s",
            Self::TransferRate => "throughput, MB/s",
            Self::Time => "time of a call, ns",
        }
    }

    pub(super) fn point(self, record: &Record) -> Option<Point> {
        if self == Self::Time { time(record) } else { rate(record) }
    }

    /// A value that is the less the faster a cell is.
    pub(super) fn order(self, point: Point) -> f64 {
        if self == Self::Time { point.y } else { -point.y }
    }
}

/// Neither a ceiling nor the probe, and on this machine: a device has no place on its scale.
pub(super) fn is_cipher(record: &Record) -> bool {
    !record.cell.algorithm.is_ceiling() && is_here(record)
}

/// `openssl AES-256-GCM`.
pub(super) fn name(provider: &str, algorithm: Algorithm) -> String {
    format!("{} {}", clean(provider), algorithm.title())
}

/// Names of ciphers of libraries: where all have one algorithm, the libraries' alone, and the algorithm for the subtitle.
pub(super) fn names(all: &[(Algorithm, &str)]) -> (Vec<String>, String) {
    let only = all.first().map(|(first, _)| *first).filter(|first| all.iter().all(|(other, _)| other == first));
    let short = |(algorithm, provider): &(Algorithm, &str)| match only {
        Some(_) => clean(provider),
        None => name(provider, *algorithm),
    };
    (all.iter().map(short).collect(), only.map(|only| format!(", {}", only.title())).unwrap_or_default())
}

/// `ring AES-256-GCM seal 1 KiB`, with whatever else tells cells apart.
pub(super) fn full_name(cell: &Cell) -> String {
    let mut name = format!("{} {} {}", clean(&cell.provider), cell.algorithm.title(), cell.operation);
    if cell.form != Form::InPlace && !cell.is_transfer() {
        name += &format!(" {}", cell.form);
    }
    let (message, aad, threads) = (cell.parameters.message(), cell.parameters.aad(), cell.parameters.threads());
    if message > 0 {
        name += &format!(" {}", size(message));
    }
    if aad > 0 {
        name += &format!(" + {} aad", size(aad));
    }
    if threads > 1 {
        name += &format!(", {threads} threads");
    }
    name + &rotation(&cell.parameters)
}

pub(super) fn form(form: Form) -> &'static str {
    match form {
        Form::InPlace => "in place",
        Form::Into => "into a second buffer",
        Form::Fresh => "into fresh memory",
        Form::Process => "in fresh processes",
        Form::Batch => IN_BATCHES,
        Form::Static => "split into slices",
        Form::Dynamic => "split into chunks",
        Form::Mapped => "from file to file, mapped",
        Form::Buffered => "from file to file, read and written",
        Form::Direct => "from file to file, by direct I/O",
        Form::Device => "on the card",
        Form::EndToEnd => "to the card and back",
        Form::Pageable => "to the card and back, serially",
        Form::Discard => "received and discarded",
        Form::File => "received into a file",
        Form::Disk => "written and read back",
    }
}

pub(super) type OperationForm = (Operation, Form);

pub(super) fn operation_form(record: &Record) -> OperationForm {
    (record.cell.operation, record.cell.form)
}

/// What is done in the records, that of most first.
pub(super) fn operation_forms<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<OperationForm> {
    let mut counts = BTreeMap::<OperationForm, usize>::new();
    records.into_iter().for_each(|record| *counts.entry(operation_form(record)).or_default() += 1);
    let mut all: Vec<_> = counts.into_iter().collect();
    all.sort_by_key(|(_, count)| Reverse(*count));
    all.into_iter().map(|(operation_form, _)| operation_form).collect()
}

/// Each name once, that of the least score first.
pub(super) fn by_least<Name: Ord>(scored: impl IntoIterator<Item = (Name, f64)>) -> Vec<Name> {
    let mut best = BTreeMap::<Name, f64>::new();
    for (name, score) in scored {
        let own = best.entry(name).or_insert(f64::INFINITY);
        *own = own.min(score);
    }
    let mut all: Vec<_> = best.into_iter().collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1));
    all.into_iter().map(|(name, _)| name).collect()
}

/// `seal in place`; key set-up has no output.
pub(super) fn done((operation, form): OperationForm) -> String {
    match operation {
        Operation::KeySetup => operation.to_string(),
        _ => format!("{operation} {}", self::form(form)),
    }
}

/// `16 B to 1 MiB`, `1 KiB`.
pub(super) fn span(sizes: &[u64]) -> String {
    match (sizes.iter().min(), sizes.iter().max()) {
        (Some(least), Some(most)) if least != most => format!("{} to {}", size(*least), size(*most)),
        (Some(only), _) => size(*only),
        _ => String::new(),
    }
}
