//! What a run decides and how it is written, whatever its kind.

use std::io::{self, Write};

use ciphermeter_answer::Answer;
use ciphermeter_core::{Record, Run};

use crate::kinds;

/// The answer of a run.
pub fn answer(run: &Run, records: &[Record]) -> Answer {
    let mut answer = kinds::of(run, records).answer(run, records);
    // An empty one parts paragraphs on a screen.
    answer.sentences.retain(|sentence| !sentence.is_empty());
    answer
}

/// Writes a header and one row for each record, of a sustained load one for each step.
///
/// # Errors
/// Those of `out`.
pub fn write_csv(mut out: impl Write, run: &Run, records: &[Record]) -> io::Result<()> {
    kinds::of(run, records).write_csv(&mut out, run, records)
}
