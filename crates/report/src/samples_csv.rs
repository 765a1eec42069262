//! Raw samples as tidy CSV: one line for each count of each sample, so that a program needs to know nothing of this one.

use std::io::{self, Write};

use ciphermeter_core::{Fork, Metric, Record, Run, Sample};

use crate::column::{self, Column};

/// One count of a sample.
struct Row<'a> {
    run: &'a Run,
    record: &'a Record,
    fork: &'a Fork,
    round: u32,
    sample: &'a Sample,
    is_disturbed: bool,
    metric: Metric,
    count: u64,
}

impl Row<'_> {
    fn parameter(&self, name: &str) -> String {
        self.record.cell.parameters.get(name).map_or(String::new(), |value| value.to_string())
    }
}

#[rustfmt::skip]
fn columns<'a>() -> Vec<Column<Row<'a>>> {
    vec![
        Column { name: "run", doc: "the run's number in its store", value: |row| row.run.id.to_string() },
        Column { name: "cell", doc: "the record's number within the run", value: |row| row.record.id.0.to_string() },
        Column { name: "provider", doc: "the library; a second copy in the same run has another name", value: |row| row.record.cell.provider.clone() },
        Column { name: "algorithm", doc: "such as `aes-256-gcm`", value: |row| row.record.cell.algorithm.to_string() },
        Column { name: "operation", doc: "such as `seal`", value: |row| row.record.cell.operation.to_string() },
        Column { name: "form", doc: "where the output goes", value: |row| row.record.cell.form.to_string() },
        Column { name: "message_bytes", doc: "the message's size", value: |row| row.parameter("message") },
        Column { name: "aad_bytes", doc: "the aad's size", value: |row| row.parameter("aad") },
        Column { name: "threads", doc: "how many at once", value: |row| row.record.cell.parameters.threads().to_string() },
        Column { name: "fork", doc: "the fork's number", value: |row| row.fork.number.to_string() },
        Column { name: "short", doc: "whether that fork was cut off; estimates exclude it", value: |row| row.fork.short.to_string() },
        Column { name: "round", doc: "the round within the fork", value: |row| row.round.to_string() },
        Column { name: "turn", doc: "the sample's place in the order of its round", value: |row| row.sample.turn.to_string() },
        Column { name: "iterations", doc: "calls in the sample, per thread", value: |row| row.sample.iterations.to_string() },
        Column { name: "disturbed", doc: "whether other work ran on the core; estimates exclude it", value: |row| row.is_disturbed.to_string() },
        Column { name: "metric", doc: "what was counted: `ns` is the elapsed time of all calls of the sample", value: |row| row.metric.name().into() },
        Column { name: "unit", doc: "its unit", value: |row| row.metric.unit().into() },
        Column { name: "count", doc: "the count, over all calls of the sample", value: |row| row.count.to_string() },
    ]
}

/// Writes a header and a line for each count of each sample, in the order in which they were taken.
///
/// # Errors
/// Those of `out`.
pub fn write_samples_csv(out: impl Write, run: &Run, records: &[Record]) -> io::Result<()> {
    let forks = records.iter().flat_map(|record| {
        let limits = record.limits();
        record.forks.iter().map(move |fork| (record, fork, limits.of(fork.number)))
    });
    let samples = forks.flat_map(|(record, fork, limit)| {
        let samples = fork.rounds.iter().zip(&fork.samples);
        samples.map(move |(round, sample)| (record, fork, *round, sample, !sample.is_undisturbed(limit)))
    });
    let rows = samples.flat_map(|(record, fork, round, sample, is_disturbed)| {
        let row = move |&(metric, count): &(Metric, u64)| Row {
            run,
            record,
            fork,
            round,
            sample,
            is_disturbed,
            metric,
            count,
        };
        sample.counts.iter().map(row)
    });
    column::write(out, &columns(), rows)
}

/// The columns of [`write_samples_csv`] as a table in Markdown.
pub fn samples_csv_columns() -> String {
    column::documented(&columns())
}
