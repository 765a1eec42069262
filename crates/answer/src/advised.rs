//! An advice as the answer that every document of this program carries.

use ciphermeter_core::{Record, command_in};

use crate::answer::{About, Answer};
use crate::basis::budget;
use crate::left_out::{LeftOut, left_out};
use crate::machine::measured_on;
use crate::next::{Next, in_store};
use crate::program::Choice;
use crate::workload::{AND_THEN, Advice, Evidence};

impl Advice<'_> {
    /// The same answer as data.
    pub fn answer(&self) -> Answer {
        // Of a single cipher, both say the same.
        let why = self.undecided.iter().filter(|why| !self.decision.sentences.contains(why));
        Answer {
            question: self.question.title(),
            measured_on: self.evidence.map(|own| measured_on(own.run, own.records)).unwrap_or_default(),
            answered: self.is_answered(),
            sentences: self.decision.sentences.iter().chain(why).cloned().collect(),
            config: self.setting.as_ref().map(|setting| setting.config()).unwrap_or_default(),
            about: Some(About::Workload(Box::new(self.decided()))),
            rests_on: self.basis(),
            notes: self.remarks(),
            left_out: self.evidence.map(|own| self.lacking(&own)).unwrap_or_default(),
            next: self.evidence.map_or_else(|| self.cost_alone(), |own| self.next(&own)),
        }
    }

    /// What stands beside the decision: what was measured instead, what it costs, where it flips,
    /// and which rule it follows.
    fn remarks(&self) -> Vec<String> {
        let cost = self.outcome.cost(self.question.mix.is_some());
        let flips = if self.outcome.is_measured() { self.outcome.flips() } else { Vec::new() };
        self.question.premise().into_iter().chain(cost).chain(flips).chain(self.rule()).collect()
    }

    /// Cells of the question, and libraries, of which the run has nothing.
    fn lacking(&self, own: &Evidence<'_>) -> Vec<LeftOut> {
        let asked: Vec<Record> = own.records.iter().filter(|record| self.question.asks(record)).cloned().collect();
        let mut all = left_out(own.run, &asked);
        // Of providers that the program does not use, notes of the run say nothing here.
        let concerns = |what: &str| what.is_empty() || what.split(", ").any(|name| self.question.links(name));
        all.retain(|one| !one.cells.is_empty() || concerns(&one.what));
        let is_known = |missing: &String| all.iter().any(|known| known.sentence == *missing);
        let missing: Vec<String> = self.missing().into_iter().filter(|missing| !is_known(missing)).collect();
        let measure = || command_in(&format!("`{}`", self.question.measure));
        let remedy = |missing: &String| measure().filter(|_| self.not_in_run().as_ref() == Some(missing));
        all.extend(missing.into_iter().map(|missing| LeftOut::not_measured(missing.clone(), remedy(&missing))));
        all
    }

    /// What the cipher of a program without a choice costs.
    fn cost_alone(&self) -> Vec<Next> {
        let has_none = self.question.program.is_some_and(|program| matches!(program.choice, Choice::None(_)));
        let commands = self.question.measure.split(AND_THEN).filter(|_| has_none);
        let commands = commands.filter_map(|command| command_in(&format!("`{command}`")));
        commands.map(|command| Next { to: "measure", command }).collect()
    }

    /// What to do next: to measure for longer, or what has no figures; then all rows of its run.
    fn next(&self, own: &Evidence<'_>) -> Vec<Next> {
        let words = |to, command: String| Some(Next { to, command: command_in(&format!("`{command}`"))? });
        let is_undecided = self.outcome.is_whole() && self.is_helped_by_time();
        let longer = budget(own.run, own.records, self.outcome.forks.0).filter(|_| is_undecided);
        let longer = match (longer, self.budget()) {
            (Some(budget), _) => Some((self.question.again, budget)),
            // What decides has figures, and only some sizes lack them.
            (None, budget) if self.outcome.is_measured() => budget.map(|budget| (self.question.measure, budget)),
            (None, budget) => budget.map(|budget| (self.question.again, budget)),
        };
        let longer = longer.and_then(|(asks, budget)| words("longer", format!("{asks} {budget}")));
        let is_open = !self.is_answered() || !self.missing().is_empty();
        let measure = words("measure", self.question.measure.to_owned()).filter(|_| is_open && longer.is_none());
        let rows = vec!["show".into(), own.run.id.to_string(), "--all".into()];
        let rows = Next { to: "all-rows", command: in_store(own.run, rows) };
        longer.into_iter().chain(measure).chain([rows]).collect()
    }
}
