//! What to do next with a run, as commands in words.

use ciphermeter_core::{Kind, METHOD, Record, Run, RunStatus};
use serde::Serialize;

use crate::rank::can_rank;

/// A command that goes on from here.
#[derive(Debug, Clone, Serialize)]
pub struct Next {
    /// What it does: `resume`, `longer`, `all-rows` or `ranking`; of a study and of an advice,
    /// `measure`.
    pub to: &'static str,
    /// Its words, the program's name first.
    pub command: Vec<String>,
}

/// Whether a run was cut off and can go on here; a sustained load begins anew, as does a run by another method.
pub fn can_resume(run: &Run) -> bool {
    let is_cut_off = matches!(run.status, RunStatus::Open | RunStatus::Interrupted) && !run.is_measuring;
    is_cut_off
        && !run.plan.is_imported
        && !run.is_of_guard()
        && run.scenario.kind != Kind::Sustained
        && run.plan.method == METHOD
}

/// The words of a command on the run's store, the program's name first.
pub(crate) fn in_store(run: &Run, words: Vec<String>) -> Vec<String> {
    let store = run.store.iter().flat_map(|file| ["--store".to_owned(), file.display().to_string()]);
    std::iter::once("ciphermeter".to_owned()).chain(words).chain(store).collect()
}

/// What to do next with a run.
pub fn next(run: &Run, records: &[Record], is_answered: bool) -> Vec<Next> {
    let next = |to, words: Vec<String>| Next { to, command: in_store(run, words) };
    let id = run.id.to_string();
    let resume = can_resume(run).then(|| next("resume", run.resume_words()));
    let all_rows = next("all-rows", vec!["show".into(), id.clone(), "--all".into()]);
    let ranking = (is_answered && can_rank(records)).then(|| next("ranking", vec!["rank".into(), id]));
    resume.into_iter().chain([all_rows]).chain(ranking).collect()
}
