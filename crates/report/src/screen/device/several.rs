//! The tables of several devices: a row for each, with the cheapest cipher of each size; and what that takes of the memory.

use std::collections::BTreeSet;

use super::shown::both;
use crate::figures_block::ABSENT;
use crate::layout::{LEFT, RIGHT, TableCell, TableColumn, TableLayout, TableRow, UNCUT};
use crate::styled_line::{Style, StyledLine};
use ciphermeter_answer::devices::{Best, Choice, DeviceAnswer, Known, Offer, Unit};
use ciphermeter_answer::point::{Point, Points, spread};
use ciphermeter_answer::words::{Figures, bytes, counted};

/// Columns of one size: the longest short name and a figure.
const CELL: usize = 13;
/// A device's name and its unit are cut to so many columns.
const NAME: usize = 20;

/// The cheapest cipher of each size and what it costs, of at most so many devices; with `factors`, below it the factor of the next cipher;
/// `named`, with the names of the ciphers in full above it.
pub(super) fn costs(
    answers: &[DeviceAnswer],
    most: usize,
    factors: bool,
    named: bool,
    width: usize,
) -> Vec<StyledLine> {
    let all: Vec<Point> = answers.iter().flat_map(|answer| answer.choices.iter().map(|choice| choice.point)).collect();
    let unit = usual_unit(answers);
    let name = answers.iter().map(|answer| label(answer, unit).chars().count()).max().unwrap_or(0).min(NAME);
    let points = spread(all, (width.saturating_sub(name) / CELL).max(1));
    let labels = Points(points.clone());
    let operation = operation(answers);
    let ciphers = answers.iter().flat_map(DeviceAnswer::ciphers).collect::<BTreeSet<_>>();
    let ciphers: Vec<&str> = ciphers.into_iter().map(|cipher| cipher.title()).collect();
    let ciphers = if named { format!("; {}", ciphers.join(", ")) } else { String::new() };
    let heading = format!("{operation}, {}{ciphers}", unit.as_str());
    let titles = std::iter::once(String::new()).chain(points.iter().map(|point| labels.label(*point)));
    let mut rows = vec![TableRow::titles(&heading, titles)];
    for answer in answers.iter().take(most) {
        let at = |point: &Point| answer.choices.iter().find(|choice| choice.point == *point);
        let cells = points.iter().map(|point| at(point).map_or_else(absent, |choice| cheapest(answer, choice)));
        rows.push(TableRow::Cells(
            std::iter::once(TableCell::new(label(answer, unit), Style::Plain)).chain(cells).collect(),
        ));
        if factors && answer.choices.iter().any(|choice| choice.margin.is_some()) {
            let cells = points.iter().map(|point| at(point).map_or_else(absent, |choice| next(answer, choice)));
            rows.push(TableRow::Cells(std::iter::once(TableCell::new("  next", Style::Dim)).chain(cells).collect()));
        }
    }
    rows.extend(more(answers.len().saturating_sub(most)));
    let mut columns = vec![TableColumn { most: NAME, ..LEFT }];
    columns.resize(1 + points.len(), RIGHT);
    TableLayout::plan(&columns, &[], &rows, width).lines(&rows)
}

/// The cheapest at the middle size and the cipher to use instead, each with its provider and what it takes; of at most so many devices.
pub(super) fn footprints(answers: &[DeviceAnswer], most: usize, width: usize) -> Vec<StyledLine> {
    let with = |answer: &&DeviceAnswer| answer.middle().is_some();
    let shown: Vec<&DeviceAnswer> = answers.iter().filter(with).take(most).collect();
    let known = Known::of(shown.iter().filter_map(|answer| answer.middle()).flat_map(|choice| &choice.offers));
    let Some(choice) = shown.first().and_then(|answer| answer.middle()) else { return Vec::new() };
    let size = Points(vec![choice.point]).label(choice.point);
    let is_shown = [true, true, known.ram, known.flash, known.charge];
    let side = |first: &str| [first, "", "RAM", "flash", "charge"].map(String::from).to_vec();
    let titles = joined(String::new(), side("best"), String::new(), side("or"), is_shown);
    let mut rows = vec![TableRow::titles(&format!("at {size}"), titles)];
    rows.extend(shown.iter().filter_map(|answer| Some(row(answer, answer.middle()?, is_shown))));
    rows.extend(more(answers.iter().filter(with).count() - shown.len()));
    laid_out(&rows, is_shown.iter().filter(|shown| **shown).count(), width)
}

/// A line for the devices that there is no room for.
fn more(left: usize) -> Option<TableRow> {
    let words = format!("… and {}", counted(left, "more device"));
    (left > 0).then(|| TableRow::Line(StyledLine::new(words, Style::Dim)))
}

/// A row's texts: the device, the cheapest, and instead of it another, behind whose name the factor stands.
fn joined(name: String, own: Vec<String>, factor: String, instead: Vec<String>, is_shown: [bool; 5]) -> Vec<String> {
    let kept = |side: Vec<String>| -> Vec<String> {
        side.into_iter().zip(is_shown).filter(|(_, shown)| *shown).map(|(text, _)| text).collect()
    };
    let mut instead = kept(instead);
    instead.insert(1, factor);
    std::iter::once(name).chain(kept(own)).chain(instead).collect()
}

/// Each side has so many columns. Providers are cut first, then what is instead goes.
fn laid_out(rows: &[TableRow], side: usize, width: usize) -> Vec<StyledLine> {
    let mut columns = vec![TableColumn { most: NAME, ..LEFT }, TableColumn { gap: 2, ..LEFT }, LEFT];
    columns.resize(1 + side, RIGHT);
    columns.extend([TableColumn { gap: 3, ..LEFT }, LEFT, LEFT]);
    columns.resize(2 + 2 * side, RIGHT);
    let (own, instead) = (2, side + 3);
    let cut = |most: usize, shown: usize| -> Vec<usize> {
        let limit = |place: usize| match place {
            place if place >= shown => 0,
            place if place == own || place == instead => most,
            _ => UNCUT,
        };
        (0..columns.len()).map(limit).collect()
    };
    let (all, half) = (columns.len(), 1 + side);
    let steps = [cut(16, all), cut(12, all), cut(10, all), cut(8, all), cut(6, all), cut(12, half), cut(8, half)];
    TableLayout::plan(&columns, &steps, rows, width).lines(rows)
}

fn row(answer: &DeviceAnswer, choice: &Choice, is_shown: [bool; 5]) -> TableRow {
    let (first, instead) = both(choice);
    let among = answer.ciphers();
    let texts = |offer: Option<&Offer>| {
        let Some(offer) = offer else { return vec![String::new(); 5] };
        let known = |figure: Option<u64>| figure.map_or(ABSENT.into(), bytes);
        vec![
            offer.algorithm.short(&among).to_owned(),
            offer.provider.clone(),
            known(offer.footprint.ram()),
            known(offer.footprint.code),
            offer.footprint.charged().unwrap_or(ABSENT.into()),
        ]
    };
    let factor = match (first, instead) {
        (Some(first), Some(other)) => ciphermeter_answer::words::times(other.cost.mid / first.cost.mid),
        _ => String::new(),
    };
    TableRow::plain(joined(answer.name.clone(), texts(first), factor, texts(instead), is_shown))
}

fn cheapest(answer: &DeviceAnswer, choice: &Choice) -> TableCell {
    let Some(offer) = choice.offers.first() else { return absent() };
    let (name, style) = match &choice.best {
        Best::Equal(_) => ("equal", Style::Plain),
        Best::Unknown => ("?", Style::Yellow),
        _ => (offer.algorithm.short(&answer.ciphers()), Style::Green),
    };
    TableCell::new(format!("{name} {}", answer.unit.short(offer.cost.mid)), style)
}

fn next(answer: &DeviceAnswer, choice: &Choice) -> TableCell {
    let other = choice.ciphers().nth(1);
    let name = other.map_or("", |offer| offer.algorithm.short(&answer.ciphers()));
    match choice.margin {
        Some(margin) => TableCell::new(format!("{name} {}", margin.columns().0), Style::Dim),
        None => absent(),
    }
}

fn absent() -> TableCell {
    TableCell::new(ABSENT, Style::Dim)
}

/// The unit of most devices, which stands above the table.
fn usual_unit(answers: &[DeviceAnswer]) -> Unit {
    let unit = |answer: &DeviceAnswer| answer.unit;
    let count = |unit: Unit| answers.iter().filter(|answer| answer.unit == unit).count();
    let all = answers.iter().rev().map(unit);
    all.max_by_key(|unit| count(*unit)).unwrap_or(Unit::Count(ciphermeter_core::Counts::Instructions))
}

/// A device's name, with its unit where that is another than above.
fn label(answer: &DeviceAnswer, usual: Unit) -> String {
    match answer.unit {
        unit if unit == usual => answer.name.clone(),
        unit => format!("{}, {}", answer.name, unit.as_str()),
    }
}

fn operation(answers: &[DeviceAnswer]) -> String {
    let choice = answers.iter().find_map(|answer| answer.choices.first());
    let offer = choice.and_then(|choice| choice.offers.first());
    offer.map_or("seal".into(), |offer| offer.operation.to_string())
}
