//! The figures of a study: its published numbers, hollow, and beside them what was measured here, filled. Over sizes they are lines of one
//! plot; else bars, published ones above those from here, for bars that are hundreds of times as long would hide the others.

use ciphermeter_core::escaped;
use ciphermeter_study::{Amount, Measured, StudyFigure, Value};

use super::caption::{self, clean, origin, versions};
use ciphermeter_answer::words::{capital, fit};
use ciphermeter_chart::scale::{Scale, unit_of_memory};
use ciphermeter_chart::sheet::{Axis, Point, Row, Series, Sheet};
use ciphermeter_chart::spec::{LinePanels, Most, Panels, RowPanels, Spec};
use ciphermeter_chart::style::SeriesStyle;

/// The most columns of a sentence from a study's file.
const MOST: usize = 300;
const MEMORY: &str = "Filled: measured here, the most that any process allocated at once; whiskers: all processes.";

/// All of them, each with the name of its file.
pub(super) fn figures(measured: &Measured<'_>) -> Vec<(String, Sheet)> {
    let drawn = |figure: &StudyFigure| Some((figure.name.clone(), sheet(measured, figure)?));
    measured.figures().iter().filter_map(drawn).collect()
}

fn sheet(measured: &Measured<'_>, figure: &StudyFigure<'_>) -> Option<Sheet> {
    let (study, table) = (measured.study, figure.table);
    let (quantity, unit, each) = unit(figure);
    let (what, has_ours) = (capital(&quantity), figure.lacks.is_none());
    let filled = match figure.amount {
        Amount::Memory => MEMORY.to_owned(),
        _ => format!("Filled: measured here. {}", caption::SAMPLES),
    };
    let hollow = format!("Hollow: published. {}. Measured on: {}.", text(&study.citation), text(&study.machine));
    let elsewhere = figure.runs.iter().filter_map(|(run, _)| {
        let why = run.elsewhere.as_ref()?;
        Some(Some(format!("Run {} is of another machine or method: {}.", run.run.id, text(why))))
    });
    let runs = figure.runs.iter().map(|(run, shown)| Some(origin(&run.run, shown.iter().copied())));
    let shown = figure.runs.iter().flat_map(|(_, records)| records.iter().copied());
    Spec {
        title: if has_ours { format!("{what}, published and here") } else { format!("{what}, as published") },
        subtitle: format!("{} ({}). {}", capital(&text(&table.title)), text(&table.source), text(&study.title)),
        quantity: if unit.is_empty() { quantity } else { format!("{quantity}, {unit}") },
        panels: if figure.is_by_size { lines(figure, each) } else { bars(figure, each) },
        caption: vec![Some(hollow), has_ours.then_some(filled), figure.lacks.clone()],
        ends: elsewhere.chain([versions(shown)]).chain(runs).collect(),
    }
    .sheet()
}

fn text(from_file: &str) -> String {
    fit(&escaped(from_file), MOST)
}

/// What an axis's values are, the unit in which the highest has digits before the point, and how much that is.
fn unit(figure: &StudyFigure<'_>) -> (String, String, f64) {
    let high = figure.values.iter().map(|value| value.mid).fold(0.0, f64::max);
    let (quantity, unit, each) = match figure.amount {
        Amount::Time => {
            let units = [("s", 1e9), ("ms", 1e6), ("µs", 1e3)];
            let (unit, each) = units.into_iter().find(|(_, ns)| high >= *ns).unwrap_or(("ns", 1.0));
            ("time", unit, each)
        }
        Amount::Rate if high < 0.5 => ("throughput", "MB/s", 1e-3),
        Amount::Rate => ("throughput", "GB/s", 1.0),
        Amount::Memory => {
            let (each, unit) = unit_of_memory(high as u64);
            ("memory", unit, each)
        }
        Amount::Printed(name, unit) => (name, unit, 1.0),
    };
    (clean(quantity), clean(unit), each)
}

fn style(value: &Value<'_>) -> SeriesStyle {
    if value.is_published { SeriesStyle::published(value.place) } else { SeriesStyle::here(value.place) }
}

/// `AES, published`.
fn series(value: &Value<'_>) -> String {
    let whose = if value.is_published { "published" } else { "here" };
    if value.series.is_empty() { whose.into() } else { format!("{}, {whose}", clean(value.series)) }
}

fn point(value: &Value<'_>, each: f64) -> Point {
    Point::new(value.mid, value.range).in_unit(each)
}

/// A panel for each thing that rows are about, in its order; a published line before the one that stands beside it.
fn lines(figure: &StudyFigure<'_>, each: f64) -> Panels {
    let mut panels: Vec<(String, Vec<&Value>)> = Vec::new();
    for value in &figure.values {
        let heading = clean(value.panel);
        match panels.iter_mut().find(|(known, _)| *known == heading) {
            Some((_, values)) => values.push(value),
            None => panels.push((heading, vec![value])),
        }
    }
    let size = |value: &Value| value.size.unwrap_or_default();
    let line = |values: &[&Value]| {
        let points = values.iter().map(|value| point(value, each).at(size(value) as f64));
        Series::new(series(values[0]), style(values[0]), points)
    };
    let panel = |(heading, mut values): (String, Vec<&Value>)| {
        let place = |value: &Value| (value.place, !value.is_published);
        values.sort_by_key(|value| (place(value), size(value)));
        (heading, values.chunk_by(|a, b| place(a) == place(b)).map(line).collect())
    };
    let sizes: Vec<u64> = figure.values.iter().map(size).collect();
    let x = Axis { title: "size".into(), scale: Scale::of_sizes(&sizes) };
    let lines = LinePanels::new(x, panels.into_iter().map(panel));
    Panels::Lines(LinePanels { most: Most(6, "panels"), others: "lines", ..lines })
}

fn bars(figure: &StudyFigure<'_>, each: f64) -> Panels {
    let rows = |is_published: bool| {
        let own = figure.values.iter().filter(|value| value.is_published == is_published);
        let row = |value: &Value| Row {
            series: series(value),
            ..Row::new(clean(&value.label), style(value), point(value, each))
        };
        own.map(row).collect()
    };
    let panels = [("Published", rows(true)), ("Here", rows(false))].map(|(heading, rows)| (heading.to_owned(), rows));
    Panels::Rows(RowPanels { most_rows: Most(24, "bars"), ..RowPanels::bars(panels) })
}
