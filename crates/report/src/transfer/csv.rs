//! Transfers as CSV with a study's columns, two lines a sample: its sender and its receiver.
//!
//! | column | meaning |
//! | --- | --- |
//! | `Cipher` | the suite; `tcp-plain` is the ceiling |
//! | `Payload (MB)` | 10⁶ bytes of file |
//! | `Total Time (s)` | of one transfer, from its first byte to the receiver's authenticated receipt |
//! | `Throughput (MB/s)` | 10⁶ bytes a second |
//! | `Avg. CPU (%)` | this side's CPU time ÷ time; 100 is one CPU |
//! | `Peak Memory (MB)` | 10⁶ bytes: the most resident in this side |
//! | `Side` | `sender` or `receiver` |
//! | `Provider`, `Form` | who moved it; `discard` or `file` |
//! | `Fork`, `Short`, `Round`, `Transfers` | where it belongs; whether that fork was cut off; so many transfers in the sample, whose mean it is |
//! | `Handshake (s)` | from connecting until ready to send; not in the time |
//! | `Durable (s)` | from the first byte until the file was synced |
//! | `Cipher Calls (s)` | inside the cipher's calls: sealing of the sender, opening of the receiver |
//! | `CPU Series (us)`, `Memory Series (KiB)` | of the sample's last transfer: CPU time used within each 50 ms, and what was resident, joined by `;` |
//!
//! What the worker doesn't tell is empty.

use std::io::{self, Write};

use ciphermeter_core::{Fork, Metric, Operation, Record, Sample, Series};
use csv::Writer;

use super::figures::{cpu_share, mb_per_s, of_each};

const COLUMNS: [&str; 18] = [
    "Cipher",
    "Payload (MB)",
    "Total Time (s)",
    "Throughput (MB/s)",
    "Avg. CPU (%)",
    "Peak Memory (MB)",
    "Side",
    "Provider",
    "Form",
    "Fork",
    "Short",
    "Round",
    "Transfers",
    "Handshake (s)",
    "Durable (s)",
    "Cipher Calls (s)",
    "CPU Series (us)",
    "Memory Series (KiB)",
];

/// What tells the two ends apart.
struct Side {
    name: &'static str,
    cpu: Metric,
    peak: Metric,
    cipher: Metric,
    cpu_series: Series,
    memory_series: Series,
}

const SIDES: [Side; 2] = [
    Side {
        name: "sender",
        cpu: Metric::CpuNs,
        peak: Metric::PeakRss,
        cipher: Metric::Seal,
        cpu_series: Series::Cpu,
        memory_series: Series::Rss,
    },
    Side {
        name: "receiver",
        cpu: Metric::PeerCpuNs,
        peak: Metric::PeerPeakRss,
        cipher: Metric::Open,
        cpu_series: Series::PeerCpu,
        memory_series: Series::PeerRss,
    },
];

/// Writes a header and two rows for each sample of a transfer, in the order of the records.
///
/// # Errors
/// Those of `out`.
pub fn write_transfer_csv(out: impl Write, records: &[Record]) -> io::Result<()> {
    let mut writer = Writer::from_writer(out);
    writer.write_record(COLUMNS)?;
    for record in records.iter().filter(|record| record.cell.operation == Operation::Transfer) {
        for fork in &record.forks {
            for (round, sample) in fork.rounds.iter().zip(&fork.samples) {
                for side in &SIDES {
                    writer.write_record(row(record, fork, *round, sample, side))?;
                }
            }
        }
    }
    writer.flush()
}

fn row(record: &Record, fork: &Fork, round: u32, sample: &Sample, side: &Side) -> [String; COLUMNS.len()] {
    let bytes = record.cell.parameters.message();
    let ns = of_each(sample, Metric::Ns).unwrap_or(0.0);
    let seconds = |metric| number(of_each(sample, metric).map(|ns| ns / 1e9));
    [
        record.cell.algorithm.to_string(),
        number(Some(bytes as f64 / 1e6)),
        number(Some(ns / 1e9)),
        number(mb_per_s(bytes, ns)),
        number(cpu_share(sample, side.cpu).map(|share| share * 100.0)),
        number(of_each(sample, side.peak).map(|bytes| bytes / 1e6)),
        side.name.into(),
        record.cell.provider.clone(),
        record.cell.form.to_string(),
        fork.number.to_string(),
        fork.short.to_string(),
        round.to_string(),
        sample.iterations.to_string(),
        seconds(Metric::Handshake),
        seconds(Metric::Durable),
        seconds(side.cipher),
        joined(sample, side.cpu_series),
        joined(sample, side.memory_series),
    ]
}

fn joined(sample: &Sample, series: Series) -> String {
    let entries = sample.series(series).unwrap_or_default();
    entries.iter().map(u64::to_string).collect::<Vec<_>>().join(";")
}

/// Nine digits behind the point: seconds to the nanosecond.
fn number(value: Option<f64>) -> String {
    value.map(|value| format!("{value:.9}").trim_end_matches('0').trim_end_matches('.').into()).unwrap_or_default()
}
