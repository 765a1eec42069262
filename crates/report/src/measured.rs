//! Which records count.

use ciphermeter_core::{Outcome, Record, Summary};

/// The summary of a record that counts.
pub(crate) fn measured(record: &Record) -> Option<&Summary> {
    record.summary.as_ref().filter(|_| record.outcome == Outcome::Measured)
}
