//! Which library is fastest at one size, as bars: the fastest of both ciphers, and the fastest of each further cipher.

use std::collections::BTreeSet;

use ciphermeter_core::Record;
use ciphermeter_estimate as estimate;

use super::contest::Pair;
use super::field::{Field, titled};
use super::rate::{has_enough_forks, rate, speed, unit};
use super::verdict::Verdict;
use crate::layout::{LEFT, RIGHT, TableCell, TableColumn, TableLayout, TableRow};
use crate::styled_line::{Style, StyledLine};
use crate::text::size;

/// So many libraries of a cipher of the pair, at most.
const MOST_EACH: usize = 3;

/// At most so many bars; nothing where no cell has enough forks for a figure.
pub(super) fn bars(field: &Field, pair: Pair, most: usize, width: usize) -> Vec<StyledLine> {
    let shown: Vec<Vec<&Record>> = shown(field, pair, most);
    let best = shown.iter().flatten().filter_map(|record| speed(record)).fold(0.0, f64::max);
    let mut marks = BTreeSet::new();
    let mut rows = Vec::new();
    for records in &shown {
        for (place, record) in records.iter().enumerate() {
            let mark = if place > 0 { mark(record, records[0]) } else { None };
            marks.extend(mark);
            let title = if place == 0 { titled(record.cell.algorithm, pair) } else { String::new() };
            let mark = mark.map_or(String::new(), |(sign, _)| format!(" {sign}"));
            rows.push(TableRow::Cells(vec![
                TableCell::new(format!("  {title}"), Style::Plain),
                TableCell::new(format!("{}{mark}", record.cell.provider), Style::Plain),
                TableCell::new(rate(record), Style::Plain),
                TableCell::bar(speed(record).map(|speed| speed / best), Style::Green),
            ]));
        }
    }
    if rows.is_empty() {
        return Vec::new();
    }
    let marks: Vec<_> = marks.into_iter().map(|(sign, meaning)| format!("{sign} {meaning}")).collect();
    let titles = ["", &marks.join(", "), unit(pair), ""];
    rows.insert(0, TableRow::titles(&format!("Fastest at {}", size(field.point.message)), titles));
    let columns = [
        LEFT,
        TableColumn { gap: 2, most: 20, ..LEFT },
        TableColumn { gap: 2, ..RIGHT },
        TableColumn { least: 4, most: 24, fills: true, gap: 2, ..LEFT },
    ];
    TableLayout::plan(&columns, &[], &rows, width).lines(&rows)
}

/// The records of each cipher that has any, fastest first.
fn shown<'a>(field: &Field<'a>, pair: Pair, most: usize) -> Vec<Vec<&'a Record>> {
    let algorithms = field.algorithms(pair);
    let further = algorithms.len().saturating_sub(2).min(most.saturating_sub(2));
    let each = ((most - further) / 2).clamp(1, MOST_EACH);
    let fastest = |(place, algorithm): (usize, &_)| -> Vec<&'a Record> {
        let settled =
            field.of(*algorithm).into_iter().map(|entry| entry.record).filter(|record| has_enough_forks(record));
        settled.take(if place < 2 { each } else { 1 }).collect()
    };
    let all = algorithms.iter().enumerate().take(2 + further).map(fastest);
    all.filter(|records| !records.is_empty()).collect()
}

/// How a record that is not surely slower than the first of its cipher is marked, and what that means.
fn mark(record: &Record, first: &Record) -> Option<(&'static str, &'static str)> {
    let logs: Vec<f64> = estimate::logs(record, first).into_values().collect();
    sign(Verdict::new(&logs, 1))
}

/// The mark that such a verdict gives the second, and what it means.
pub(super) fn sign(verdict: Verdict) -> Option<(&'static str, &'static str)> {
    match verdict {
        Verdict::First(_) => None,
        Verdict::Level(_) | Verdict::Second(_) => Some(("≈", "level")),
        Verdict::Unknown => Some(("?", "not settled")),
    }
}
