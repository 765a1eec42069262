//! Which library is fastest at one size by the language that calls it: a row for each cipher, a column for each language.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Algorithm, Form, Record, escaped};
use ciphermeter_estimate::CipherPair;

use super::field::{Field, titled};
use super::rate::{rate, speed};
use crate::layout::{LEFT, TableCell, TableColumn, TableLayout, TableRow};
use crate::styled_line::{Style, StyledLine};
use ciphermeter_answer::measured::has_enough_forks;
use ciphermeter_answer::words::{fit, size};

/// From so many languages on, libraries are listed by language.
const LEAST: usize = 4;
/// With more languages than that, there is no room for the libraries' names.
const MOST_NAMED: usize = 4;

/// The most columns of a version.
const MOST_VERSION: usize = 32;

/// Nothing for fewer than four languages.
pub(super) fn languages(field: &Field, pair: CipherPair, width: usize) -> Vec<StyledLine> {
    let algorithms = field.algorithms(pair);
    let best: Vec<_> = algorithms.iter().map(|algorithm| (*algorithm, best(field, *algorithm))).collect();
    let languages: BTreeSet<&str> = best.iter().flat_map(|(_, best)| best.keys().copied()).collect();
    if languages.len() < LEAST {
        return Vec::new();
    }
    let form = match pair.form {
        Form::Into => ", into a second buffer",
        Form::Fresh => ", freshly allocated",
        _ => "",
    };
    let heading = format!("Fastest at {}{form}, GB/s, called from", size(field.point.message));
    let mut rows = vec![TableRow::titles(&heading, std::iter::once("").chain(languages.iter().copied()))];
    for (algorithm, best) in &best {
        let top = best.values().filter_map(|record| speed(record)).fold(0.0, f64::max);
        let cell = |language: &&str| {
            let Some(record) = best.get(language) else { return TableCell::new("–", Style::Dim) };
            let style = if speed(record) >= Some(top) { Style::Green } else { Style::Plain };
            let named = languages.len() <= MOST_NAMED;
            let name = if named { format!(" {}", record.cell.provider) } else { String::new() };
            TableCell::new(format!("{}{name}", rate(record)), style)
        };
        let mut cells = vec![TableCell::new(format!("  {}", titled(*algorithm, pair)), Style::Plain)];
        cells.extend(languages.iter().map(cell));
        rows.push(TableRow::Cells(cells));
    }
    let mut columns = vec![LEFT];
    columns.resize(1 + languages.len(), TableColumn { gap: 2, ..LEFT });
    TableLayout::plan(&columns, &[], &rows, width).lines(&rows)
}

/// What the libraries of both ciphers are, where a language may bring its own: `pyca 50.0.2, OpenSSL 3.5.4`.
pub(super) fn versions(field: &Field, pair: CipherPair) -> Option<String> {
    let both = [pair.first, pair.second].into_iter().flat_map(|cipher| best(field, cipher.algorithm).into_values());
    let version = |record: &Record| {
        let version = fit(&escaped(&record.provenance.as_ref()?.version), MOST_VERSION);
        Some(format!("{} {version}", escaped(&record.cell.provider)))
    };
    let all: BTreeSet<String> = both.filter_map(version).collect();
    let all: Vec<_> = all.into_iter().collect();
    (!all.is_empty()).then(|| format!("Versions: {}.", all.join("; ")))
}

/// The fastest record of an algorithm for each language.
fn best<'a>(field: &Field<'a>, algorithm: Algorithm) -> BTreeMap<&'static str, &'a Record> {
    let mut best = BTreeMap::new();
    for record in field.of(algorithm).into_iter().map(|entry| entry.record).filter(|record| has_enough_forks(record)) {
        if let Some(language) = language(record) {
            best.entry(language).or_insert(record);
        }
    }
    best
}

/// The language that a library is called from.
fn language(record: &Record) -> Option<&'static str> {
    let provenance = record.provenance.as_ref()?;
    match (&provenance.library, provenance.worker.as_str()) {
        (Some(_), "native") => Some("C"),
        (None, "native" | "rustcrypto-soft") => Some("Rust"),
        (_, "go") => Some("Go"),
        (_, "java") => Some("Java"),
        (_, "node") => Some("JavaScript"),
        (_, "python") => Some("Python"),
        _ => None,
    }
}
