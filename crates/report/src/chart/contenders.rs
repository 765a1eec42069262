//! A line for each cipher of a library, the best first, and a panel for each size: throughput by
//! number of threads, and percentiles of single calls.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, Record, Run};
use ciphermeter_stats::Percentile;

use super::caption::{self, ends};
use super::cell::{by_least, done, is_cipher, names, operation_form, operation_forms, rate, span};
use super::styles::Libraries;
use ciphermeter_answer::latency::Percentiles;
use ciphermeter_answer::measured::{has_enough_forks, measured};
use ciphermeter_answer::words::size;
use ciphermeter_chart::scale::Scale;
use ciphermeter_chart::sheet::{Axis, Point, Series, Sheet};
use ciphermeter_chart::spec::{LinePanels, Most, Panels, Spec, not_drawn};
use ciphermeter_chart::style::{STYLES, SeriesStyle};

const PANELS: usize = 4;
/// From so many nanoseconds on, figures are microseconds.
const LONG: f64 = 10_000.0;
/// What percentiles and their whiskers are.
const CALLS: &str = "p99: 99 of 100 single calls took no longer, the reading of the clock included. Whiskers: from the fork with the least to that with the most. A percentile is not drawn where too few calls were timed, or where the clock costs over 10 % of it.";

/// A record with its part of a line.
type Part<'a> = (&'a Record, Vec<Point>);

/// Cells that share several CPUs; `None` where no cell of several threads has a figure.
pub(super) fn threads(run: &Run, records: &[Record]) -> Option<Sheet> {
    let count = |record: &Record| record.cell.parameters.threads();
    let is_threaded =
        |record: &&Record| is_cipher(record) && record.cell.parameters.cpus().is_some() && !record.cell.is_transfer();
    let several = records.iter().filter(is_threaded).filter(|record| count(record) > 1 && has_enough_forks(record));
    let common = operation_forms(several).into_iter().next()?;
    let scope: Vec<&Record> =
        records.iter().filter(is_threaded).filter(|record| operation_form(record) == common).collect();
    let enough = scope.iter().copied().filter(|record| has_enough_forks(record));
    let point = |record: &Record| Some(rate(record)?.at(count(record) as f64));
    let parts: Vec<Part> = enough.map(|record| (record, point(record).into_iter().collect())).collect();
    let counts: Vec<u64> = parts.iter().map(|(record, _)| count(record)).collect();
    let contenders = Contenders::by_least(&parts, |point| -point.y, &Libraries::of(records));
    let mut sizes = sizes(&parts);
    let smaller = sizes.len().saturating_sub(PANELS);
    sizes.drain(..smaller);
    let x = Axis { title: "threads".into(), scale: Scale::of_counts(&counts) };
    let algorithm = &contenders.algorithm;
    Spec {
        title: "Does it scale with threads?".into(),
        subtitle: format!("Throughput of {}{algorithm}, messages of {}", done(common), span(&sizes)),
        quantity: "all threads, GB/s".into(),
        panels: contenders.panels(x, &parts, &sizes),
        caption: vec![Some(caption::SAMPLES.into()), not_drawn(smaller, "sizes, smaller than these")],
        ends: ends(run, contenders.drawn(&parts), scope.iter().copied()),
    }
    .sheet()
}

/// Percentiles of single calls, from the middle to the far end; `None` where none were timed often
/// enough.
pub(super) fn calls(run: &Run, records: &[Record]) -> Option<Sheet> {
    let timed = records.iter().filter(|record| is_cipher(record) && measured(record).is_some());
    let timed =
        timed.filter_map(|record| Some((record, percentiles(record)?))).filter(|(_, points)| !points.is_empty());
    let mut parts: Vec<Part> = timed.collect();
    let common = operation_forms(parts.iter().map(|(record, _)| *record)).into_iter().next()?;
    parts.retain(|(record, _)| operation_form(record) == common);
    let contenders = Contenders::by_least(&parts, |point| point.y, &Libraries::of(records));
    let mut sizes = sizes(&parts);
    let larger = Most(PANELS, "sizes, larger than these").cut(&mut sizes);
    let is_drawn = |record: &Record| contenders.have(record) && sizes.contains(&record.cell.parameters.message());
    let drawn = parts.iter().filter(|(record, _)| is_drawn(record)).flat_map(|(_, points)| points);
    let (unit, name) = if drawn.map(|point| point.y).fold(0.0, f64::max) < LONG { (1.0, "ns") } else { (1e3, "µs") };
    let points = |points: Vec<Point>| points.into_iter().map(|point| point.in_unit(unit)).collect();
    let parts: Vec<Part> = parts.into_iter().map(|(record, all)| (record, points(all))).collect();
    let scale = Scale::of_names(&Percentile::ALL.map(Percentile::name));
    let x = Axis { title: "percentile of single calls".into(), scale };
    let algorithm = &contenders.algorithm;
    Spec {
        title: "How long does a single call take?".into(),
        subtitle: format!("Percentiles of {}{algorithm}, messages of {}", done(common), span(&sizes)),
        quantity: format!("time of a call, {name}"),
        panels: contenders.panels(x, &parts, &sizes),
        caption: vec![Some(CALLS.into()), larger],
        ends: ends(run, contenders.drawn(&parts), []),
    }
    .sheet()
}

/// The percentiles that are given, by their place.
fn percentiles(record: &Record) -> Option<Vec<Point>> {
    let percentiles = Percentiles::of(record)?;
    let given = (0..).zip(Percentile::ALL).filter_map(|(place, percentile)| {
        let figure = percentiles.get(percentile)?;
        Some(Point::new(figure.ns as f64, figure.range).at(f64::from(place)))
    });
    Some(given.filter(|point| point.y > 0.0).collect())
}

fn sizes(parts: &[Part]) -> Vec<u64> {
    let sizes: BTreeSet<u64> = parts.iter().map(|(record, _)| record.cell.parameters.message()).collect();
    sizes.into_iter().collect()
}

/// Ciphers of libraries, those that have a style first, which are the libraries' own where all have
/// one algorithm.
struct Contenders<'a> {
    all: Vec<((Algorithm, &'a str), String, SeriesStyle)>,
    /// For the subtitle, where those that are drawn have the same.
    algorithm: String,
}

impl<'a> Contenders<'a> {
    /// Those of the parts, each by the least score of its points.
    fn by_least(parts: &[Part<'a>], score: fn(&Point) -> f64, libraries: &Libraries) -> Self {
        let scores = |(record, points): &Part<'a>| {
            let name = (record.cell.algorithm, record.cell.provider.as_str());
            points.iter().map(score).map(|score| (name, score)).collect::<Vec<_>>()
        };
        let all = by_least(parts.iter().flat_map(scores));
        let styles = libraries.styles_of_ciphers(&all);
        let (mut names, algorithm) = names(&all[..all.len().min(STYLES)]);
        names.resize(all.len(), String::new());
        let all = all.into_iter().zip(names).zip(styles).map(|((one, name), style)| (one, name, style)).collect();
        Self { all, algorithm }
    }

    /// A panel for each size, of which a single one has no heading, with a line for each contender.
    fn panels(&self, x: Axis, parts: &[Part], sizes: &[u64]) -> Panels {
        let panel = |message: &u64| {
            let line = |(contender, name, style): &(_, String, SeriesStyle)| {
                let is_own =
                    |record: &Record| is_of(record, *contender) && record.cell.parameters.message() == *message;
                let own = parts.iter().filter(|(record, _)| is_own(record));
                let mut series = Series::new(name, *style, own.flat_map(|(_, points)| points).copied());
                // Of several sizes of aad the first.
                series.points.dedup_by_key(|point| point.x);
                series
            };
            let heading = if sizes.len() > 1 { size(*message) } else { String::new() };
            (heading, self.all.iter().map(line).collect())
        };
        let others = "ciphers of libraries, slower than these";
        Panels::Lines(LinePanels { others, ..LinePanels::new(x, sizes.iter().map(panel)) })
    }

    /// Whether a record belongs to one that has a style.
    fn have(&self, record: &Record) -> bool {
        self.all.iter().take(STYLES).any(|(contender, ..)| is_of(record, *contender))
    }

    fn drawn<'p>(&self, parts: &'p [Part]) -> impl Iterator<Item = &'p Record> {
        parts.iter().map(|(record, _)| *record).filter(|record| self.have(record))
    }
}

fn is_of(record: &Record, contender: (Algorithm, &str)) -> bool {
    (record.cell.algorithm, record.cell.provider.as_str()) == contender
}
