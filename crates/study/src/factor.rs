//! Why studies disagree: one factor at a time, switched between sides that this machine measures.

use ciphermeter_core::{Mask, Record};
use serde::Deserialize;

use crate::judge::{Comparison, pairs};
use crate::question::{Expectation, Pick};
use crate::study::{BadStudy, MAX_STUDY, Measure};

/// The file of all factors.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Factors {
    /// What measures them.
    pub measures: Vec<Measure>,
    /// The factors.
    pub factors: Vec<Factor>,
}

/// Something in which studies differ.
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
        let factors: Self = toml::from_str(text).map_err(|error| BadStudy::Format(error.message().to_owned()))?;
        for factor in &factors.factors {
            if let Some(side) = factor.sides.iter().find(|side| factors.measure(side).is_none()) {
                return Err(BadStudy::Part {
                    study: "factors".into(),
                    part: format!("factor `{}`", factor.name),
                    why: format!("no measure has the scenario and CPU of its side `{}`", side.label),
                });
            }
        }
        Ok(factors)
    }

    /// The place of the measure of a side.
    pub fn measure(&self, side: &Side) -> Option<usize> {
        self.measures.iter().position(|measure| measure.scenario == side.scenario && measure.cpu == side.cpu)
    }
}

impl Side {
    /// Its pairs of cells that have a ratio, the lowest first.
    pub(crate) fn pairs(&self, records: &[Record]) -> Vec<Comparison> {
        let mut found = pairs(&self.left, &self.right, records, Expectation::Faster);
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
