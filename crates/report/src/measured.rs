//! Which records count.

use ciphermeter_core::{Outcome, Record, Summary};

/// Whether the cell ran on this machine. What ran on a device is never compared with that, nor with another device.
pub(crate) fn is_here(record: &Record) -> bool {
    record.cell.parameters.device().is_none()
}

/// The summary of a record that counts.
pub(crate) fn measured(record: &Record) -> Option<&Summary> {
    record.summary.as_ref().filter(|_| record.outcome == Outcome::Measured)
}
