//! The figures of a cell on the first screen: how fast it is, and how much memory it takes.

use ciphermeter_core::{Operation, Record};
use ciphermeter_estimate::CipherPair;

use crate::gb_per_s;
use ciphermeter_answer::measured::{has_enough_forks, measured};
use ciphermeter_answer::memory::Medians;
use ciphermeter_answer::words::decimals;

/// Throughput in the unit of [`unit`]; `–` before there are enough forks for a figure.
pub(super) fn rate(record: &Record) -> String {
    if has_enough_forks(record) { rate_of_few(record) } else { "–".into() }
}

/// The same of however many forks.
pub(super) fn rate_of_few(record: &Record) -> String {
    let scale = if record.cell.operation == Operation::Transfer { 1000.0 } else { 1.0 };
    match speed(record).map(|rate| rate * scale) {
        Some(rate) => format!("{:.*}", decimals(rate), rate),
        None => "–".into(),
    }
}

/// Throughput in GB/s.
pub(super) fn speed(record: &Record) -> Option<f64> {
    Some(gb_per_s(&record.cell, measured(record)?.range)?.mid)
}

/// The unit of [`rate`].
pub(super) fn unit(pair: CipherPair) -> &'static str {
    if pair.moves_files() { "MB/s" } else { "GB/s" }
}

/// Peak memory in bytes.
pub(super) fn peak(record: &Record) -> Option<u64> {
    Medians::of(record)?.peak_rss
}
