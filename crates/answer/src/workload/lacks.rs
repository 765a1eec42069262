//! What an advice lacks: sizes, libraries, or an answer; why, and which command helps.

use ciphermeter_core::{self as core, LeftOut, Record, Topic, budget_option, escaped};

use super::advice::Advice;
use super::choice::{Is, Verdict};
use super::entries::left_out;
use super::lacking::Lacking;
use super::question::Evidence;
use crate::basis::{longer, no_answer_to};
use crate::measured::measured;
use crate::words::listed;

impl Advice<'_> {
    /// What its run was to measure and has no figures of, behind `run 7 is newer and`: `has no figures at 16 KiB`. It does not depend on what
    /// the figures say: of several runs, the first that decides would decide too often.
    pub fn lacks(&self) -> Option<String> {
        let gaps: Vec<String> =
            self.not_compared.iter().filter(|lacking| lacking.reason.is_gap).map(Lacking::place).collect();
        (!gaps.is_empty()).then(|| format!("has no figures {}", listed(&gaps)))
    }

    /// The option that gives sizes which are not compared the time that they lacked: what their reasons name, or else longer.
    pub fn budget(&self) -> Option<String> {
        let reasons = || self.not_compared.iter().filter_map(|lacking| lacking.reason.left_out.as_ref());
        let mut reasons = reasons().filter(|reason| reason.is_for_time()).peekable();
        let run = self.evidence?.run;
        reasons.peek()?;
        match reasons.filter_map(LeftOut::enough_s).max() {
            Some(most) => Some(budget_option(most as f64)),
            // No shorter than what is asked for takes when nobody says how long.
            None => {
                let usual = self.question.scenario.map_or(0.0, |scenario| scenario.budget.0);
                longer(run, (usual / run.scenario.budget.0.max(f64::MIN_POSITIVE)).max(4.0))
            }
        }
    }

    /// Libraries that are asked for and here now, of which the run has nothing.
    pub fn not_in_run(&self) -> Option<String> {
        let Evidence { run, available, .. } = self.evidence?;
        let new = available.iter().filter(|provider| self.records_of(provider).next().is_none());
        let names: Vec<String> = new.map(|name| escaped(name)).collect();
        let (were, them) = if names.len() == 1 { ("was", "it") } else { ("were", "them") };
        let (id, measure) = (run.id, self.question.measure);
        (!names.is_empty())
            .then(|| format!("{} {were} not measured in run {id}: `{measure}` adds {them}", listed(&names)))
    }

    /// What the run has no figures of: libraries that are here now, and those of the program, with what notes and records say of them.
    pub(crate) fn missing(&self) -> Vec<String> {
        let Some(Evidence { run, available, .. }) = self.evidence else { return Vec::new() };
        let is_new = |provider: &String| available.contains(provider) && self.records_of(provider).next().is_none();
        let is_measured = |provider: &str| self.records_of(provider).any(|record| measured(record).is_some());
        let why = |provider: &String| {
            let is_of = |note: &&core::Note| note.topic == Topic::NotMeasured && note.providers.contains(provider);
            let note = run.notes.iter().find(is_of).map(ToString::to_string);
            let failed = || self.records_of(provider).find_map(|record| record.why());
            let why = note.or_else(|| Some(format!("{provider}: {}", failed()?)));
            escaped(why.unwrap_or_else(|| format!("{provider} is not in it")).trim_end_matches('.'))
        };
        let own = self.question.program.map_or(&[][..], |program| &program.providers);
        let own = own.iter().filter(|provider| !is_measured(provider) && !is_new(provider)).map(why);
        self.not_in_run().into_iter().chain(own).collect()
    }

    fn records_of(&self, provider: &str) -> impl Iterator<Item = &Record> {
        let all = self.evidence.map_or(&[][..], |evidence| evidence.records);
        all.iter().filter(move |record| record.cell.provider == provider)
    }

    /// Why there is no answer, a sentence each: where nothing was compared, what has no figures; else why what was compared does not
    /// decide, and what to try.
    pub(super) fn why_undecided(&self) -> Vec<String> {
        let Some(Evidence { run, records, .. }) = self.evidence.filter(|_| !self.is_answered()) else {
            return Vec::new();
        };
        // A mix has as many forks as the cell with the fewest.
        let again = || vec![no_answer_to(self.question.again, run, records, self.outcome.forks.0)];
        if self.outcome.is_whole() {
            let of_program = self.question.program.and_then(|program| program.overrated.as_ref());
            let instead = of_program.map(|own| &own.instead).or(self.outcome.underrated.map(|own| &own.instead));
            return match self.outcome.verdict {
                Verdict::Bound { .. } => instead.cloned().into_iter().collect(),
                _ => again(),
            };
        }
        let missing = self.missing().into_iter().map(|why| format!("Missing: {why}."));
        let lacking = self.not_compared.iter().map(Lacking::sentence);
        let reasons: Vec<String> = left_out(&self.wrong_output).into_iter().chain(lacking).chain(missing).collect();
        match self.decision.is {
            _ if !reasons.is_empty() => reasons,
            Is::Alone => self.decision.sentences.clone(),
            _ => again(),
        }
    }
}
