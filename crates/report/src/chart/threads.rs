//! Throughput by number of threads: a panel for each size, a line for each cipher of each library.

use std::collections::BTreeSet;

use ciphermeter_core::{Record, Run};

use super::caption;
use super::cell::{extent, is_cipher, rate, span};
use super::contenders::{Contenders, most_common};
use super::sizes::{columns, ends, operations};
use ciphermeter_answer::measured::has_enough_forks;
use ciphermeter_chart::scale::Scale;
use ciphermeter_chart::sheet::{Axis, Lines, Series, Sheet};

/// The most panels.
const PANELS: usize = 4;

/// Cells that share several CPUs; `None` where no cell of several threads has a figure.
pub(super) fn threads(run: &Run, records: &[Record]) -> Option<Sheet> {
    let several = records.iter().filter(|record| is_threaded(record) && record.cell.parameters.threads() > 1);
    let (operation, form) = most_common(several.filter(|record| has_enough_forks(record)))?;
    let is_here =
        |record: &&Record| is_threaded(record) && (record.cell.operation, record.cell.form) == (operation, form);
    let scope: Vec<&Record> = records.iter().filter(is_here).collect();
    let enough: Vec<&Record> = scope.iter().copied().filter(|record| has_enough_forks(record)).collect();
    let messages: BTreeSet<u64> = enough.iter().map(|record| record.cell.parameters.message()).collect();
    let messages: Vec<u64> = messages.into_iter().rev().take(PANELS).rev().collect();
    // The fastest at any size and number of threads first.
    let score = |record: &Record| -rate(record, 0.0).map_or(0.0, |point| point.y);
    let contenders = Contenders::by_least(enough.iter().map(|record| (*record, score(record))));
    let counts: Vec<u64> = enough.iter().map(|record| record.cell.parameters.threads()).collect();
    let panels = messages.iter().map(|message| {
        contenders.lines(|is_own, style| {
            let own = enough.iter().filter(|record| record.cell.parameters.message() == *message && is_own(record));
            let mut points: Vec<_> =
                own.filter_map(|record| rate(record, record.cell.parameters.threads() as f64)).collect();
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            Series { style, points, has_markers: true }
        })
    });
    let panels: Vec<Vec<Series>> = panels.collect();
    let high = extent(panels.iter().flatten().flat_map(|series| &series.points)).into_iter().fold(0.0, f64::max);
    let x = Axis { title: "threads".into(), scale: Scale::of_counts(&counts) };
    let y = Axis { title: "all threads, GB/s".into(), scale: Scale::from_zero(high) };
    let lines = Lines::by_size(&messages, &x, &y, panels);
    let (keys, algorithm) = contenders.keys();
    let mut caption = vec![caption::SAMPLES.to_owned()];
    caption.extend(contenders.dropped());
    let drawn = enough.iter().copied().filter(|record| contenders.have(record));
    caption.extend(ends(run, drawn, scope.iter().copied()));
    Some(Sheet {
        title: "Does it scale with threads?".into(),
        subtitle: format!("{}{algorithm}, messages of {}", operations(operation, operation, form), span(&messages)),
        keys,
        columns: columns(messages.len()),
        lines,
        rows: Vec::new(),
        caption,
    })
}

fn is_threaded(record: &Record) -> bool {
    is_cipher(record) && record.cell.parameters.cpus().is_some() && !record.cell.is_transfer()
}
