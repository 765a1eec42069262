//! Why studies disagree: one factor at a time, switched between sides that this machine measures.

use ciphermeter_core::{Mask, Record};
use serde::{Deserialize, Serialize};

use crate::judge::{Comparison, Verdict, pairs};
use crate::measured::MeasuredRun;
use crate::question::{Expectation, Pick};
use crate::study::{BadStudy, MAX_STUDY, Measure, Remark};

/// The file of all factors.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Factors {
    /// What measures them.
    pub measures: Vec<Measure>,
    /// The factors.
    pub factors: Vec<Factor>,
    /// Studies that no factor is about, and why.
    #[serde(default)]
    pub besides: Vec<Remark>,
}

/// Something in which studies differ: does it change which cipher is ahead?
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Factor {
    /// Its name.
    pub name: String,
    /// What its sides answer.
    pub asks: String,
    /// The studies that it is about.
    pub studies: Vec<String>,
    /// Its settings.
    pub sides: Vec<Side>,
}

/// One setting of a factor: two kinds of cells, as in a claim.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Side {
    /// What it is.
    pub label: String,
    /// The scenario that measures it.
    pub scenario: String,
    /// The CPU's instructions that are disabled for it.
    #[serde(default)]
    pub cpu: Option<Mask>,
    /// Cells of the first kind.
    pub left: Pick,
    /// Cells of the second kind.
    pub right: Pick,
    /// Whether time is compared by the byte, as messages differ.
    #[serde(default)]
    pub by_byte: bool,
}

/// What switching a factor does here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Another cipher is ahead.
    Reverses,
    /// The same cipher is ahead on every side.
    Keeps,
    /// On one side it isn't sure which is.
    Inconclusive,
    /// A side has no figure.
    NotMeasured,
}

/// Which cipher of a side takes less time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ahead {
    /// The left one, surely, in every pair.
    Left,
    /// The right one.
    Right,
    /// Neither.
    Unsure,
}

impl Factors {
    /// Reads the file.
    ///
    /// # Errors
    ///
    /// A file that is too long or no file of factors, and a side that no measure of it measures.
    pub fn parse(text: &str) -> Result<Self, BadStudy> {
        if text.len() > MAX_STUDY {
            return Err(BadStudy::TooLong);
        }
        let factors: Self = toml::from_str(text).map_err(|error| BadStudy::unreadable(text, &error))?;
        for factor in &factors.factors {
            if let Some(side) = factor.sides.iter().find(|side| factors.measure(side).is_none()) {
                let why = format!("no measure has the scenario and CPU of its side `{}`", side.label);
                return Err(BadStudy::part(text, "factors", &format!("factor `{}`", factor.name), &why));
            }
        }
        Ok(factors)
    }

    /// The run that answers for a side, of those of its measure, the newest first; and its pairs.
    fn answer<'a>(&self, side: &Side, runs: &'a [Vec<MeasuredRun>]) -> Option<(&'a MeasuredRun, Vec<Comparison>)> {
        let own = runs.get(self.measure(side)?)?.iter();
        own.map(|run| (run, side.pairs(&run.records))).find(|(_, pairs)| !pairs.is_empty())
    }

    /// Each factor with what its sides came to, by the runs of the measures.
    pub(crate) fn switched<'a>(&'a self, runs: &'a [Vec<MeasuredRun>]) -> Vec<Switched<'a>> {
        let side = |side: &'a Side| {
            let (run, pairs) = self.answer(side, runs).map_or((None, Vec::new()), |(run, pairs)| (Some(run), pairs));
            SideAnswer { side, run, pairs }
        };
        let switched = |factor: &'a Factor| {
            let sides: Vec<SideAnswer<'a>> = factor.sides.iter().map(side).collect();
            Switched { factor, effect: effect(&sides), sides }
        };
        self.factors.iter().map(switched).collect()
    }

    /// Whether these runs of a measure answer for all sides that it measures.
    pub fn is_answered(&self, measure: &Measure, runs: &[MeasuredRun]) -> bool {
        let sides = self.factors.iter().flat_map(|factor| &factor.sides);
        let mut own = sides.filter(|side| side.scenario == measure.scenario && side.cpu == measure.cpu);
        own.all(|side| runs.iter().any(|run| !side.pairs(&run.records).is_empty()))
    }

    /// The place of the measure of a side.
    pub fn measure(&self, side: &Side) -> Option<usize> {
        self.measures.iter().position(|measure| measure.scenario == side.scenario && measure.cpu == side.cpu)
    }
}

/// A factor, and what switching it does.
pub(crate) struct Switched<'a> {
    pub(crate) factor: &'a Factor,
    pub(crate) sides: Vec<SideAnswer<'a>>,
    pub(crate) effect: Effect,
}

/// A side, the run that answers for it, and its pairs; none where nothing is measured.
pub(crate) struct SideAnswer<'a> {
    pub(crate) side: &'a Side,
    pub(crate) run: Option<&'a MeasuredRun>,
    pub(crate) pairs: Vec<Comparison>,
}

fn effect(sides: &[SideAnswer<'_>]) -> Effect {
    let ahead: Option<Vec<Ahead>> = sides.iter().map(|side| ahead(&side.pairs)).collect();
    match ahead {
        None => Effect::NotMeasured,
        Some(ahead) if ahead.contains(&Ahead::Left) && ahead.contains(&Ahead::Right) => Effect::Reverses,
        Some(ahead) if ahead.contains(&Ahead::Unsure) => Effect::Inconclusive,
        Some(_) => Effect::Keeps,
    }
}

/// `None` without a figure.
pub(crate) fn ahead(pairs: &[Comparison]) -> Option<Ahead> {
    let is = |verdict| pairs.iter().all(|pair| pair.verdict == verdict);
    match pairs {
        [] => None,
        _ if is(Verdict::Supported) => Some(Ahead::Left),
        _ if is(Verdict::Contradicted) => Some(Ahead::Right),
        _ => Some(Ahead::Unsure),
    }
}

impl Side {
    /// Its pairs of cells that have a ratio, the lowest first.
    pub(crate) fn pairs(&self, records: &[Record]) -> Vec<Comparison> {
        let expect = if self.by_byte { Expectation::MoreThroughput } else { Expectation::Faster };
        let mut found = pairs(&self.left, &self.right, records, expect);
        found.retain(|pair| pair.ratio.is_some());
        let mid = |pair: &Comparison| pair.ratio.map_or(f64::NAN, |ratio| ratio.mid);
        found.sort_by(|a, b| mid(a).total_cmp(&mid(b)));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn side_that_nothing_measures_is_refused() {
        let side = "[[factors]]\nname = \"f\"\nasks = \"s\"\nstudies = []\n[[factors.sides]]\nlabel = \"l\"\n\
            scenario = \"messages\"\nleft = {}\nright = {}\n";
        let measure = "[[measures]]\nscenario = \"messages\"\nwhy = \"w\"\nbudget = \"1s\"\n";
        assert!(Factors::parse(&format!("{measure}{side}")).is_ok());
        let said = Factors::parse(&format!("measures = []\n{side}")).unwrap_err().to_string();
        assert!(said.contains("no measure has the scenario and CPU of its side `l`"), "{said}");
    }
}
