//! A question answered.

use ciphermeter_core::{self as core, Algorithm, Record, Run, SizeCounts, Topic, escaped};

use super::choice::Verdict;
use super::cost::Joules;
use super::entries::{Entries, Wrong};
use super::field::Field;
use super::lacking::{Lacking, lacking};
use super::note::{Note, RECORDS, Use, notes};
use super::outcome::Outcome;
use super::program::{Choice, Setting};
use super::question::{Evidence, Question};
use ciphermeter_answer::measured::measured;
use ciphermeter_answer::words::listed;

/// The most bytes of a record of TLS: its content, and the byte that says what it is.
const RECORD: u64 = (16 << 10) + 1;

/// An answer.
#[derive(Debug)]
pub struct Advice<'a> {
    pub(super) question: Question<'a>,
    pub(super) evidence: Option<Evidence<'a>>,
    /// `None` where nothing of what is asked was measured, or nothing has to be.
    pub(super) outcome: Option<Outcome>,
    /// Ciphers that gave wrong output.
    pub(super) wrong: Vec<Wrong>,
    /// Whether no other has any figure.
    pub(super) is_all_wrong: bool,
    /// Sizes at which nothing is compared.
    pub(super) lacking: Vec<Lacking>,
    /// What a CPU without AES instructions comes to, and ciphers that gave wrong output there.
    pub(super) without_aes: Option<(Outcome, Vec<Wrong>)>,
    pub(super) joules: Option<Joules>,
}

/// Answers a question.
pub fn advise<'a>(question: Question<'a>, evidence: Evidence<'a>) -> Advice<'a> {
    let entries = Entries::of(evidence.records, &question);
    let field = Field::of(&entries, &question);
    let lacking = lacking(&entries, field.as_ref());
    let is_all_wrong = !entries.wrong.is_empty() && entries.measured().is_empty();
    let without_aes = evidence.without_aes.and_then(|masked| {
        let entries = Entries::of(masked.records, &question);
        Some((Outcome::of(&Field::of(&entries, &question)?, &entries.operations()), entries.wrong))
    });
    let outcome = field.as_ref().map(|field| Outcome::of(field, &entries.operations()));
    let (wrong, evidence) = (entries.wrong, Some(evidence));
    Advice { question, evidence, outcome, wrong, is_all_wrong, lacking, without_aes, joules: None }
}

impl<'a> Advice<'a> {
    /// Of a program that leaves no choice, or whose encryption is not measured here; `None` of others.
    pub fn without_measuring(question: Question<'a>) -> Option<Self> {
        let program = question.program?;
        (!program.leaves_a_choice()).then(|| Self {
            question,
            evidence: None,
            outcome: None,
            wrong: Vec::new(),
            is_all_wrong: false,
            lacking: Vec::new(),
            without_aes: None,
            joules: None,
        })
    }

    /// Whether the question has an answer: one cipher, equal ones, no choice, or what to ask instead.
    pub fn is_answered(&self) -> bool {
        self.outcome.as_ref().map_or(self.evidence.is_none(), Outcome::is_answered)
    }

    /// What its run was to measure and has no figures of, behind `run 7 is newer and`: `has no figures at 16 KiB`. It does not depend on what
    /// the figures say: of several runs, the first that decides would decide too often.
    pub fn lacks(&self) -> Option<String> {
        let gaps: Vec<String> = self.lacking.iter().filter(|lacking| lacking.is_gap).map(Lacking::place).collect();
        (!gaps.is_empty()).then(|| format!("has no figures {}", listed(&gaps)))
    }

    /// Whether measuring longer may decide.
    pub fn is_helped_by_time(&self) -> bool {
        let is_bound = self.outcome.as_ref().is_some_and(|outcome| matches!(outcome.verdict, Verdict::Bound { .. }));
        !self.is_answered() && !is_bound
    }

    /// Whether a cipher of the question gave wrong output, in the run without AES instructions, too.
    pub fn has_wrong_output(&self) -> bool {
        !self.wrong.is_empty() || self.without_aes.as_ref().is_some_and(|(_, wrong)| !wrong.is_empty())
    }

    /// The cipher to use and the library from which it came out fastest.
    pub fn recommended(&self) -> Option<(Algorithm, &str)> {
        let outcome = self.outcome.as_ref()?;
        Some((outcome.recommended()?, outcome.providers.first()?.as_str()))
    }

    /// Adds what a sustained run of the recommended cipher says of energy.
    #[must_use]
    pub fn with_energy(mut self, run: &Run, record: &Record) -> Self {
        self.joules = Joules::of(run, record);
        self
    }

    /// Lines for the program, where the answer has some.
    pub(super) fn setting(&self) -> Option<Setting> {
        let program = self.question.program?;
        match &program.choice {
            Choice::NotMeasured { setting, .. } => Some(setting()),
            Choice::None(_) => None,
            Choice::Free(_) => {
                let (algorithm, provider) = self.recommended()?;
                let has_aes = ciphermeter_answer::machine::takes_aes(self.evidence?.run);
                program.setting(algorithm, provider, has_aes)
            }
        }
    }

    /// On security, the weightiest first; before them, what the mix cannot be.
    pub(super) fn notes(&self) -> Vec<Note> {
        let what = Use::of(self.question.program, self.question.workload);
        let is_over = |mix: &SizeCounts| mix.iter().any(|(message, _)| message.0 > RECORD);
        let records = self.question.mix.filter(|mix| what.has_records() && is_over(mix)).map(|_| RECORDS);
        let ahead = self.outcome.as_ref().and_then(|outcome| match outcome.verdict {
            Verdict::Bound { algorithm, .. } => Some(algorithm),
            _ => outcome.recommended(),
        });
        let own = ahead.map(|algorithm| notes(algorithm, what));
        records.into_iter().chain(own.into_iter().flatten()).collect()
    }

    /// Libraries that are asked for and here now, of which the run has nothing.
    pub(super) fn not_in_run(&self) -> Option<String> {
        let evidence = self.evidence?;
        let lacks = |provider: &&String| evidence.records.iter().all(|record| record.cell.provider != **provider);
        let names: Vec<String> = evidence.available.iter().filter(lacks).map(|name| escaped(name)).collect();
        let (were, them) = if names.len() == 1 { ("was", "it") } else { ("were", "them") };
        let (run, measure) = (evidence.run.id, self.question.measure);
        (!names.is_empty())
            .then(|| format!("{} {were} not measured in run {run}: `{measure}` adds {them}", listed(&names)))
    }

    /// What the run has no figures of: libraries that are here now, and those of the program, with what notes and records say of them.
    pub(super) fn missing(&self) -> Vec<String> {
        let Some(evidence) = self.evidence else { return Vec::new() };
        let is_measured = |provider: &str| {
            evidence.records.iter().any(|record| record.cell.provider == provider && measured(record).is_some())
        };
        let is_new = |provider: &str| {
            evidence.available.iter().any(|name| name == provider)
                && evidence.records.iter().all(|record| record.cell.provider != provider)
        };
        let why = |provider: &&str| {
            let is_of = |note: &&core::Note| {
                note.topic == Topic::NotMeasured && note.providers.iter().any(|name| name == provider)
            };
            let note = evidence.run.notes.iter().find(is_of).map(ToString::to_string);
            let failed = evidence.records.iter().filter(|record| record.cell.provider == **provider);
            let failed = failed.into_iter().find_map(|record| Some(format!("{provider}: {}", record.outcome.why()?)));
            escaped(note.or(failed).unwrap_or_else(|| format!("{provider} is not in it")).trim_end_matches('.'))
        };
        let own = self.question.program.map_or(&[][..], |program| program.providers);
        let own = own.iter().filter(|provider| !is_measured(provider) && !is_new(provider)).map(why);
        self.not_in_run().into_iter().chain(own).collect()
    }
}
