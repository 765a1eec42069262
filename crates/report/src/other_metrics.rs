//! Metrics that this build doesn't know: what a run says of them is enough to print them.

use ciphermeter_core::{Better, Metric, Record, Run, SampleRange, escaped};
use ciphermeter_estimate::figures;

use crate::layout::{Line, Style};
use crate::text::{heading, left, number, right, wrap};

/// Columns of a figure, and of its range.
const FIGURE: usize = 12;
const RANGE: usize = 26;

/// Those of a run, in the order in which its plan names them.
pub(crate) fn other_metrics(run: &Run) -> impl Iterator<Item = Metric> {
    run.plan.metrics.iter().copied().filter(|metric| !metric.is_known())
}

/// A block for each, with a line for each record that has it, the best first.
pub(crate) fn metric_blocks(run: &Run, records: &[Record], width: usize) -> Vec<Line> {
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
        lines.push(Line::default());
        lines.extend(wrap(&title(metric), width, 0).into_iter().map(|line| Line::of(line, Style::Bold)));
        lines.extend(rows.iter().map(|(record, range)| row(record, *range, width)));
    }
    lines
}

fn title(metric: Metric) -> String {
    let each = if metric.is_per_call() { " a call" } else { "" };
    let better = match metric.better() {
        Better::Less => ", less is better",
        Better::More => ", more is better",
        Better::Neither => "",
    };
    format!("{}, {}{each}{better}: median, and where 90 % of the samples lay", metric.name(), escaped(metric.unit()))
}

fn row(record: &Record, SampleRange { low, mid, high }: SampleRange, width: usize) -> Line {
    let cell = &record.cell;
    let name = format!("{} {}, {}", escaped(&cell.provider), cell.algorithm, heading(&cell.group()));
    let range = format!("{} to {}", number(low), number(high));
    let text = left(&name, width.saturating_sub(FIGURE + RANGE)) + &right(&number(mid), FIGURE) + &right(&range, RANGE);
    Line::of(text, Style::Plain)
}
