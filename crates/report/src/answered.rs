//! What a run decides, whatever its kind.

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
