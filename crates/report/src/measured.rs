//! Which records count.

use ciphermeter_core::{Outcome, Record, Summary};
use ciphermeter_stats::LEAST_FORKS;

/// Whether the cell ran on this machine. What ran on a device is never compared with that, nor with another device.
pub(crate) fn is_here(record: &Record) -> bool {
    record.cell.parameters.device().is_none()
}

/// The summary of a record that counts.
pub(crate) fn measured(record: &Record) -> Option<&Summary> {
    record.summary.as_ref().filter(|_| record.outcome == Outcome::Measured)
}

/// Whether a cell has as many forks as any figure takes.
pub(crate) fn has_enough_forks(record: &Record) -> bool {
    measured(record).is_some_and(|summary| summary.forks as usize >= LEAST_FORKS)
}
