//! A question answered: the decision, the sentences that say it, and what else belongs to it, as `advise --json` writes them.

use ciphermeter_core::Algorithm;
use serde::Serialize;

use super::answer::{Answer, joined};
use super::choice::{Is, Verdict};
use super::cost::Joules;
use super::entries::{Entries, Wrong};
use super::field::Field;
use super::lacking::{Lacking, lacking};
use super::outcome::Outcome;
use super::question::{Evidence, Question};
use crate::machine::takes_aes;
use crate::messages::MASKED;
use crate::note::{Note, notes};
use crate::program::{Choice, Setting};

/// A question answered.
#[derive(Debug, Default, Serialize)]
pub struct Advice<'a> {
    /// What was asked.
    pub question: Question<'a>,
    /// The decision.
    pub answer: Answer,
    /// Why there is no answer, and what to try, a sentence each; none: there is one.
    #[serde(serialize_with = "joined")]
    pub undecided: Vec<String>,
    /// Ciphers that are left out, as some of their output was wrong.
    pub wrong_output: Vec<Wrong>,
    /// What it is made of.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Sizes that were asked for and are not in the answer.
    pub not_compared: Vec<Lacking>,
    /// The answer for a CPU without AES instructions, where a run of that is stored.
    pub without_aes: Option<Masked<'a>>,
    /// What a sustained run of the recommended cipher says of energy.
    pub joules: Option<Joules>,
    /// Lines for the program.
    pub setting: Option<Setting>,
    /// On security, the weightiest first; before them, what the mix cannot be.
    pub notes: Vec<&'static Note>,
    /// Sources of what the program does and takes.
    pub sources: &'static [String],
    /// `None` where nothing has to be measured.
    pub rests_on: Option<RestsOn<'a>>,
    /// What it rests on.
    #[serde(skip)]
    pub evidence: Option<Evidence<'a>>,
}

/// The answer of a run made with `--cpu no-aes`.
#[derive(Debug, Serialize)]
pub struct Masked<'a> {
    pub run: i64,
    pub answer: Answer,
    /// Ciphers that gave wrong output there.
    pub wrong_output: Vec<Wrong>,
    /// What newer ones lack, a sentence each.
    pub newer: &'a [String],
    /// The decision in few words.
    #[serde(skip)]
    pub brief: String,
}

/// The run that answers.
#[derive(Debug, Serialize)]
pub struct RestsOn<'a> {
    pub run: i64,
    pub started: &'a str,
    pub scenario: &'a str,
    /// Forks in which the first two were compared, in the cell with the fewest and in that with the most.
    pub forks: [usize; 2],
    pub changed: &'a [String],
    pub set_here: &'a [String],
    pub newer: &'a [String],
    /// Libraries that it has no figures of.
    pub missing: Vec<String>,
}

/// Answers a question.
pub fn advise<'a>(question: Question<'a>, evidence: Evidence<'a>) -> Advice<'a> {
    let entries = Entries::of(evidence.records, &question);
    let field = Field::of(&entries, &question);
    let outcome = field.as_ref().map(|field| Outcome::of(field, &entries.operations())).unwrap_or_default();
    let not_compared = lacking(&entries, field.as_ref());
    let is_all_wrong = !entries.wrong.is_empty() && entries.measured().is_empty();
    let answer = match outcome.is_measured() {
        true => Answer::of(&question, &outcome, &entries.wrong),
        false => Answer::without_figures(is_all_wrong, &question),
    };
    let advice = Advice {
        answer,
        wrong_output: entries.wrong,
        not_compared,
        without_aes: evidence.without_aes.and_then(|masked| Masked::of(masked, &question)),
        notes: question.notes(&outcome),
        outcome,
        sources: question.program.map_or(&[][..], |program| &program.sources),
        question,
        evidence: Some(evidence),
        ..Advice::default()
    };
    Advice {
        undecided: advice.why_undecided(),
        setting: advice.lines(),
        rests_on: Some(advice.run(&evidence)),
        ..advice
    }
}

impl<'a> Advice<'a> {
    /// Of a program that leaves no choice, or whose encryption is not measured here; `None` of others.
    pub fn without_measuring(question: Question<'a>) -> Option<Self> {
        let program = question.program?;
        let (is, sentences) = match &program.choice {
            Choice::Free => return None,
            Choice::None(uses) => (Is::NoChoice, vec![uses.clone()]),
            Choice::NotMeasured { why, ask } => {
                (Is::NotMeasured, vec![why.clone(), format!("Ask: {}", ask.join("; "))])
            }
        };
        let answer = Answer { is, sentences, ..Answer::default() };
        Some(Self { question, answer, setting: program.fixed_setting(), sources: &program.sources, ..Self::default() })
    }

    /// Whether the question has an answer: one cipher, equal ones, no choice, or what to ask instead.
    pub fn is_answered(&self) -> bool {
        self.evidence.is_none() || self.outcome.is_answered()
    }

    /// Whether measuring longer may decide.
    pub fn is_helped_by_time(&self) -> bool {
        !self.is_answered() && !matches!(self.outcome.verdict, Verdict::Bound { .. })
    }

    /// Whether a cipher of the question gave wrong output, in the run without AES instructions, too.
    pub fn has_wrong_output(&self) -> bool {
        !self.wrong_output.is_empty() || self.without_aes.as_ref().is_some_and(|masked| !masked.wrong_output.is_empty())
    }

    /// The cipher to use and the library from which it came out fastest.
    pub fn recommended(&self) -> Option<(Algorithm, &str)> {
        Some((self.outcome.recommended()?, self.outcome.providers.first()?))
    }

    /// Lines that set what is recommended.
    fn lines(&self) -> Option<Setting> {
        let (algorithm, provider) = self.recommended()?;
        self.question.program?.setting(algorithm, provider, takes_aes(self.evidence?.run))
    }

    fn run(&self, evidence: &Evidence<'a>) -> RestsOn<'a> {
        RestsOn {
            run: evidence.run.id,
            started: &evidence.run.started,
            scenario: &evidence.run.scenario.name,
            forks: self.outcome.forks.into(),
            changed: evidence.changed,
            set_here: evidence.set_here,
            newer: evidence.newer,
            missing: self.missing(),
        }
    }
}

impl<'a> Masked<'a> {
    fn of(evidence: &Evidence<'a>, question: &Question) -> Option<Self> {
        let Evidence { run, records, newer, .. } = *evidence;
        let entries = Entries::of(records, question);
        let outcome = Outcome::of(&Field::of(&entries, question)?, &entries.operations());
        let answer = Answer::of(question, &outcome, &entries.wrong);
        let brief = question.brief(&outcome, &entries.wrong);
        let brief = if outcome.is_answered() { format!("{brief} {MASKED}") } else { brief };
        Some(Self { run: run.id, answer, wrong_output: entries.wrong, newer, brief })
    }
}

impl Question<'_> {
    /// Notes on what is ahead, or on what is asked.
    fn notes(&self, outcome: &Outcome) -> Vec<&'static Note> {
        let of_workload = || self.scenario.map(|scenario| scenario.nonces).unwrap_or_default();
        let nonces = self.program.map_or_else(of_workload, |program| program.nonces);
        let largest = self.mix.and_then(|mix| mix.iter().map(|(message, _)| message.0).max());
        let ahead = match outcome.verdict {
            Verdict::Bound { algorithm, .. } => Some(algorithm),
            _ => outcome.recommended(),
        };
        notes(ahead, nonces, largest)
    }
}
