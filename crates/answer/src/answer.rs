//! An answer: the question, what was decided, what that rests on, and what to do next.

use ciphermeter_core::{Record, Run};
use serde::Serialize;

use crate::basis::{Basis, most_forks};
use crate::devices::DevicesAnswer;
use crate::left_out::{LeftOut, left_out};
use crate::libraries::LibrariesAnswer;
use crate::machine::measured_on;
use crate::next::{Next, in_store, next};
use crate::pair::PairAnswer;
use crate::parallel::ParallelAnswer;
use crate::regression::Verdict;
use crate::self_check::SelfCheck;
use crate::sustained::ExportedCourse;
use crate::versions::VersionsAnswer;
use crate::workload::Decided;

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
    pub left_out: Vec<LeftOut>,
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
            left_out: left_out(run, records),
            next: next(run, records, answered),
        }
    }

    /// With the command that measures for longer, where such an option may help.
    pub(crate) fn with_longer(mut self, run: &Run, budget: Option<String>) -> Self {
        let words = budget.and_then(|budget| run.again_words(&budget));
        let longer = words.map(|words| Next { to: "longer", command: in_store(run, words) });
        self.next.splice(0..0, longer);
        self
    }

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
    /// What the version of a library changes.
    Versions(VersionsAnswer),
    /// Which cipher on which device.
    Devices(Box<DevicesAnswer>),
    /// Which way of splitting a long message.
    Parallel(ParallelAnswer),
    /// Which cipher for a workload or a program.
    Workload(Box<Decided>),
    /// Whether a load keeps its speed.
    Sustained(ExportedCourse),
    /// What became slower.
    Regression(Box<Verdict>),
    /// What the instrument found of copies of one library.
    SelfCheck {
        /// By group of cells.
        groups: Vec<SelfCheck>,
    },
    /// How the claims of a study stand.
    Claims {
        /// How many are so here.
        supported: usize,
        /// How many are not.
        contradicted: usize,
        /// How many have no verdict, or none that one machine can give.
        open: usize,
    },
}
