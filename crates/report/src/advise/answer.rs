//! A question answered.

use ciphermeter_core::{self as core, Algorithm, Record, Run, escaped};

use super::cost::Joules;
use super::field::Field;
use super::note::{Note, Use, notes};
use super::outcome::Outcome;
use super::program::{Choice, Setting};
use super::question::{Evidence, Question};
use crate::measured::measured;

/// An answer.
#[derive(Debug)]
pub struct Advice<'a> {
    pub(super) question: Question<'a>,
    pub(super) evidence: Option<Evidence<'a>>,
    /// `None` where nothing of what is asked was measured, or nothing has to be.
    pub(super) outcome: Option<Outcome>,
    /// What a CPU without AES instructions comes to.
    pub(super) without_aes: Option<Outcome>,
    pub(super) joules: Option<Joules>,
}

/// Answers a question.
pub fn advise<'a>(question: Question<'a>, evidence: Evidence<'a>) -> Advice<'a> {
    let outcome =
        |records: &'a [Record]| Field::of(records, question.mix, question.program).map(|field| Outcome::of(&field));
    let without_aes = evidence.without_aes.and_then(|(_, records)| outcome(records));
    Advice { outcome: outcome(evidence.records), without_aes, question, evidence: Some(evidence), joules: None }
}

impl<'a> Advice<'a> {
    /// Of a program that leaves no choice, or whose encryption is not measured here; `None` of others.
    pub fn without_measuring(question: Question<'a>) -> Option<Self> {
        let program = question.program?;
        let is_free = matches!(program.choice, Choice::Free(_));
        (!is_free).then_some(Self { question, evidence: None, outcome: None, without_aes: None, joules: None })
    }

    /// Whether the question has an answer: one cipher, level ones, no choice, or what to ask instead.
    pub fn is_answered(&self) -> bool {
        self.outcome.as_ref().map_or(self.evidence.is_none(), Outcome::is_answered)
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
                program.setting(algorithm, provider)
            }
        }
    }

    pub(super) fn notes(&self) -> Vec<Note> {
        let what = Use::of(self.question.program, self.question.workload);
        self.recommended().map(|(algorithm, _)| notes(algorithm, what)).unwrap_or_default()
    }

    /// Why libraries of the program are not in the run: what its notes and records say.
    pub(super) fn missing(&self) -> Vec<String> {
        let (Some(program), Some(evidence)) = (self.question.program, self.evidence) else { return Vec::new() };
        let is_measured = |provider: &str| {
            evidence.records.iter().any(|record| record.cell.provider == provider && measured(record).is_some())
        };
        let why = |provider: &&str| {
            let is_of = |note: &&String| {
                let mut words = note.split(|letter: char| !(letter.is_alphanumeric() || "-@".contains(letter)));
                note.contains("not measured") && words.any(|word| word == *provider)
            };
            let note = evidence.run.notes.iter().find(is_of);
            let failed = evidence.records.iter().filter(|record| record.cell.provider == **provider);
            let failed = failed.into_iter().find_map(|record| match &record.outcome {
                core::Outcome::Measured => None,
                core::Outcome::Unsupported { why }
                | core::Outcome::Failed { why }
                | core::Outcome::WrongOutput { why } => Some(format!("{provider}: {why}")),
            });
            escaped(
                note.cloned().or(failed).unwrap_or_else(|| format!("{provider} is not in it")).trim_end_matches('.'),
            )
        };
        program.providers.iter().filter(|provider| !is_measured(provider)).map(why).collect()
    }
}
