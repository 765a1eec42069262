//! Metrics that this build doesn't know: what a run says of them is enough to print them.

use ciphermeter_core::{Better, Metric, Record, Run, SampleRange, escaped};
use ciphermeter_estimate::figures;

use crate::layout::{LEFT, RIGHT, TableColumn, TableLayout, TableRow};
use crate::styled_line::{Style, StyledLine};
use ciphermeter_answer::words::{heading, number};

/// The cell, its figure, and the figure's range.
const COLUMNS: [TableColumn; 3] = [
    TableColumn { least: 2, fills: true, ..LEFT },
    TableColumn { least: 11, ..RIGHT },
    TableColumn { least: 25, ..RIGHT },
];

/// Those of a run, in the order in which its plan names them.
pub(crate) fn other_metrics(run: &Run) -> impl Iterator<Item = Metric> {
    run.plan.metrics.iter().copied().filter(|metric| !metric.is_known())
}

/// Those that a record has: `calls_a_blink: 12.3 calls (11.9 to 12.6)`.
pub(crate) fn metrics_in_words(run: &Run, record: &Record) -> Vec<String> {
    let of = |metric: Metric| {
        let SampleRange { low, mid, high } = figures(record, metric)?;
        let [low, mid, high] = [low, mid, high].map(number);
        Some(format!("{}: {mid} {} ({low} to {high})", metric.name(), escaped(metric.unit())))
    };
    other_metrics(run).filter_map(of).collect()
}

/// A block for each, with a line for each record that has it, the best first.
pub(crate) fn metric_blocks(run: &Run, records: &[Record], width: usize) -> Vec<StyledLine> {
    let mut lines = Vec::new();
    for metric in other_metrics(run) {
        let mut rows: Vec<(&Record, SampleRange)> =
            records.iter().filter_map(|record| Some((record, figures(record, metric)?))).collect();
        if rows.is_empty() {
            continue;
        }
        match metric.better() {
            Better::Less => rows.sort_by(|(_, a), (_, b)| a.mid.total_cmp(&b.mid)),
            Better::More => rows.sort_by(|(_, a), (_, b)| b.mid.total_cmp(&a.mid)),
            Better::Neither => {}
        }
        let rows: Vec<TableRow> = rows.into_iter().map(|(record, range)| row(record, range)).collect();
        lines.push(StyledLine::default());
        lines.extend(StyledLine::wrapped(&title(metric), width, 0, Style::Bold));
        lines.extend(TableLayout::plan(&COLUMNS, &[], &rows, width).lines(&rows));
    }
    lines
}

fn title(metric: Metric) -> String {
    format!("{}, {}: median, and where 90 % of the samples lay", metric.name(), unit(metric))
}

/// What it counts, and which way is better: `calls a call, more is better`.
pub(crate) fn unit(metric: Metric) -> String {
    let each = if metric.is_per_call() { " a call" } else { "" };
    let better = match metric.better() {
        Better::Less => ", less is better",
        Better::More => ", more is better",
        Better::Neither => "",
    };
    format!("{}{each}{better}", escaped(metric.unit()))
}

fn row(record: &Record, SampleRange { low, mid, high }: SampleRange) -> TableRow {
    let cell = &record.cell;
    let name = format!("{} {}, {}", cell.provider, cell.algorithm, heading(&cell.group()));
    TableRow::plain([name, number(mid), format!("{} to {}", number(low), number(high))])
}
