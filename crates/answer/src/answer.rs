//! An answer: the question, what was decided, what that rests on, and what to do next.

use ciphermeter_core::{Kind, Record, Run, RunStatus};
use serde::Serialize;

use crate::basis::{Basis, most_forks};
use crate::devices::DevicesAnswer;
use crate::left_out::{LeftOutCells, left_out};
use crate::libraries::LibrariesAnswer;
use crate::machine::measured_on;
use crate::pair::PairAnswer;
use crate::parallel::ParallelAnswer;
use crate::rank::can_rank;
use crate::regression::Verdict;
use crate::self_check::SelfCheck;
use crate::sustained::ExportedCourse;

/// What a run decides.
#[derive(Debug, Clone, Serialize)]
pub struct Answer {
    /// What the run asks, in words.
    pub question: String,
    /// On what it was measured, in words.
    pub measured_on: String,
    /// Whether it is answered.
    pub answered: bool,
    /// The answer in sentences, the first of them what to do.
    pub sentences: Vec<String>,
    /// Lines for the program that the run is about.
    pub config: Vec<String>,
    /// The decision as data; `None` for kinds of measurement that have sentences alone.
    pub about: Option<About>,
    /// What it rests on.
    pub rests_on: Basis,
    /// What else a reader should know, a sentence each.
    pub notes: Vec<String>,
    /// What has no figure.
    pub left_out: Vec<LeftOutCells>,
    /// What to do next.
    pub next: Vec<Next>,
}

impl Answer {
    /// One that has yet to be given: nothing is decided, and what it rests on is known.
    pub fn open(run: &Run, records: &[Record], question: String, answered: bool) -> Self {
        let most = most_forks(records);
        Self {
            question,
            measured_on: measured_on(run, records),
            answered,
            sentences: Vec::new(),
            config: Vec::new(),
            about: None,
            rests_on: Basis::of(records, (most, most)),
            notes: Vec::new(),
            left_out: left_out(records),
            next: next(run, records, answered),
        }
    }
}

impl Answer {
    /// How many comparisons its intervals hold for at once, and how many of them a table has; none where there is no such table.
    pub fn comparisons(&self) -> (usize, usize) {
        let all = match &self.about {
            Some(About::Ciphers(pair)) => pair.libraries.iter().map(|library| library.rows.len()).sum(),
            Some(About::Libraries(libraries)) => libraries.contenders.len().saturating_sub(1),
            _ => 0,
        };
        (all, all)
    }
}

/// What was decided.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum About {
    /// AES or ChaCha20.
    Ciphers(Box<PairAnswer>),
    /// Which library.
    Libraries(LibrariesAnswer),
    /// Which cipher on which device.
    Devices(Box<DevicesAnswer>),
    /// Which way of splitting a long message.
    Parallel(ParallelAnswer),
    /// Whether a load keeps its speed.
    Sustained(ExportedCourse),
    /// What became slower.
    Regression(Box<Verdict>),
    /// What the instrument found of copies of one library.
    SelfCheck {
        /// By group of cells.
        groups: Vec<SelfCheck>,
    },
}

/// A command that goes on from here.
#[derive(Debug, Clone, Serialize)]
pub struct Next {
    /// What it does: `resume`, `all-rows` or `ranking`; of a study, `measure`.
    pub to: &'static str,
    /// Its words, the program's name first.
    pub command: Vec<String>,
}

/// Whether a run was cut off and can go on; a sustained load begins anew.
pub fn can_resume(run: &Run) -> bool {
    let is_cut_off = matches!(run.status, RunStatus::Open | RunStatus::Interrupted) && !run.is_measuring;
    is_cut_off && run.scenario.kind != Kind::Sustained
}

/// What to do next with a run.
pub fn next(run: &Run, records: &[Record], is_answered: bool) -> Vec<Next> {
    let next = |to, words: Vec<String>| {
        let store = run.store.iter().flat_map(|file| ["--store".to_owned(), file.display().to_string()]);
        Next { to, command: std::iter::once("ciphermeter".to_owned()).chain(words).chain(store).collect() }
    };
    let id = run.id.to_string();
    let resume = can_resume(run).then(|| next("resume", run.resume_words()));
    let all_rows = next("all-rows", vec!["show".into(), id.clone(), "--all".into()]);
    let ranking = (is_answered && can_rank(records)).then(|| next("ranking", vec!["rank".into(), id]));
    resume.into_iter().chain([all_rows]).chain(ranking).collect()
}
