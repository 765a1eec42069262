//! Transfers as CSV with the columns of a study's table of results, two lines a sample: its sender and its receiver. What
//! the worker doesn't tell is empty. The JSON export has all that samples count.

use std::io::{self, Write};

use ciphermeter_core::{Metric, Operation, Record, Sample};

use crate::column::{self, Column, Further};
use ciphermeter_answer::transfers::{cpu_share, mb_per_s, of_each};

/// One side of a sample, with its CPU time and its memory.
struct Row<'a> {
    record: &'a Record,
    sample: &'a Sample,
    side: &'static str,
    cpu: Metric,
    peak: Metric,
}

impl Row<'_> {
    fn bytes(&self) -> u64 {
        self.record.cell.parameters.message()
    }

    /// Of one transfer.
    fn ns(&self) -> f64 {
        of_each(self.sample, Metric::NS).unwrap_or(0.0)
    }
}

#[rustfmt::skip]
fn columns<'a>() -> Vec<Column<Row<'a>>> {
    vec![
        Column { name: "Cipher", doc: "the suite; `tcp-plain` is the ceiling", value: |row| row.record.cell.algorithm.to_string() },
        Column { name: "Payload (MB)", doc: "10⁶ bytes of file", value: |row| number(Some(row.bytes() as f64 / 1e6)) },
        Column { name: "Total Time (s)", doc: "of one transfer, from its first byte to the receiver's authenticated receipt", value: |row| number(Some(row.ns() / 1e9)) },
        Column { name: "Throughput (MB/s)", doc: "10⁶ bytes a second", value: |row| number(mb_per_s(row.bytes(), row.ns())) },
        Column { name: "Avg. CPU (%)", doc: "this side's CPU time ÷ time; 100 is one CPU", value: |row| number(cpu_share(row.sample, row.cpu).map(|share| share * 100.0)) },
        Column { name: "Peak Memory (MB)", doc: "10⁶ bytes: the most resident in this side", value: |row| number(of_each(row.sample, row.peak).map(|bytes| bytes / 1e6)) },
        Column { name: "Side", doc: "`sender` or `receiver`", value: |row| row.side.into() },
        Column { name: "Provider", doc: "the program that moved the file", value: |row| row.record.cell.provider.clone() },
        Column { name: "Form", doc: "`discard` or `file`", value: |row| row.record.cell.form.to_string() },
    ]
}

/// Writes a header and two rows for each sample of a whole fork of a transfer, in the order of the records.
///
/// # Errors
/// Those of `out`.
pub fn write_study_csv(out: impl Write, records: &[Record]) -> io::Result<()> {
    let transfers = records.iter().filter(|record| record.cell.operation == Operation::Transfer);
    let forks = transfers.flat_map(|record| record.forks.iter().map(move |fork| (record, fork)));
    let whole = forks.filter(|(_, fork)| !fork.short);
    let samples = whole.flat_map(|(record, fork)| fork.samples.iter().map(move |sample| (record, sample)));
    let rows = samples.flat_map(|(record, sample)| {
        let row = |side, cpu, peak| Row { record, sample, side, cpu, peak };
        [row("sender", Metric::CPU_NS, Metric::PEAK_RSS), row("receiver", Metric::PEER_CPU_NS, Metric::PEER_PEAK_RSS)]
    });
    column::write(out, &columns(), &Further::NONE, rows)
}

/// The columns of [`write_study_csv`] as a table in Markdown.
pub fn study_csv_columns() -> String {
    column::documented(&columns())
}

/// Nine digits behind the point: seconds to the nanosecond.
fn number(value: Option<f64>) -> String {
    value.map(|value| format!("{value:.9}").trim_end_matches('0').trim_end_matches('.').into()).unwrap_or_default()
}
