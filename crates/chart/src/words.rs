//! A figure's values in words and as rows: what a reader who sees no picture gets, and what programs read.

use std::io::{self, Write};

use ciphermeter_core::spreadsheet_safe;

use crate::sheet::{Axis, Lines, Point, Row, Rows, Series, Sheet};
use ciphermeter_answer::words::precise;

/// `AES-256-GCM, openssl, 16 KiB: 5.312 GB/s (5.201 to 5.402)`; `2 s: temperature 61.20 °C`.
pub fn point_words(panel: &Lines, Series { name, .. }: &Series, point: &Point) -> String {
    let (x, unit) = (panel.x.scale.named(point.x), panel.x.unit());
    let at = if unit.is_empty() { x } else { format!("{x} {unit}") };
    // Where there is but one line, the quantity says what it is.
    let quantity = if name.is_empty() { format!("{} ", panel.y.quantity()) } else { String::new() };
    let of = [&panel.heading, name, &at]
        .map(String::as_str)
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(", ");
    format!("{of}: {quantity}{}", with_unit(point.y, point.range, panel.y.unit()))
}

/// `openssl AES-256-GCM: 5.31 GB/s (5.20 to 5.40)`.
pub fn row_words(panel: &Rows, row: &Row) -> String {
    let bound = row.bound.map(|bound| format!("; dashed mark: {}", precise(bound))).unwrap_or_default();
    format!("{}: {}{bound}", row.label, with_unit(row.value, row.range, panel.x.unit()))
}

fn with_unit(value: f64, range: Option<(f64, f64)>, unit: &str) -> String {
    let range = range.map(|(low, high)| format!(" ({} to {})", precise(low), precise(high))).unwrap_or_default();
    let space = if unit.is_empty() { "" } else { " " };
    format!("{}{space}{unit}{range}", precise(value))
}

/// A value and its interval, as a cell of a table.
pub fn in_cell(value: f64, range: Option<(f64, f64)>) -> String {
    with_unit(value, range, "")
}

const COLUMNS: [&str; 10] = ["figure", "panel", "series", "x", "x_title", "y", "y_title", "low", "high", "bound"];

/// All values of a figure, one row each.
///
/// # Errors
/// Those of the writer.
pub fn write_csv(out: &mut dyn Write, sheet: &Sheet) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(COLUMNS)?;
    // Rows of several files say by themselves which quantity, operation and form they are of.
    let figure = &sheet.subtitle;
    for panel in &sheet.lines {
        for series in &panel.series {
            for point in &series.points {
                let x = [panel.x.scale.exact(point.x), panel.x.exact_title()];
                let y = values(point.y, &panel.y, point.range, None);
                write_row(&mut csv, [figure, &panel.heading, &series.name].into_iter().chain(&x).chain(&y))?;
            }
        }
    }
    for panel in &sheet.rows {
        for row in &panel.rows {
            let x = [String::new(), String::new()];
            let y = values(row.value, &panel.x, row.range, row.bound);
            write_row(&mut csv, [figure, &panel.heading, &row.label].into_iter().chain(&x).chain(&y))?;
        }
    }
    csv.flush()
}

/// Names in it may come from another's store.
fn write_row<'a, W: Write>(csv: &mut csv::Writer<W>, row: impl Iterator<Item = &'a String>) -> io::Result<()> {
    Ok(csv.write_record(row.cloned().map(spreadsheet_safe))?)
}

/// From `y` on.
fn values(y: f64, axis: &Axis, range: Option<(f64, f64)>, bound: Option<f64>) -> [String; 5] {
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let (low, high) = range.unzip();
    [y.to_string(), axis.title.clone(), number(low), number(high), number(bound)]
}
