//! A question answered.

use ciphermeter_core::{self as core, Algorithm, Record, Run, SizeCounts, escaped};

use super::choice::Verdict;
use super::cost::Joules;
use super::entries::{Entries, Lacking, Wrong};
use super::field::Field;
use super::note::{Note, RECORDS, Use, notes};
use super::outcome::Outcome;
use super::program::{Choice, Setting};
use super::question::{Evidence, Question};
use crate::measured::measured;

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
    let lacking = entries.lacking(field.as_ref());
    let is_all_wrong = !entries.wrong.is_empty() && entries.measured().is_empty();
    let without_aes = evidence.without_aes.and_then(|(_, records)| {
        let entries = Entries::of(records, &question);
        Some((Outcome::of(&Field::of(&entries, &question)?), entries.wrong))
    });
    let outcome = field.as_ref().map(Outcome::of);
    let (wrong, evidence) = (entries.wrong, Some(evidence));
    Advice { question, evidence, outcome, wrong, is_all_wrong, lacking, without_aes, joules: None }
}

impl<'a> Advice<'a> {
    /// Of a program that leaves no choice, or whose encryption is not measured here; `None` of others.
    pub fn without_measuring(question: Question<'a>) -> Option<Self> {
        let program = question.program?;
        let is_free = matches!(program.choice, Choice::Free(_));
        (!is_free).then(|| Self {
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

    /// Whether the question has an answer: one cipher, level ones, no choice, or what to ask instead.
    pub fn is_answered(&self) -> bool {
        self.outcome.as_ref().map_or(self.evidence.is_none(), Outcome::is_answered)
    }

    /// Whether a cipher of the question gave wrong output.
    pub fn has_wrong_output(&self) -> bool {
        !self.wrong.is_empty()
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
