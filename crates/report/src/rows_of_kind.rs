//! CSV of a run, whatever its kind.

use std::io::{self, Write};

use ciphermeter_core::{Record, Run};

use crate::kinds;

/// Writes a header and one row for each record, of a sustained load one for each step.
///
/// # Errors
/// Those of `out`.
pub fn write_csv(mut out: impl Write, run: &Run, records: &[Record]) -> io::Result<()> {
    kinds::of(run, records).write_csv(&mut out, run, records)
}
