//! Metrics that this build does not know: a bar for each cell, the best first.

use ciphermeter_core::{Better, Metric, Record, Run, escaped};
use ciphermeter_estimate::figures;

use super::caption::{self, clean, ends};
use super::cell::full_name;
use super::styles::CipherStyles;
use crate::other_metrics::{other_metrics, unit};
use ciphermeter_chart::sheet::{Point, Row, Sheet};
use ciphermeter_chart::spec::{Most, Panels, RowPanels, Spec};

/// The most bars.
const MOST: Most = Most(24, "cells");

/// A figure for each metric that any cell has, with a name for its file.
pub(super) fn metrics(run: &Run, records: &[Record]) -> impl Iterator<Item = (String, Sheet)> {
    other_metrics(run).filter_map(|metric| Some((format!("metric_{}", metric.name()), sheet(run, records, metric)?)))
}

fn sheet(run: &Run, records: &[Record], metric: Metric) -> Option<Sheet> {
    let point = |record| figures(record, metric).map(|range| Point::new(range.mid, Some((range.low, range.high))));
    let mut drawn: Vec<(&Record, Point)> = records.iter().filter_map(|record| Some((record, point(record)?))).collect();
    match metric.better() {
        Better::Less => drawn.sort_by(|(_, a), (_, b)| a.y.total_cmp(&b.y)),
        Better::More => drawn.sort_by(|(_, a), (_, b)| b.y.total_cmp(&a.y)),
        Better::Neither => {}
    }
    let styles = CipherStyles::new(drawn.iter().map(|(record, _)| record.cell.algorithm));
    let row = |(record, point): &(&Record, Point)| {
        Row::new(full_name(&record.cell), styles.of(record.cell.algorithm), *point)
    };
    let rows = drawn.iter().map(row).collect();
    let shown = || drawn.iter().map(|(record, _)| *record);
    Spec {
        title: metric.name().into(),
        subtitle: clean(&unit(metric)),
        quantity: clean(&escaped(metric.unit())),
        panels: Panels::Rows(RowPanels { most_rows: MOST, ..RowPanels::bars([(String::new(), rows)]) }),
        caption: vec![Some(caption::SAMPLES.into())],
        ends: ends(run, shown(), shown()),
    }
    .sheet()
}
