//! Why studies disagree: one factor at a time, switched between sides that this machine measures.

use std::collections::BTreeMap;

use ciphermeter_core::{Cell, Mask, Record};
use serde::{Deserialize, Serialize};

use crate::judge::{Missing, Pair, pairs};
use crate::part::Part;
use crate::question::{Expectation, Pick};
use crate::run::{MeasuredRun, PassedOver};
use crate::study::{BadStudy, MAX_STUDY, Measure, Remark, libraries};
use crate::verdict::Verdict;

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
    /// The studies that it is about, and what it has to do with each: `measures 16 to 64 bytes`.
    pub studies: BTreeMap<String, String>,
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
    /// On one side a library's output was wrong.
    WrongOutput,
    /// A side has no figure, or not all are of one machine and of one version of a library.
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
        for (number, factor) in factors.factors.iter().enumerate() {
            if let Some(side) = factor.sides.iter().find(|side| factors.measure(side).is_none()) {
                let why = format!("no measure has the scenario and CPU of its side `{}`", side.label);
                return Err(BadStudy::part(text, "factors", &Part::nth("factor", number, &factor.name).is_wrong(why)));
            }
        }
        Ok(factors.narrowed())
    }

    /// With the libraries that its sides name, where a measure names none.
    fn narrowed(mut self) -> Self {
        let asked = |place: usize| {
            let sides = self.factors.iter().flat_map(|factor| &factor.sides);
            libraries(sides.filter(|side| self.measure(side) == Some(place)).flat_map(|side| [&side.left, &side.right]))
        };
        let asked: Vec<_> = (0..self.measures.len()).map(asked).collect();
        self.measures.iter_mut().zip(asked).for_each(|(measure, asked)| measure.narrow(asked));
        self
    }

    /// The answers for the sides of a factor: of one measure by a run that answers for all of them, if there is one, as between two runs
    /// more than the factor may change.
    fn answers<'a>(&self, factor: &'a Factor, runs: &'a [Vec<MeasuredRun>]) -> Vec<SideAnswer<'a>> {
        let own = |side: &Side| self.measure(side).and_then(|place| runs.get(place)).map_or(&[][..], Vec::as_slice);
        let newest: Vec<SideAnswer<'a>> = factor.sides.iter().map(|side| answer(side, own(side), |_| true)).collect();
        // An older run hides no wrong output of a newer one.
        if newest.iter().any(SideAnswer::is_wrong) {
            return newest;
        }
        let of_whole = |newest: SideAnswer<'a>| {
            let side = newest.side;
            let measure = self.measure(side);
            let whole = own(side).iter().find(|run| self.is_whole(factor, measure, run));
            whole.map_or(newest, |whole| answer(side, own(side), |run| run.run.id == whole.run.id))
        };
        newest.into_iter().map(of_whole).collect()
    }

    /// Whether a run answers for all sides of a factor that its measure measures.
    fn is_whole(&self, factor: &Factor, measure: Option<usize>, run: &MeasuredRun) -> bool {
        let mut sides = factor.sides.iter().filter(|side| self.measure(side) == measure);
        sides.all(|side| !counted(side.pairs(&run.records)).is_empty())
    }

    /// Each factor with what its sides came to, by the runs of the measures.
    pub(crate) fn switched<'a>(&'a self, runs: &'a [Vec<MeasuredRun>]) -> Vec<Switched<'a>> {
        let switched = |factor: &'a Factor| {
            let sides = self.answers(factor, runs);
            Switched { factor, effect: effect(&sides), sides }
        };
        self.factors.iter().map(switched).collect()
    }

    /// What each factor does, by the runs of the measures.
    pub fn effects(&self, runs: &[Vec<MeasuredRun>]) -> Vec<Effect> {
        self.switched(runs).iter().map(|switched| switched.effect).collect()
    }

    /// Whether these runs of a measure answer for all sides that it measures, those of a factor in one run.
    pub fn is_answered(&self, measure: &Measure, runs: &[MeasuredRun]) -> bool {
        let place = self.measures.iter().position(|own| own.scenario == measure.scenario && own.cpu == measure.cpu);
        self.factors.iter().all(|factor| {
            let is_its = factor.sides.iter().any(|side| self.measure(side) == place);
            !is_its || runs.iter().any(|run| self.is_whole(factor, place, run))
        })
    }

    /// The place of the measure of a side.
    pub fn measure(&self, side: &Side) -> Option<usize> {
        self.measures.iter().position(|measure| measure.scenario == side.scenario && measure.cpu == side.cpu)
    }
}

/// The newest run that may answer for a side and does; and its pairs.
fn answer<'a>(side: &'a Side, runs: &'a [MeasuredRun], may: impl Fn(&MeasuredRun) -> bool) -> SideAnswer<'a> {
    let mut passed_over = Vec::new();
    for run in runs {
        let all = side.pairs(&run.records);
        let pairs = counted(all.clone());
        if !pairs.is_empty() && may(run) {
            return SideAnswer { side, run: Some(run), pairs, passed_over };
        }
        passed_over.extend(PassedOver::of(run, &all));
    }
    SideAnswer { side, run: None, pairs: Vec::new(), passed_over: Vec::new() }
}

/// A factor, and what switching it does.
pub(crate) struct Switched<'a> {
    pub(crate) factor: &'a Factor,
    pub(crate) sides: Vec<SideAnswer<'a>>,
    pub(crate) effect: Effect,
}

impl<'a> Switched<'a> {
    /// Its runs, a side's each.
    pub(crate) fn runs(&self) -> impl Iterator<Item = &'a MeasuredRun> {
        self.sides.iter().filter_map(|side| side.run)
    }

    /// Whether all its runs are of one machine: those of two say nothing of what the factor does.
    pub(crate) fn is_of_one_machine(&self) -> bool {
        are_of_one_machine(&self.sides)
    }

    /// The library that has another version on one side than on another.
    pub(crate) fn two_versions(&self) -> Option<&'a str> {
        two_versions(&self.sides)
    }
}

/// A side, the run that answers for it, and its pairs; none where nothing is measured.
pub(crate) struct SideAnswer<'a> {
    pub(crate) side: &'a Side,
    pub(crate) run: Option<&'a MeasuredRun>,
    pub(crate) pairs: Vec<Pair>,
    pub(crate) passed_over: Vec<PassedOver>,
}

impl SideAnswer<'_> {
    /// Whether the output of one of its cells was wrong.
    pub(crate) fn is_wrong(&self) -> bool {
        self.pairs.iter().any(|pair| pair.missing == Some(Missing::WrongOutput))
    }
}

fn are_of_one_machine(sides: &[SideAnswer<'_>]) -> bool {
    let mut runs = sides.iter().filter_map(|side| side.run);
    let first = runs.next();
    runs.all(|run| first.is_none_or(|first| first.is_of_the_machine_of(run)))
}

/// The library of two versions in these sides.
fn two_versions<'a>(sides: &[SideAnswer<'a>]) -> Option<&'a str> {
    let mut known = BTreeMap::<&str, &str>::new();
    for side in sides {
        let cells: Vec<&Cell> = side.pairs.iter().flat_map(|pair| [&pair.left, &pair.right]).collect();
        let records = side.run.into_iter().flat_map(|run| &run.records).filter(|record| cells.contains(&&record.cell));
        for record in records {
            let Some(from) = &record.provenance else { continue };
            let provider = record.cell.provider.as_str();
            if *known.entry(provider).or_insert(&from.version) != from.version {
                return Some(provider);
            }
        }
    }
    None
}

fn effect(sides: &[SideAnswer<'_>]) -> Effect {
    let ahead: Option<Vec<Ahead>> = sides.iter().map(|side| ahead(&side.pairs)).collect();
    match ahead {
        _ if sides.iter().any(SideAnswer::is_wrong) => Effect::WrongOutput,
        None => Effect::NotMeasured,
        Some(_) if !are_of_one_machine(sides) || two_versions(sides).is_some() => Effect::NotMeasured,
        Some(ahead) if ahead.contains(&Ahead::Left) && ahead.contains(&Ahead::Right) => Effect::Reverses,
        Some(ahead) if ahead.contains(&Ahead::Unsure) => Effect::Inconclusive,
        Some(_) => Effect::Keeps,
    }
}

/// `None` without a figure.
pub(crate) fn ahead(pairs: &[Pair]) -> Option<Ahead> {
    let is = |verdict| pairs.iter().all(|pair| pair.verdict == verdict);
    match pairs {
        [] => None,
        _ if is(Verdict::Supported) => Some(Ahead::Left),
        _ if is(Verdict::Contradicted) => Some(Ahead::Right),
        _ => Some(Ahead::Unsure),
    }
}

/// Those with a ratio, and those with wrong output, which is never left out.
fn counted(mut pairs: Vec<Pair>) -> Vec<Pair> {
    pairs.retain(|pair| pair.ratio.is_some() || pair.missing == Some(Missing::WrongOutput));
    pairs
}

impl Side {
    /// Its pairs of cells, the lowest ratio first.
    fn pairs(&self, records: &[Record]) -> Vec<Pair> {
        let expect = if self.by_byte { Expectation::MoreThroughput } else { Expectation::Faster };
        let mut found = pairs(&self.left, &self.right, records, expect);
        let mid = |pair: &Pair| pair.ratio.map_or(f64::NAN, |ratio| ratio.mid);
        found.sort_by(|a, b| mid(a).total_cmp(&mid(b)));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn side_that_nothing_measures_is_refused() {
        let side = "[[factors]]\nname = \"f\"\nasks = \"s\"\nstudies = {}\n[[factors.sides]]\nlabel = \"l\"\n\
            scenario = \"messages\"\nleft = {}\nright = {}\n";
        let measure = "[[measures]]\nscenario = \"messages\"\nwhy = \"w\"\nbudget = \"1s\"\n";
        assert!(Factors::parse(&format!("{measure}{side}")).is_ok());
        let said = Factors::parse(&format!("measures = []\n{side}")).unwrap_err().to_string();
        assert!(said.contains("no measure has the scenario and CPU of its side `l`"), "{said}");
    }
}
