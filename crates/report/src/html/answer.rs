//! The first sentences of a page: what to use, or what became slower, or that the run doesn't tell.

use ciphermeter_core::{Record, Run};
use ciphermeter_stats::LEAST_FORKS;

use crate::advice;
use crate::compare::{sentences, verdict_of};
use crate::screen::{Said, said};
use crate::self_check::{SelfCheck, self_check};

/// What stands on top.
pub(super) struct Answer {
    pub(super) question: String,
    pub(super) sentences: Vec<String>,
    pub(super) is_answered: bool,
    pub(super) basis: String,
    /// What belongs to it and needs more room.
    pub(super) further: Vec<String>,
}

impl Answer {
    pub(super) fn of(run: &Run, records: &[Record]) -> Self {
        if let Some(verdict) = verdict_of(run, records) {
            return Self {
                question: "Is the new one slower?".into(),
                sentences: sentences(&verdict),
                is_answered: !verdict.cells.is_empty(),
                basis: String::new(),
                further: Vec::new(),
            };
        }
        if run.scenario.copies.is_some() {
            let checks = self_check(run, records);
            return Self {
                question: "Does the instrument find what is true?".into(),
                sentences: vec![SelfCheck::sum(&checks)],
                is_answered: SelfCheck::is_answered(&checks),
                basis: format!("A figure takes {LEAST_FORKS} undisturbed forks."),
                further: Vec::new(),
            };
        }
        let Said { question, sentences, is_answered, basis, asides } = said(run, records);
        // The classes of sizes say it again in more words, where they have an answer.
        let classes = if is_answered { advice(run, records) } else { Vec::new() };
        let is_new = |sentence: &String| !sentences.contains(sentence);
        let further = asides.into_iter().chain(classes).filter(is_new).collect();
        Self { question, sentences, is_answered, basis, further }
    }
}
