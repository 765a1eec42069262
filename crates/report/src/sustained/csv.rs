//! A sustained load as CSV, a line a step.
//!
//! What the system doesn't tell is empty.

use std::io::{self, Write};

use ciphermeter_core::{Metric, Record, Run, Sample};
use ciphermeter_stats::falls;

use crate::column::{self, Column, Further};
use crate::other_metrics::other_metrics;
use ciphermeter_answer::sustained::{Step, course};

struct Row {
    step: Step,
    /// Falls that last and lie before it.
    falls: usize,
    /// What it counts of the metrics that this build does not know, in the run's order.
    others: Vec<Option<f64>>,
}

#[rustfmt::skip]
fn columns() -> Vec<Column<Row>> {
    vec![
        Column { name: "time_s", doc: "when the step ended, from the start", value: |row| number(Some(row.step.end), 3) },
        Column { name: "seconds", doc: "how long it was", value: |row| number(Some(row.step.seconds), 3) },
        Column { name: "MB_per_s", doc: "10⁶ bytes a second; a thousand calls a second where a call has no message", value: |row| number(Some(row.step.rate), 3) },
        Column { name: "frequency_MHz", doc: "mean over the CPUs that may be used", value: |row| number(row.step.gigahertz.map(|gigahertz| gigahertz * 1e3), 0) },
        Column { name: "temperature_C", doc: "the hottest sensor that is the CPU's", value: |row| number(row.step.degrees, 1) },
        Column { name: "sender_cpu", doc: "CPU time ÷ time of the worker's process, which sends where files move; 1 is one CPU, as in the next three", value: |row| number(row.step.sender, 4) },
        Column { name: "receiver_cpu", doc: "the same of the receiver's process, where files move", value: |row| number(row.step.receiver, 4) },
        Column { name: "steal_cpu", doc: "taken by the hypervisor from all CPUs that may be used", value: |row| number(row.step.steal, 4) },
        Column { name: "others_cpu", doc: "CPU time of all other processes on them", value: |row| number(row.step.others, 4) },
        Column { name: "sender_rss_MB", doc: "resident memory of the worker's process, 10⁶ bytes", value: |row| number(row.step.sender_rss, 3) },
        Column { name: "receiver_rss_MB", doc: "the same of the receiver's process, where files move", value: |row| number(row.step.receiver_rss, 3) },
        Column { name: "falls", doc: "how many falls that last lie before the step: 0 until throttling began", value: |row| row.falls.to_string() },
        Column { name: "power_W", doc: "of the CPU, the chip, the machine or the graphics cards: the first of these that a counter tells", value: |row| number(row.step.watts(), 3) },
    ]
}

/// Writes a header and one row for each step. Metrics that this build doesn't know stand behind the other columns.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write_course_csv(out: impl Write, run: &Run, records: &[Record]) -> io::Result<()> {
    let others = |row: &Row| row.others.iter().map(|figure| number(*figure, 6)).collect();
    let further = Further::metrics(run, others);
    column::write(out, &columns(), &further, records.iter().flat_map(|record| rows(run, record)))
}

fn rows(run: &Run, record: &Record) -> Vec<Row> {
    let steps = course(record);
    let falls = falls(&steps.iter().map(|step| (step.rate * 1e6) as u64).collect::<Vec<_>>());
    let before = |place: usize| falls.iter().filter(|fall| **fall <= place).count();
    // A step is a sample with a time.
    let samples = record.forks.iter().flat_map(|fork| &fork.samples).filter(|sample| sample.ns() > 0);
    let figure = |sample: &Sample, metric: Metric| Some(metric.figure(sample.count(metric)?, sample.iterations));
    let others = |sample| other_metrics(run).map(|metric| figure(sample, metric)).collect();
    let row = |(place, (step, sample))| Row { others: others(sample), falls: before(place), step };
    steps.into_iter().zip(samples).enumerate().map(row).collect()
}

/// The columns of [`write_course_csv`] as a table in Markdown.
pub fn course_csv_columns() -> String {
    column::documented(&columns())
}

fn number(value: Option<f64>, places: usize) -> String {
    value.map(|value| format!("{value:.places$}")).unwrap_or_default()
}
