//! What a comparison comes to.

use ciphermeter_core::{Cell, CellId, Record, Share};
use ciphermeter_estimate::{Comparison, Ratio, Side};
use ciphermeter_stats::Effect;
use serde::Serialize;

/// A cell in both.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// Its number in the run of now.
    #[serde(rename = "cell")]
    pub id: CellId,
    /// Which, as it is called now.
    #[serde(flatten)]
    pub cell: Cell,
    /// Time now ÷ time before, with the interval that holds for all cells of the verdict at once.
    pub ratio: Ratio,
    /// Of the cell before and the cell now: which is surely faster by more than the threshold.
    pub comparison: Comparison,
}

impl Compared {
    pub(super) fn new(now: &Record, ratio: Ratio, comparison: Comparison) -> Self {
        Self { id: now.id, cell: now.cell.clone(), ratio, comparison }
    }

    /// Whether it is surely slower now, by more than the threshold.
    pub fn is_slower(&self) -> bool {
        self.comparison.faster() == Some(Side::First)
    }

    /// Whether it is surely faster now, by more than the threshold.
    pub fn is_faster(&self) -> bool {
        self.comparison.faster() == Some(Side::Second)
    }

    /// Whether it surely differs, by more than the threshold.
    pub fn differs(&self) -> bool {
        self.comparison.faster().is_some()
    }

    /// Whether all that was counted is the same in both, to the last digit.
    pub fn is_same(&self) -> bool {
        self.ratio.mid == 1.0 && self.ratio.range().is_none_or(|range| range == (1.0, 1.0))
    }

    /// The largest slowdown, as a share, that its interval holds; below 0 where it is faster.
    pub(super) fn slower_at_most(&self) -> f64 {
        self.ratio.range().map_or(f64::INFINITY, |(_, high)| high - 1.0)
    }
}

/// A cell that was measured before and can't be now.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lost {
    /// Its number in its run.
    #[serde(rename = "cell")]
    pub id: CellId,
    /// Which.
    #[serde(flatten)]
    pub cell: Cell,
    /// What became of it.
    pub why: String,
    /// Whether its output is wrong now.
    pub wrong_output: bool,
}

/// A cell that is not compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Unmatched {
    /// Its number in its run.
    #[serde(rename = "cell")]
    pub id: CellId,
    /// Which.
    #[serde(flatten)]
    pub cell: Cell,
    /// Why not.
    pub why: String,
    /// Whether both have it measured, so that it is missing in the verdict.
    pub missed: bool,
    /// Whether its output is wrong now, and was before, or the two sides differ and nothing says which is right.
    pub wrong_output: bool,
}

/// What a comparison came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// What is compared with what.
    pub title: String,
    /// What is slower by more than this share counts.
    pub threshold: Share,
    /// Why nothing at all may be compared, if so.
    pub refused: Option<String>,
    /// Cells that changed, or may have, worst first.
    pub cells: Vec<Compared>,
    /// Cells whose code is the same in both, worst first: they tell whether the comparison itself holds.
    pub same: Vec<Compared>,
    /// Counts of devices, exact, those that grew most first: their intervals have a width only where forks counted differently.
    pub counts: Vec<Compared>,
    /// Cells that fell out.
    pub lost: Vec<Lost>,
    /// Cells that are not compared.
    pub unmatched: Vec<Unmatched>,
    /// What a reader should know besides, each a plain sentence.
    pub notes: Vec<String>,
    /// Whether a slowdown above the threshold must be ruled out, rather than not be found.
    pub must_resolve: bool,
    /// How many cells are surely slower by more than the threshold.
    pub slower: usize,
    /// How many are surely faster by more than it.
    pub faster: usize,
}

/// What a verdict comes to, for an exit code; the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    /// A cell's output is wrong now.
    WrongOutput,
    /// Something is surely slower by more than the threshold.
    Slower,
    /// Nothing could be compared.
    Nothing,
    /// Cells fell out, or are in both and could not be compared, or may hide a slowdown that was to be ruled out.
    Partial,
    /// None of these.
    Fine,
}

impl Verdict {
    /// Whether it has nothing to say of any cell.
    pub(super) fn is_empty(&self) -> bool {
        self.cells.is_empty()
            && self.same.is_empty()
            && self.counts.is_empty()
            && self.lost.is_empty()
            && self.unmatched.is_empty()
    }

    /// Whether no cell is in both, and each is missing in one of them for a reason of its own.
    pub fn has_nothing_in_common(&self) -> bool {
        let is_bare = self.cells.is_empty() && self.same.is_empty() && self.counts.is_empty() && self.lost.is_empty();
        is_bare && self.refused.is_none() && self.unmatched.iter().all(|other| !other.missed && !other.wrong_output)
    }

    pub(super) fn new(title: String, threshold: Share) -> Self {
        Self {
            title,
            threshold,
            refused: None,
            cells: Vec::new(),
            same: Vec::new(),
            counts: Vec::new(),
            lost: Vec::new(),
            unmatched: Vec::new(),
            notes: Vec::new(),
            must_resolve: false,
            slower: 0,
            faster: 0,
        }
    }

    /// Takes the cells that changed, each with the logarithm of its ratio.
    pub(super) fn judge(&mut self, changed: Vec<(&Record, Effect)>) {
        self.cells = judged(changed, self.threshold);
        let count = |test: fn(&Compared) -> bool| self.cells.iter().filter(|compared| test(compared)).count();
        (self.slower, self.faster) = (count(Compared::is_slower), count(Compared::is_faster));
    }

    /// The largest slowdown, as a share, that the cells not called slower may still hide; below 0 where they are faster.
    pub fn could_hide(&self) -> f64 {
        let calm = self.cells.iter().filter(|compared| !compared.is_slower());
        calm.map(Compared::slower_at_most).fold(f64::NEG_INFINITY, f64::max)
    }

    /// What it comes to.
    pub fn finding(&self) -> Finding {
        let calm = !self.same.iter().any(Compared::differs);
        let nothing =
            self.cells.is_empty() && self.counts.is_empty() && self.lost.is_empty() && (self.same.is_empty() || !calm);
        if self.lost.iter().any(|lost| lost.wrong_output) || self.unmatched.iter().any(|other| other.wrong_output) {
            Finding::WrongOutput
        } else if self.slower > 0 || self.counts.iter().any(Compared::is_slower) {
            Finding::Slower
        } else if self.refused.is_some() || nothing {
            Finding::Nothing
        } else if !self.lost.is_empty()
            || self.unmatched.iter().any(|unmatched| unmatched.missed)
            || (self.must_resolve && self.could_hide() > self.threshold.0)
        {
            Finding::Partial
        } else {
            Finding::Fine
        }
    }
}

/// One family of comparisons, worst first.
pub(super) fn judged(family: Vec<(&Record, Effect)>, threshold: Share) -> Vec<Compared> {
    let (records, effects): (Vec<_>, Vec<_>) = family.into_iter().unzip();
    let comparisons = Comparison::beyond(&effects, threshold.0);
    let compared = |(record, (comparison, ratio))| Compared::new(record, ratio, comparison);
    worst_first(records.into_iter().zip(comparisons).map(compared).collect())
}

/// Those that are slower first, those that are faster last.
pub(crate) fn worst_first(mut all: Vec<Compared>) -> Vec<Compared> {
    let place = |one: &Compared| (!one.is_slower(), one.is_faster());
    all.sort_by(|a, b| place(a).cmp(&place(b)).then(b.ratio.mid.total_cmp(&a.ratio.mid)));
    all
}

impl Lost {
    pub(crate) fn new(record: &Record, why: String) -> Self {
        Self { id: record.id, cell: record.cell.clone(), why, wrong_output: record.outcome.is_wrong() }
    }
}

impl Unmatched {
    pub(super) fn new(record: &Record, why: String, missed: bool) -> Self {
        Self { id: record.id, cell: record.cell.clone(), why, missed, wrong_output: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use crate::regression::found::Found;
    use crate::regression::sentences;
    use ciphermeter_core::{Algorithm, Operation, Outcome};

    #[test]
    fn output_that_is_wrong_on_both_sides_is_wrong() {
        let made = [fixtures::cell("core", Algorithm::Aes256Gcm, Operation::Seal, 64, 1.0)];
        let mut record = fixtures::records(&made, 1).remove(0);
        record.outcome = Outcome::WrongOutput { why: "no two agree".into() };
        let mut verdict = Verdict::new("old and new".into(), Share(0.003));
        let found = Found::unmeasured(&record, &record, ["neither", "only now"]).unwrap();
        assert!(verdict.take([&record, &record], found).is_none());
        assert_eq!(verdict.finding(), Finding::WrongOutput);
        let said = sentences(&verdict).join(" ");
        assert!(said.starts_with("Wrong output in 1 cell") && said.contains("no two agree"), "{said}");
    }

    #[test]
    fn counts_are_the_same_only_where_every_fork_counted_the_same() {
        let made = [fixtures::cell("core", Algorithm::Aes256Gcm, Operation::Seal, 64, 1.0)];
        let record = &fixtures::records(&made, 1)[0];
        let is_same = |mid, range| {
            let ratio = Ratio::new(mid, Some(range));
            Compared::new(record, ratio, Comparison::of_counts(ratio, 0.05)).is_same()
        };
        assert!(is_same(1.0, (1.0, 1.0)));
        assert!(!is_same(1.0, (0.71, 1.0)) && !is_same(1.01, (1.01, 1.01)));
    }
}
