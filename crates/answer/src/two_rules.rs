//! Where an advice names another cipher than the run that it rests on: what each of them goes by.

use ciphermeter_core::{Algorithm, Record, Run, escaped};

use crate::measured::{is_here, measured};
use crate::pair::PairAnswer;
use crate::program::program;
use crate::workload::{Advice, Evidence, Question, advise};

/// A run recommends a cipher that no library has slower than the other one, so that it holds with
/// whatever library you have. An advice recommends what is the fastest over all libraries, sizes
/// and operations, and names the library.
fn sentence(by_library: Algorithm, overall: Algorithm, provider: &str) -> String {
    format!(
        "Two rules: `run` says {}, which no library with both has slower; `advise` says {}, as {}'s is the fastest of all.",
        by_library.title(),
        overall.title(),
        escaped(provider)
    )
}

impl Advice<'_> {
    /// Both rules, where they come to different ciphers.
    pub fn rule(&self) -> Option<String> {
        self.rule_beside(&PairAnswer::of(self.evidence?.records)?)
    }

    fn rule_beside(&self, run: &PairAnswer) -> Option<String> {
        let (overall, provider) = self.recommended()?;
        let by_library = run.recommended?.algorithm;
        let is_of_both = Algorithm::USUAL.contains(&by_library) && Algorithm::USUAL.contains(&overall);
        (is_of_both && overall != by_library).then(|| sentence(by_library, overall, provider))
    }
}

impl PairAnswer {
    /// The same in the run's own answer.
    pub(crate) fn rule(&self, run: &Run, records: &[Record]) -> Option<String> {
        let winner = self.recommended.filter(|_| run.mask.is_none() && !self.is_fastest_everywhere(records))?;
        let question = Question { program: program(&run.scenario.name), ..Question::default() };
        let advice = advise(question, Evidence::of(run, records));
        advice.rule_beside(self).filter(|_| Algorithm::USUAL.contains(&winner.algorithm))
    }

    /// Whether no cell of another library has the other cipher faster: then no rule says anything
    /// else.
    fn is_fastest_everywhere(&self, records: &[Record]) -> bool {
        let mid = |record: &Record| measured(record).filter(|_| is_here(record)).map(|summary| summary.range.mid);
        let of = |is_winner: bool| {
            let is_own =
                move |record: &&Record| Some(record.cell.algorithm) == self.recommended.map(|own| own.algorithm);
            records.iter().filter(move |record| is_own(record) == is_winner)
        };
        let is_ahead = |other: &Record| {
            let same = of(true).filter(|own| own.cell.group() == other.cell.group());
            mid(other).is_some_and(|time| same.filter_map(mid).all(|own| time < own))
        };
        let is_rival =
            |record: &&Record| [self.first, self.second].iter().any(|one| one.algorithm == record.cell.algorithm);
        !of(false).filter(is_rival).any(is_ahead)
    }
}
