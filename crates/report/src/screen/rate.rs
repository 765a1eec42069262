//! The figures of a cell on the first screen: how fast it is, and how much memory it takes.

use ciphermeter_core::{Operation, Record};

use crate::gb_per_s;
use ciphermeter_answer::measured::{has_enough_forks, measured};
use ciphermeter_answer::words::decimals;

/// Throughput in the unit of [`unit`]; `–` before there are enough forks for a figure.
pub(super) fn rate(record: &Record) -> String {
    if has_enough_forks(record) { rate_of_few(record) } else { "–".into() }
}

/// The same of however many forks.
fn rate_of_few(record: &Record) -> String {
    rate_in(speed(record), record.cell.operation == Operation::Transfer)
}

/// Throughput in GB/s.
pub(super) fn speed(record: &Record) -> Option<f64> {
    Some(gb_per_s(&record.cell, measured(record)?.range)?.mid)
}

/// The unit of [`rate`].
pub(super) fn unit(moves_files: bool) -> &'static str {
    if moves_files { "MB/s" } else { "GB/s" }
}

/// A throughput of GB/s in that unit; `–` where there is none.
pub(super) fn rate_in(gb_per_s: Option<f64>, moves_files: bool) -> String {
    let scale = if moves_files { 1000.0 } else { 1.0 };
    match gb_per_s.map(|rate| rate * scale) {
        Some(rate) => format!("{:.*}", decimals(rate), rate),
        None => "–".into(),
    }
}
