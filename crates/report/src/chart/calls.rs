//! How long single calls take: percentiles from the middle to the far end, a panel for each size.

use std::collections::BTreeSet;

use ciphermeter_core::{Record, Run};
use ciphermeter_stats::Percentile;

use super::cell::{done, extent, is_cipher, span};
use super::contenders::{Contenders, most_common};
use super::sizes::{columns, ends};
use ciphermeter_answer::latency::Percentiles;
use ciphermeter_answer::measured::measured;
use ciphermeter_chart::scale::Scale;
use ciphermeter_chart::sheet::{Axis, Lines, Point, Series, Sheet};

/// The most panels.
const PANELS: usize = 4;
/// From so many nanoseconds on, figures are microseconds.
const LONG: f64 = 10_000.0;

/// Percentiles of single calls; `None` where none were timed often enough.
pub(super) fn calls(run: &Run, records: &[Record]) -> Option<Sheet> {
    let timed = records.iter().filter(|record| is_cipher(record) && measured(record).is_some());
    let timed = timed.filter_map(|record| Some((record, points(record)?))).filter(|(_, points)| !points.is_empty());
    let timed: Vec<(&Record, Vec<Point>)> = timed.collect();
    let (operation, form) = most_common(timed.iter().map(|(record, _)| *record))?;
    let is_here = |record: &Record| (record.cell.operation, record.cell.form) == (operation, form);
    let timed: Vec<_> = timed.into_iter().filter(|(record, _)| is_here(record)).collect();
    let messages: BTreeSet<u64> = timed.iter().map(|(record, _)| record.cell.parameters.message()).collect();
    let messages: Vec<u64> = messages.into_iter().take(PANELS).collect();
    let shortest = |points: &[Point]| points.iter().map(|point| point.y).fold(f64::INFINITY, f64::min);
    let contenders = Contenders::by_least(timed.iter().map(|(record, points)| (*record, shortest(points))));
    let panels = messages.iter().map(|message| {
        contenders.lines(|is_own, style| {
            let is_here = |record: &Record| record.cell.parameters.message() == *message && is_own(record);
            let own = timed.iter().find(|(record, _)| is_here(record));
            Series { style, points: own.map(|(_, points)| points.clone()).unwrap_or_default(), has_markers: true }
        })
    });
    let mut panels: Vec<Vec<Series>> = panels.collect();
    let unit = in_fitting_unit(panels.iter_mut().flatten().flat_map(|series| &mut series.points));
    let percentiles = Percentile::ALL.map(Percentile::name);
    let all = panels.iter().flatten().flat_map(|series| &series.points);
    let x = Axis { title: "percentile of single calls".into(), scale: Scale::of_names(&percentiles) };
    let y = Axis { title: format!("time of a call, {unit}"), scale: Scale::of_amounts(extent(all)) };
    let lines = Lines::by_size(&messages, &x, &y, panels);
    let (keys, algorithm) = contenders.keys();
    let mut caption = vec![
        "p99: 99 of 100 single calls took no longer, the reading of the clock included. Whiskers: from the fork with the least to that with the most. \
         A percentile is not drawn where too few calls were timed, or where the clock costs over 10 % of it."
            .to_owned(),
    ];
    caption.extend(contenders.dropped());
    let drawn = timed.iter().map(|(record, _)| *record).filter(|record| contenders.have(record));
    caption.extend(ends(run, drawn, []));
    Some(Sheet {
        title: "How long does a single call take?".into(),
        subtitle: format!("Percentiles of {}{algorithm}, messages of {}", done(operation, form), span(&messages)),
        keys,
        columns: columns(messages.len()),
        lines,
        rows: Vec::new(),
        caption,
    })
}

/// The percentiles that are given, by their place.
fn points(record: &Record) -> Option<Vec<Point>> {
    let percentiles = Percentiles::of(record)?;
    let given = (0..).zip(Percentile::ALL).filter_map(|(place, percentile)| {
        let figure = percentiles.get(percentile)?;
        Some(Point { x: f64::from(place), y: figure.ns as f64, range: figure.range })
    });
    Some(given.filter(|point| point.y > 0.0).collect())
}

/// Microseconds where calls are long, else nanoseconds as they are.
fn in_fitting_unit<'a>(points: impl Iterator<Item = &'a mut Point>) -> &'static str {
    let points: Vec<&mut Point> = points.collect();
    if points.iter().all(|point| point.y < LONG) {
        return "ns";
    }
    for point in points {
        point.y /= 1e3;
        point.range = point.range.map(|(low, high)| (low / 1e3, high / 1e3));
    }
    "µs"
}
