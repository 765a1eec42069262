//! Which library is fastest at one size, as bars: the fastest of both ciphers, and the fastest of each further cipher.

use std::collections::BTreeSet;

use ciphermeter_core::{Record, escaped};
use ciphermeter_estimate::{self as estimate, Behind, CipherPair, Comparison};

use super::field::{Field, titled};
use super::rate::{rate, speed, unit};
use crate::layout::{LEFT, RIGHT, TableCell, TableColumn, TableLayout, TableRow};
use crate::styled_line::{Style, StyledLine};
use ciphermeter_answer::group::behind_first;
use ciphermeter_answer::measured::has_enough_forks;
use ciphermeter_answer::words::size;

/// So many libraries of a cipher of the pair, at most.
const MOST_EACH: usize = 3;

/// At most so many bars; nothing where no cell has enough forks for a figure.
pub(super) fn bars(field: &Field, pair: CipherPair, most: usize, width: usize) -> Vec<StyledLine> {
    let shown: Vec<Vec<Bar>> = shown(field, pair, most);
    let best = shown.iter().flatten().filter_map(|bar| speed(bar.record)).fold(0.0, f64::max);
    let mut marks = BTreeSet::new();
    let mut rows = Vec::new();
    for bars in &shown {
        for (place, Bar { record, mark, beside }) in bars.iter().enumerate() {
            marks.extend(mark);
            let title = if place == 0 { titled(record.cell.algorithm, pair) } else { String::new() };
            let mark = mark.map_or(String::new(), |(sign, _)| format!(" {sign}"));
            rows.push(TableRow::Cells(vec![
                TableCell::new(format!("  {title}"), Style::Plain),
                TableCell::new(format!("{}{mark}{beside}", record.cell.provider), Style::Plain),
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
        TableColumn { gap: 2, most: 24, ..LEFT },
        TableColumn { gap: 2, ..RIGHT },
        TableColumn { least: 4, most: 24, fills: true, gap: 2, ..LEFT },
    ];
    TableLayout::plan(&columns, &[], &rows, width).lines(&rows)
}

/// A library of a cipher, and how it stands to the first of them.
struct Bar<'a> {
    record: &'a Record,
    /// Of those that are not surely slower than the first, and of a first that stands for such libraries, too.
    mark: Option<Mark>,
    /// Which these are, where they have no bar.
    beside: String,
}

/// A sign and what it means.
type Mark = (&'static str, &'static str);

/// The libraries of each cipher that has any, fastest first.
fn shown<'a>(field: &Field<'a>, pair: CipherPair, most: usize) -> Vec<Vec<Bar<'a>>> {
    let algorithms = field.algorithms(pair);
    let further = algorithms.len().saturating_sub(2).min(most.saturating_sub(2));
    let each = ((most - further) / 2).clamp(1, MOST_EACH);
    let fastest = |(place, algorithm): (usize, &_)| {
        let settled = field.of(*algorithm).into_iter().map(|entry| entry.record);
        bars_of(settled.filter(|record| has_enough_forks(record)).collect(), if place < 2 { each } else { 1 })
    };
    let all = algorithms.iter().enumerate().take(2 + further).map(fastest);
    all.filter(|bars| !bars.is_empty()).collect()
}

/// The first libraries of a cipher, each with its mark; a single one stands for those that may be as fast.
fn bars_of(records: Vec<&Record>, most: usize) -> Vec<Bar<'_>> {
    let marks = marks(&records);
    let mut bars: Vec<Bar> = records
        .iter()
        .zip(&marks)
        .take(most)
        .map(|(record, mark)| Bar { record, mark: *mark, beside: String::new() })
        .collect();
    if let ([first], Some(mark)) = (bars.as_mut_slice(), marks.iter().flatten().min()) {
        let equals: Vec<&str> = records
            .iter()
            .zip(&marks)
            .filter(|(_, mark)| mark.is_some())
            .map(|(r, _)| r.cell.provider.as_str())
            .collect();
        first.mark = Some(*mark);
        first.beside = match equals.as_slice() {
            [only] => format!(" {}", escaped(only)),
            several => format!(" {} others", several.len()),
        };
    }
    bars
}

/// How each of a cipher's libraries is marked, the fastest first, which has no mark.
fn marks(records: &[&Record]) -> Vec<Option<Mark>> {
    let enough = |one: usize| estimate::logs(records[one], records[0]).are_enough();
    let mark = |(one, behind): (usize, Option<Behind>)| match one {
        0 => None,
        _ => sign(Comparison::of(behind.filter(|_| enough(one)).map(|behind| behind.ratio))),
    };
    behind_first(records).into_iter().enumerate().map(mark).collect()
}

/// The mark that such a verdict gives the second, and what it means.
pub(super) fn sign(comparison: Comparison) -> Option<Mark> {
    match comparison {
        Comparison::First(_) => None,
        Comparison::Equal(_) | Comparison::Second(_) => Some(("≈", "equal")),
        Comparison::Unknown(_) => Some(("?", "not settled")),
    }
}

#[cfg(test)]
mod tests {
    use ciphermeter_core::{Algorithm, Operation};

    use super::*;
    use ciphermeter_answer::fixtures::{self, cell};

    /// The bars of libraries that seal in so many nanoseconds, as text.
    fn drawn(libraries: &[(&'static str, f64)], most: usize) -> Vec<String> {
        let seal =
            |(provider, ns): &(&'static str, f64)| cell(provider, Algorithm::Aes256Gcm, Operation::Seal, 1024, *ns);
        let records = fixtures::records(&libraries.iter().map(seal).collect::<Vec<_>>(), 8);
        let text = |bar: Bar| {
            let sign = bar.mark.map_or(String::new(), |(sign, _)| format!(" {sign}"));
            format!("{}{sign}{}", bar.record.cell.provider, bar.beside)
        };
        bars_of(records.iter().collect(), most).into_iter().map(text).collect()
    }

    #[test]
    fn a_single_bar_names_what_may_be_as_fast() {
        let slow = ("slow", 400.0);
        assert_eq!(drawn(&[("a", 300.0), slow], 1), ["a"]);
        assert_eq!(drawn(&[("a", 300.0), ("b", 300.0), slow], 1), ["a ≈ b"]);
        assert_eq!(drawn(&[("a", 300.0), ("b", 300.0), ("c", 300.0), slow], 1), ["a ≈ 2 others"]);
        assert_eq!(drawn(&[("a", 300.0), ("b", 300.0), slow], 3), ["a", "b ≈", "slow"]);
        assert!(drawn(&[], 1).is_empty());
    }
}
