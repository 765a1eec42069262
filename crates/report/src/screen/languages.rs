//! Which library is fastest at one size by the language that calls it: a row for each cipher, a column for each language.

use ciphermeter_answer::pair::{Fastest, LEAST_LANGUAGES, best_by_language, languages_of};
use ciphermeter_answer::words::size;
use ciphermeter_core::{Form, IN_BATCHES};
use ciphermeter_estimate::CipherPair;

use super::bars::titled;
use super::rate::rate_in;
use crate::layout::{LEFT, TableCell, TableColumn, TableLayout, TableRow};
use crate::styled_line::{Style, StyledLine};

/// With more languages than that, there is no room for the libraries' names.
const MOST_NAMED: usize = 4;

/// Nothing for fewer than four languages.
pub(crate) fn languages(fastest: &Fastest, pair: CipherPair, width: usize) -> Vec<StyledLine> {
    let best: Vec<_> =
        fastest.ciphers.iter().map(|cipher| (cipher.algorithm, best_by_language(&cipher.libraries))).collect();
    let languages = languages_of(fastest);
    if languages.len() < LEAST_LANGUAGES {
        return Vec::new();
    }
    let form = match pair.form {
        Form::Into => ", into a second buffer".to_owned(),
        Form::Fresh => ", freshly allocated".to_owned(),
        Form::Batch => format!(", {IN_BATCHES}"),
        _ => String::new(),
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
