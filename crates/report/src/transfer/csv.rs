//! Transfers as CSV with a study's columns, two lines a sample: its sender and its receiver.
//!
//! What the worker doesn't tell is empty.

use std::io::{self, Write};

use ciphermeter_core::{Fork, Metric, Operation, Record, Sample, Series};

use super::figures::{cpu_share, mb_per_s, of_each};
use crate::column::{self, Column};

/// What tells the two ends apart.
struct Side {
    name: &'static str,
    cpu: Metric,
    peak: Metric,
    cipher: Metric,
    cpu_series: Series,
    memory_series: Series,
}

static SIDES: [Side; 2] = [
    Side {
        name: "sender",
        cpu: Metric::CPU_NS,
        peak: Metric::PEAK_RSS,
        cipher: Metric::SEAL,
        cpu_series: Series::Cpu,
        memory_series: Series::Rss,
    },
    Side {
        name: "receiver",
        cpu: Metric::PEER_CPU_NS,
        peak: Metric::PEER_PEAK_RSS,
        cipher: Metric::OPEN,
        cpu_series: Series::PeerCpu,
        memory_series: Series::PeerRss,
    },
];

/// One side of a sample.
struct Row<'a> {
    record: &'a Record,
    fork: &'a Fork,
    round: u32,
    sample: &'a Sample,
    side: &'static Side,
}

impl Row<'_> {
    fn bytes(&self) -> u64 {
        self.record.cell.parameters.message()
    }

    /// Of one transfer.
    fn ns(&self) -> f64 {
        of_each(self.sample, Metric::NS).unwrap_or(0.0)
    }

    fn seconds(&self, metric: Metric) -> String {
        number(of_each(self.sample, metric).map(|ns| ns / 1e9))
    }
}

#[rustfmt::skip]
fn columns<'a>() -> Vec<Column<Row<'a>>> {
    vec![
        Column { name: "Cipher", doc: "the suite; `tcp-plain` is the ceiling", value: |row| row.record.cell.algorithm.to_string() },
        Column { name: "Payload (MB)", doc: "10⁶ bytes of file", value: |row| number(Some(row.bytes() as f64 / 1e6)) },
        Column { name: "Total Time (s)", doc: "of one transfer, from its first byte to the receiver's authenticated receipt", value: |row| number(Some(row.ns() / 1e9)) },
        Column { name: "Throughput (MB/s)", doc: "10⁶ bytes a second", value: |row| number(mb_per_s(row.bytes(), row.ns())) },
        Column { name: "Avg. CPU (%)", doc: "this side's CPU time ÷ time; 100 is one CPU", value: |row| number(cpu_share(row.sample, row.side.cpu).map(|share| share * 100.0)) },
        Column { name: "Peak Memory (MB)", doc: "10⁶ bytes: the most resident in this side", value: |row| number(of_each(row.sample, row.side.peak).map(|bytes| bytes / 1e6)) },
        Column { name: "Side", doc: "`sender` or `receiver`", value: |row| row.side.name.into() },
        Column { name: "Provider", doc: "the program that moved the file", value: |row| row.record.cell.provider.clone() },
        Column { name: "Form", doc: "`discard` or `file`", value: |row| row.record.cell.form.to_string() },
        Column { name: "Fork", doc: "the fork's number", value: |row| row.fork.number.to_string() },
        Column { name: "Short", doc: "whether that fork was cut off", value: |row| row.fork.short.to_string() },
        Column { name: "Round", doc: "the round within the fork", value: |row| row.round.to_string() },
        Column { name: "Transfers", doc: "transfers in the sample, whose mean it is", value: |row| row.sample.iterations.to_string() },
        Column { name: "Handshake (s)", doc: "from connecting until ready to send; not in the time", value: |row| row.seconds(Metric::HANDSHAKE) },
        Column { name: "Durable (s)", doc: "from the first byte until the file was synced", value: |row| row.seconds(Metric::DURABLE) },
        Column { name: "Cipher Calls (s)", doc: "inside the cipher's calls: sealing of the sender, opening of the receiver", value: |row| row.seconds(row.side.cipher) },
        Column { name: "CPU Series (us)", doc: "of the sample's last transfer: CPU time used within each 50 ms, joined by `;`", value: |row| joined(row.sample, row.side.cpu_series) },
        Column { name: "Memory Series (KiB)", doc: "what was resident then", value: |row| joined(row.sample, row.side.memory_series) },
    ]
}

/// Writes a header and two rows for each sample of a transfer, in the order of the records.
///
/// # Errors
/// Those of `out`.
pub fn write_transfer_csv(out: impl Write, records: &[Record]) -> io::Result<()> {
    let transfers = records.iter().filter(|record| record.cell.operation == Operation::Transfer);
    let forks = transfers.flat_map(|record| record.forks.iter().map(move |fork| (record, fork)));
    let samples = forks.flat_map(|(record, fork)| {
        let samples = fork.rounds.iter().zip(&fork.samples);
        samples.map(move |(round, sample)| (record, fork, *round, sample))
    });
    let rows = samples.flat_map(|(record, fork, round, sample)| {
        SIDES.iter().map(move |side| Row { record, fork, round, sample, side })
    });
    column::write(out, &columns(), rows)
}

/// The columns of [`write_transfer_csv`] as a table in Markdown.
pub fn transfer_csv_columns() -> String {
    column::documented(&columns())
}

fn joined(sample: &Sample, series: Series) -> String {
    let entries = sample.series(series).unwrap_or_default();
    entries.iter().map(u64::to_string).collect::<Vec<_>>().join(";")
}

/// Nine digits behind the point: seconds to the nanosecond.
fn number(value: Option<f64>) -> String {
    value.map(|value| format!("{value:.9}").trim_end_matches('0').trim_end_matches('.').into()).unwrap_or_default()
}
