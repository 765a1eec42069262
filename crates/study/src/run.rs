//! A stored run as studies see it: of which machine it is, and whether it gave an answer.

use ciphermeter_core::{Record, Run};
use serde::Serialize;

use crate::judge::{Missing, Pair};

/// A run of a measure of a study, or of the factors.
pub struct MeasuredRun {
    /// The run.
    pub run: Run,
    /// Its records.
    pub records: Vec<Record>,
    /// Why it is not of this machine, or not measured as this build does, if so.
    pub elsewhere: Option<String>,
}

/// A run that is newer than the one that answers, measured its cells, and gave no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PassedOver {
    /// Its number.
    pub run: i64,
    /// Why it gave none.
    pub why: Gap,
}

/// Why a run gave no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gap {
    /// A pair has fewer than [`LEAST_FORKS`] forks with undisturbed samples of both cells.
    Forks,
    /// Cells or sizes are missing.
    Cells,
}

impl MeasuredRun {
    /// Whether both are surely of one machine, measured by one method. `elsewhere` has each fact in which a machine differs from this one.
    pub(crate) fn is_of_the_machine_of(&self, other: &Self) -> bool {
        let is_known = self.elsewhere.is_none() || self.run.fact("cpu").is_some();
        let agree = is_known
            && self.elsewhere == other.elsewhere
            && self.run.fact("cpu") == other.run.fact("cpu")
            && self.run.plan.method == other.run.plan.method;
        agree || self.run.id == other.run.id
    }
}

impl PassedOver {
    /// A run that was asked for these pairs; `None` if it measured nothing of them, so that it says nothing newer.
    pub(crate) fn of(run: &MeasuredRun, pairs: &[Pair]) -> Option<Self> {
        let mut missing =
            pairs.iter().map(|pair| pair.missing).filter(|missing| *missing != Some(Missing::Unsupported)).peekable();
        missing.peek()?;
        let is_short = missing.any(|missing| matches!(missing, Some(Missing::Forks(_))));
        Some(Self { run: run.run.id, why: if is_short { Gap::Forks } else { Gap::Cells } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn runs_are_of_one_machine_where_all_that_is_known_agrees() {
        let of = |id, cpu: Option<&str>, elsewhere: Option<&str>, method| {
            let mut run = fixtures::run(id, "messages", Vec::new());
            run.run.host = cpu.map(|cpu| ciphermeter_core::Fact::present("cpu", cpu)).into_iter().collect();
            run.run.plan.method = method;
            MeasuredRun { elsewhere: elsewhere.map(str::to_owned), ..run }
        };
        let same = |one: &MeasuredRun, other: &MeasuredRun| one.is_of_the_machine_of(other);
        let (here, xeon) = (of(1, Some("A"), None, 3), of(2, Some("B"), Some("cpu B ≠ A"), 3));
        assert!(same(&here, &of(3, Some("A"), None, 3)) && same(&xeon, &of(3, Some("B"), Some("cpu B ≠ A"), 3)));
        for other in [
            of(3, Some("C"), Some("cpu C ≠ A"), 3),
            of(3, Some("B"), Some("cpu B ≠ A; cores 4 ≠ 2"), 3),
            of(3, Some("B"), Some("cpu B ≠ A"), 2),
            of(3, None, Some("the CPU's model is unknown"), 3),
        ] {
            assert!(!same(&xeon, &other) && !same(&here, &other));
        }
        let unknown = |id| of(id, None, Some("the CPU's model is unknown"), 3);
        assert!(!same(&unknown(4), &unknown(5)), "two unknown machines may be two");
        assert!(same(&unknown(4), &unknown(4)), "a run is of the machine of itself");
    }
}
