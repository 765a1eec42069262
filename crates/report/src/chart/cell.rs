//! What a figure says of a single cell: its rate with the range, its name, and words for its operation and form.

use ciphermeter_core::{Algorithm, Cell, Form, Operation, Record};

use super::caption::clean;
use crate::gb_per_s;
use ciphermeter_answer::measured::{is_here, measured};
use ciphermeter_answer::words::{rotation, size};
use ciphermeter_chart::sheet::Point;

/// Throughput with the range in which 90 % of the samples lay; GB/s, of files MB/s.
pub(super) fn rate(record: &Record, x: f64) -> Option<Point> {
    let range = gb_per_s(&record.cell, measured(record)?.range)?;
    let scale = if record.cell.is_transfer() { 1000.0 } else { 1.0 };
    let [low, mid, high] = [range.low, range.mid, range.high].map(|rate| rate * scale);
    Some(Point { x, y: mid, range: Some((low, high)) }).filter(|point| point.y.is_finite() && point.y > 0.0)
}

/// Nanoseconds of a call in the same way, for what moves no bytes.
pub(super) fn time(record: &Record) -> Option<Point> {
    let range = measured(record)?.range;
    Some(Point { x: 0.0, y: range.mid, range: Some((range.low, range.high)) })
        .filter(|point| point.y.is_finite() && point.y > 0.0)
}

/// What an axis has to hold: the values, and whiskers as far as they do not dwarf them.
pub(super) fn extent<'a>(points: impl IntoIterator<Item = &'a Point>) -> Vec<f64> {
    let each = |point: &Point| {
        let (low, high) = point.range.unwrap_or((point.y, point.y));
        [point.y, low.max(point.y / 3.0), high.min(point.y * 2.0)]
    };
    points.into_iter().flat_map(each).collect()
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

/// Where the output goes.
pub(super) fn form(form: Form) -> &'static str {
    match form {
        Form::InPlace => "in place",
        Form::Into => "into a second buffer",
        Form::Fresh => "into fresh memory",
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
    }
}

/// `seal in place`; key set-up has no output.
pub(super) fn done(operation: Operation, form: Form) -> String {
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
