//! The first sentences of a page: what to use, or what became slower, or that the run doesn't tell.

use std::collections::BTreeSet;

use ciphermeter_core::{Outcome, Record, Run, escaped};
use ciphermeter_stats::LEAST_FORKS;

use crate::advice::advice_beside_an_answer;
use crate::compare::{sentences, verdict_of};
use crate::screen::{Said, said};
use crate::self_check::{SelfCheck, self_check};
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
        if let Some(verdict) = verdict_of(run, records) {
            return Self {
                question: "Is the new one slower?".into(),
                sentences: sentences(&verdict),
                config: Vec::new(),
                is_answered: !verdict.cells.is_empty(),
                basis: String::new(),
                further: Vec::new(),
                wrong: wrong(records),
            };
        }
        if run.scenario.copies.is_some() {
            let checks = self_check(run, records);
            return Self {
                question: "Does the instrument find what is true?".into(),
                sentences: vec![SelfCheck::sum(&checks)],
                config: Vec::new(),
                is_answered: SelfCheck::is_answered(&checks),
                basis: format!("A figure takes {LEAST_FORKS} undisturbed forks."),
                further: Vec::new(),
                wrong: wrong(records),
            };
        }
        let Said { question, sentences, config, is_answered, basis, asides } = said(run, records);
        // The classes of sizes say it again in more words, where they have an answer.
        let classes = if is_answered { advice_beside_an_answer(run, records) } else { Vec::new() };
        let is_new = |sentence: &String| !sentences.contains(sentence);
        let further = asides.into_iter().chain(classes).filter(is_new).map(|sentence| capital(&sentence)).collect();
        Self { question, sentences, config, is_answered, basis, further, wrong: wrong(records) }
    }
}
