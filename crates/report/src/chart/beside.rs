//! Runs side by side: a panel for each run with the cells that all of them have, on the same axes. No ratio is drawn from one run to
//! another, because a machine's speed moves.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Cell, Record, Run};

use super::along::Along;
use super::caption::{self, clean};
use super::cell::{done, extent, is_cipher, name, rate, span};
use super::contenders::{Contenders, most_common};
use super::look::Look;
use super::scale::Scale;
use super::sheet::{Axis, Base, Lines, Row, Rows, Series, Sheet};
use super::sizes::columns;
use crate::figure::digits;
use crate::measured::has_enough_forks;

/// The most bars of a panel.
const MOST: usize = 16;

/// Runs and their records.
pub(super) type Both<'a> = (&'a Run, &'a [Record]);

/// The cells that all runs have a figure of, of the operation and form of most; `None` where there is none.
pub(super) fn beside(runs: &[Both]) -> Option<Sheet> {
    let common = common(runs);
    let is_common = |record: &&Record| common.contains(&record.cell) && has_enough_forks(record);
    let all: Vec<Vec<&Record>> = runs.iter().map(|(_, records)| records.iter().filter(is_common).collect()).collect();
    let (operation, form) = most_common(all.iter().flatten().copied())?;
    let is_here = |record: &&Record| (record.cell.operation, record.cell.form) == (operation, form);
    let all: Vec<Vec<&Record>> = all.into_iter().map(|records| records.into_iter().filter(is_here).collect()).collect();
    let along = Along::of(all.iter().flatten().copied());
    let score = |record: &Record| -rate(record, 0.0).map_or(0.0, |point| point.y);
    let contenders = Contenders::by_least(all.iter().flatten().map(|record| (*record, score(record))));
    let sizes = along.sizes();
    let headings: Vec<String> = runs.iter().map(|(run, _)| heading(run)).collect();
    let mut sheet = Sheet {
        title: "The same cells in each run".into(),
        subtitle: format!(
            "Throughput of {}, {} of {}{}",
            done(operation, form),
            along.what(),
            span(&sizes),
            along.fixed()
        ),
        keys: Vec::new(),
        lines: Vec::new(),
        columns: columns(runs.len()),
        rows: Vec::new(),
        caption: vec![format!(
            "{} A run's figures stand beside another's, not in a ratio to them: `ciphermeter compare` judges two runs of one machine.",
            caption::SAMPLES
        )],
    };
    if sizes.len() < 2 {
        sheet.rows = rows(headings, &all);
        return Some(sheet);
    }
    let panel = |records: &Vec<&Record>| {
        contenders.lines(|is_own, look| {
            let own = records.iter().filter(|record| is_own(record));
            let mut points: Vec<_> =
                own.filter_map(|record| rate(record, Scale::size(along.size(record)?, &sizes))).collect();
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            Series { look, points, has_markers: true }
        })
    };
    let panels: Vec<Vec<Series>> = all.iter().map(panel).collect();
    let x = Axis { title: along.title().into(), scale: Scale::of_sizes(&sizes) };
    let points = panels.iter().flatten().flat_map(|series| &series.points);
    let y = Axis { title: "throughput, GB/s".into(), scale: Scale::of_amounts(extent(points)) };
    sheet.lines = Lines::all(headings.into_iter().zip(panels), &x, &y);
    sheet.keys = contenders.keys().0;
    sheet.caption.extend(contenders.dropped());
    Some(sheet)
}

/// The cells of ciphers that each of the runs has.
pub(super) fn common<'a>(runs: &[Both<'a>]) -> BTreeSet<&'a Cell> {
    let mut counts = BTreeMap::<&Cell, usize>::new();
    for (_, records) in runs {
        let own: BTreeSet<&Cell> =
            records.iter().filter(|record| is_cipher(record)).map(|record| &record.cell).collect();
        own.into_iter().for_each(|cell| *counts.entry(cell).or_default() += 1);
    }
    counts.into_iter().filter(|(_, count)| *count == runs.len()).map(|(cell, _)| cell).collect()
}

/// `Run 3, AMD EPYC`.
fn heading(run: &Run) -> String {
    let mask = run.mask.map(|mask| format!(" --cpu {mask}")).unwrap_or_default();
    format!("Run {}{mask}, {}", run.id, run.fact("cpu").map_or("CPU model unknown".into(), clean))
}

fn rows(headings: Vec<String>, all: &[Vec<&Record>]) -> Vec<Rows> {
    let points = all.iter().flatten().filter_map(|record| rate(record, 0.0)).collect::<Vec<_>>();
    let high = extent(&points).into_iter().fold(0.0, f64::max);
    let row = |record: &&Record| {
        let point = rate(record, 0.0)?;
        Some(Row {
            label: name(&record.cell.provider, record.cell.algorithm),
            look: Look(0),
            value: point.y,
            range: point.range,
            bound: None,
            figure: digits(point.y),
        })
    };
    let panel = |(heading, records): (String, &Vec<&Record>)| {
        let mut rows: Vec<Row> = records.iter().filter_map(row).collect();
        rows.sort_by(|a, b| b.value.total_cmp(&a.value));
        rows.truncate(MOST);
        let x = Axis { title: "throughput, GB/s".into(), scale: Scale::of_bars(high) };
        Rows { heading, x, has_title: true, base: Base::Zero, unit: "GB/s".into(), rows }
    };
    headings.into_iter().zip(all).map(panel).collect()
}
