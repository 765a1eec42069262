//! Which library is fastest at one size by the language that calls it: a row for each cipher, a column for each language.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_answer::pair::{Fastest, Standing};
use ciphermeter_answer::words::{fit, size};
use ciphermeter_core::{Algorithm, Form, escaped};
use ciphermeter_estimate::CipherPair;

use super::bars::titled;
use super::rate::rate_in;
use crate::layout::{LEFT, TableCell, TableColumn, TableLayout, TableRow};
use crate::styled_line::{Style, StyledLine};

/// From so many languages on, libraries are listed by language.
const LEAST: usize = 4;
/// With more languages than that, there is no room for the libraries' names.
const MOST_NAMED: usize = 4;

/// The most columns of a version.
const MOST_VERSION: usize = 32;

/// Nothing for fewer than four languages.
pub(crate) fn languages(fastest: &Fastest, pair: CipherPair, width: usize) -> Vec<StyledLine> {
    let best: Vec<_> = fastest.ciphers.iter().map(|cipher| (cipher.algorithm, best(&cipher.libraries))).collect();
    let languages = languages_of(fastest);
    if languages.len() < LEAST {
        return Vec::new();
    }
    let form = match pair.form {
        Form::Into => ", into a second buffer",
        Form::Fresh => ", freshly allocated",
        _ => "",
    };
    let heading = format!("Fastest at {}{form}, GB/s, called from", size(fastest.point.message));
    let mut rows = vec![TableRow::titles(&heading, std::iter::once("").chain(languages.iter().copied()))];
    for (algorithm, best) in &best {
        let top = best.values().filter_map(|standing| standing.gb_per_s).fold(0.0, f64::max);
        let cell = |language: &&str| {
            let Some(standing) = best.get(language) else { return TableCell::new("–", Style::Dim) };
            let style = if standing.gb_per_s >= Some(top) { Style::Green } else { Style::Plain };
            let named = languages.len() <= MOST_NAMED;
            let name = if named { format!(" {}", standing.provider) } else { String::new() };
            TableCell::new(format!("{}{name}", rate_in(standing.gb_per_s, false)), style)
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
pub(crate) fn versions(fastest: &Fastest, pair: CipherPair) -> Option<String> {
    let own = |algorithm: Algorithm| best(fastest.of_cipher(algorithm)).into_values();
    let version = |standing: &Standing| {
        let version = fit(&escaped(standing.version.as_ref()?), MOST_VERSION);
        Some(format!("{} {version}", escaped(&standing.provider)))
    };
    if languages_of(fastest).len() < LEAST {
        return None;
    }
    let both = pair.both().into_iter().flat_map(|cipher| own(cipher.algorithm));
    let all: BTreeSet<String> = both.filter_map(version).collect();
    let all: Vec<_> = all.into_iter().collect();
    (!all.is_empty()).then(|| format!("Versions: {}.", all.join("; ")))
}

fn languages_of(fastest: &Fastest) -> BTreeSet<&'static str> {
    fastest.ciphers.iter().flat_map(|cipher| best(&cipher.libraries).into_keys()).collect()
}

/// The fastest library for each language.
fn best(libraries: &[Standing]) -> BTreeMap<&'static str, &Standing> {
    let mut best = BTreeMap::new();
    for standing in libraries.iter().filter(|standing| standing.is_settled) {
        if let Some(language) = standing.language {
            best.entry(language).or_insert(standing);
        }
    }
    best
}
