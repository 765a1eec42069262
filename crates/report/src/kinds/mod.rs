//! How each kind of measurement is shown. Writers ask the kind of a run, and know none.

mod kind;
mod parallel;
mod pictures;
mod sustained;
mod usual;

use std::io::{self, Write};

use ciphermeter_answer::Answer;
use ciphermeter_answer::measured::is_here;
use ciphermeter_core::{Kind, Record, Run};

pub(crate) use kind::ShownKind;
pub(crate) use pictures::Drawing;

pub(crate) fn of(run: &Run, records: &[Record]) -> &'static dyn ShownKind {
    match run.scenario.kind {
        _ if run.against.is_some() => &usual::Messages,
        _ if run.scenario.copies.is_some() => &usual::SelfChecks,
        _ if !records.iter().all(is_here) => &usual::Devices,
        Kind::Sustained => &sustained::Sustained,
        Kind::Parallel => &parallel::Parallel,
        Kind::Transfer => &usual::Transfers,
        Kind::Message => &usual::Messages,
    }
}

/// What an answer rests on, in sentences.
pub fn basis(run: &Run, records: &[Record], answer: &Answer) -> String {
    of(run, records).basis(answer)
}

/// Writes CSV: a header and one row for each record, of a sustained load one for each step.
///
/// # Errors
/// Those of `out`.
pub fn write_csv(mut out: impl Write, run: &Run, records: &[Record]) -> io::Result<()> {
    of(run, records).write_csv(&mut out, run, records)
}
