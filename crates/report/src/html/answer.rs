//! The first sentences of a page: what to use, or what became slower, or that the run doesn't tell.

use std::collections::BTreeSet;

use ciphermeter_core::{Outcome, Record, Run, escaped};

use crate::answered::answer;
use crate::kinds;
use crate::screen::shortened;
use ciphermeter_answer::words::{capital, listed};

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
    /// Who gave wrong output.
    pub(super) wrong: Option<String>,
}

/// Libraries whose output was wrong, which no figure shows.
fn wrong(records: &[Record]) -> Option<String> {
    let all = records.iter().filter(|record| matches!(record.outcome, Outcome::WrongOutput { .. }));
    let providers: BTreeSet<String> = all.clone().map(|record| escaped(&record.cell.provider)).collect();
    let providers: Vec<String> = providers.into_iter().collect();
    let cells = all.count();
    let plural = if cells == 1 { "" } else { "s" };
    (cells > 0)
        .then(|| format!("WRONG OUTPUT by {} in {cells} cell{plural}, which no figure shows.", listed(&providers)))
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
