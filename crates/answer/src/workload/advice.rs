//! A question answered: the decision, the sentences that say it, and what else belongs to it.

use ciphermeter_core::{Algorithm, Mask, Record};
use serde::Serialize;

use super::choice::{Is, Verdict};
use super::cost::Joules;
use super::decided::Decided;
use super::decision::Decision;
use super::entries::{Entries, Wrong};
use super::field::Field;
use super::lacking::{Lacking, lacking};
use super::no_choice::cost_of_program;
use super::outcome::Outcome;
use super::question::{Evidence, Question};
use crate::basis::{Basis, most_forks};
use crate::machine::takes_aes;
use crate::note::{Note, notes};
use crate::program::{Choice, Setting};
use crate::words::{capital, without};

/// A question answered.
#[derive(Debug, Default)]
pub struct Advice<'a> {
    /// What was asked.
    pub question: Question<'a>,
    /// The decision.
    pub decision: Decision,
    /// Why there is no answer, and what to try, a sentence each; none: there is one.
    pub undecided: Vec<String>,
    /// Ciphers that are left out, as some of their output was wrong.
    pub wrong_output: Vec<Wrong>,
    /// What it is made of.
    pub outcome: Outcome,
    /// Sizes that were asked for and are not in the answer.
    pub not_compared: Vec<Lacking>,
    /// The answer for a CPU without AES instructions, where a run of that is stored.
    pub without_aes: Option<Box<Self>>,
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
    pub evidence: Option<Evidence<'a>>,
}

/// The run that answers.
#[derive(Debug, Serialize)]
pub struct RestsOn<'a> {
    /// Its number.
    pub run: i64,
    /// When it began.
    pub started: &'a str,
    /// What it measured.
    pub scenario: &'a str,
    /// What has changed since.
    pub changed: &'a [String],
    /// What is set here to change the code of libraries, and was not for it.
    pub set_here: &'a [String],
    /// What newer runs lack.
    pub newer: &'a [String],
    /// Libraries that it has no figures of.
    pub missing: Vec<String>,
    /// Of a run of another machine: which one that is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<&'a str>,
}

/// Answers a question.
pub fn advise<'a>(question: Question<'a>, evidence: Evidence<'a>) -> Advice<'a> {
    let entries = Entries::of(evidence.records, &question);
    let field = Field::of(&entries, &question);
    let outcome = field.as_ref().map(|field| Outcome::of(field, &entries.operations())).unwrap_or_default();
    let not_compared = lacking(&entries, field.as_ref());
    let is_all_wrong = !entries.wrong.is_empty() && entries.measured().is_empty();
    let decision = match outcome.is_measured() {
        true => Decision::of(&question, &outcome, &entries.wrong),
        false => Decision::without_figures(is_all_wrong, &question),
    };
    let again = question.again_without_aes;
    let masked = Question { measure: again, again, mask: Some(Mask::NoAes), ..question };
    let masked = evidence.without_aes.map(|evidence| Box::new(advise(masked, *evidence)));
    let advice = Advice {
        decision,
        wrong_output: entries.wrong,
        not_compared,
        without_aes: masked.filter(|masked| masked.outcome.is_measured()),
        notes: question.notes(&outcome, evidence.records),
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
    /// Of a program that leaves no choice, and what its cipher costs in a run of it; `None` of others.
    pub fn without_measuring(question: Question<'a>, of: Option<Evidence<'a>>) -> Option<Self> {
        let program = question.program?;
        let Choice::None(uses) = &program.choice else { return None };
        let cost = of.and_then(|of| Some((cost_of_program(program, question.scenario, of.records)?, of)));
        let said = cost.iter().map(|(cost, _)| match question.mask {
            Some(mask) => format!("{}: {cost}", capital(&without(mask))),
            None => cost.clone(),
        });
        let sentences = [format!("There is no choice here. {uses}")].into_iter().chain(said).collect();
        let decision = Decision { is: Is::NoChoice, sentences, ..Decision::default() };
        let advice = Self { question, decision, sources: &program.sources, ..Self::default() };
        Some(Self { rests_on: cost.map(|(_, of)| advice.run(&of)), ..advice })
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

    /// The decision in few words, of a run with instructions disabled.
    pub fn brief_of_masked(&self) -> String {
        let brief = self.question.brief(&self.outcome, &self.wrong_output);
        if self.outcome.is_answered() { format!("{brief} Another chip has other speeds.") } else { brief }
    }

    /// What it rests on; where nothing was compared, all that the run has.
    pub fn basis(&self) -> Basis {
        let records = self.evidence.map_or(&[][..], |evidence| evidence.records);
        let most = most_forks(records);
        Basis::of(records, if self.outcome.forks.1 > 0 { self.outcome.forks } else { (most, most) })
    }

    /// The decision as data.
    pub fn decided(&self) -> Decided {
        Decided {
            decision: self.decision.clone(),
            undecided: self.undecided.clone(),
            wrong_output: self.wrong_output.clone(),
            outcome: self.outcome.clone(),
            not_compared: self.not_compared.clone(),
        }
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
            changed: evidence.changed,
            set_here: evidence.set_here,
            newer: evidence.newer,
            missing: self.missing(),
            elsewhere: evidence.elsewhere,
        }
    }
}

impl Question<'_> {
    /// Notes on what is ahead, or on what is asked.
    fn notes(&self, outcome: &Outcome, records: &[Record]) -> Vec<&'static Note> {
        let of_workload = || self.scenario.map(|scenario| scenario.nonces).unwrap_or_default();
        let nonces = self.program.map_or_else(of_workload, |program| program.nonces);
        let largest = self.mix.and_then(|mix| mix.iter().map(|(message, _)| message.0).max());
        let ahead = match outcome.verdict {
            Verdict::Bound { algorithm, .. } => Some(algorithm),
            _ => outcome.recommended(),
        };
        let is_its = |record: &&Record| {
            Some(record.cell.algorithm) == ahead && Some(&record.cell.provider) == outcome.providers.first()
        };
        let from = records.iter().filter(is_its).filter_map(|record| record.provenance.as_ref());
        let paths: Vec<&str> = from.map(|from| from.path.as_str()).collect();
        notes(ahead, nonces, largest).into_iter().filter(|note| note.holds_of(&paths)).collect()
    }
}
