//! The first sentences of a page: what to use, or what became slower, or that the run doesn't tell.

use ciphermeter_core::{Outcome, Record, Run};

use crate::kinds;
use crate::screen::shortened;
use ciphermeter_answer::answer;
use ciphermeter_answer::left_out::cells_in_words;
use ciphermeter_answer::words::capital;

/// What stands on top.
pub(super) struct Answer {
    pub(super) question: String,
    pub(super) sentences: Vec<String>,
    /// Lines for the program that the run is about.
    pub(super) config: Vec<String>,
    pub(super) is_answered: bool,
    pub(super) basis: String,
    /// What belongs to it and needs more room.
    pub(super) further: Vec<String>,
    /// Whose output was wrong.
    pub(super) wrong: Option<String>,
}

/// Cells whose output was wrong, which no figure shows.
fn wrong(records: &[Record]) -> Option<String> {
    let is_wrong = |record: &&Record| matches!(record.outcome, Outcome::WrongOutput { .. });
    let all: Vec<&Record> = records.iter().filter(is_wrong).collect();
    (!all.is_empty()).then(|| format!("WRONG OUTPUT: {}, which no figure shows.", cells_in_words(&all, usize::MAX)))
}

impl Answer {
    pub(super) fn of(run: &Run, records: &[Record]) -> Self {
        let answer = answer(run, records);
        let basis = kinds::of(run, records).basis(&answer);
        Self {
            config: shortened(run, &answer.config, 80),
            is_answered: answer.answered,
            basis,
            further: answer.notes.iter().map(|note| capital(note)).collect(),
            wrong: wrong(records),
            sentences: answer.sentences.into_iter().filter(|sentence| !sentence.is_empty()).collect(),
            question: answer.question,
        }
    }
}
