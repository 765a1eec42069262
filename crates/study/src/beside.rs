//! A claim's ratios side by side: what the study's tables print, and what was measured here.

use ciphermeter_core::Cell;

use crate::claim::Claim;
use crate::judge::{Judgement, Missing, Pair};
use crate::published::{PrintedRatio, Published};
use crate::question::Way;
use crate::table::Table;
use crate::verdict::Verdict;
use crate::words::why_missing;

/// A ratio of the study, of this machine, or of both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<'a> {
    /// The study's, with the cells that it follows from.
    pub published: Option<(&'a Published, PrintedRatio)>,
    /// This machine's.
    pub here: Option<&'a Pair>,
}

/// The ratios of a claim in one way, those of pairs here first, in the order of library, form, operation and size. A pair that has no
/// figure yet has its row; one that a library does not have has none, but where the study has a number for it.
pub fn rows<'a>(claim: &'a Claim, way: Way, tables: &[Table], judgement: &'a Judgement) -> Vec<Row<'a>> {
    let published: &[Published] = if way == Way::AsPublished { &claim.published } else { &[] };
    let printed = |one: &'a Published| Some((one, one.ratio(tables).ok()?));
    let is_there = |pair: &&Pair| {
        pair.missing != Some(Missing::Unsupported) || published.iter().any(|one| one.stands_beside(pair))
    };
    let mut pairs: Vec<&Pair> = judgement.pairs.iter().filter(is_there).collect();
    pairs.sort_by_key(|pair| order(&pair.left));
    let measured = pairs.iter().map(|pair| Row {
        published: published.iter().find(|one| one.stands_beside(pair)).and_then(printed),
        here: Some(*pair),
    });
    let alone = published.iter().filter(|one| !pairs.iter().any(|pair| one.stands_beside(pair)));
    let alone = alone.filter_map(|one| Some(Row { published: Some(printed(one)?), here: None }));
    measured.chain(alone).collect()
}

fn order(cell: &Cell) -> (&str, &str, &str, u64) {
    (&cell.provider, cell.form.as_str(), cell.operation.as_str(), cell.parameters.message())
}

impl Row<'_> {
    /// Why this machine has no figure, in words; `None` where it has one.
    pub(crate) fn why_missing(&self, judgement: &Judgement) -> Option<String> {
        match (self.here, self.published) {
            (Some(pair), _) => pair.missing.map(why_missing),
            (None, _) if judgement.verdict == Verdict::NotTested => Some(Verdict::NotTested.short().into()),
            (None, Some((Published { here: None, .. }, _))) => Some("no counterpart".into()),
            (None, _) => Some(Verdict::NotMeasured.short().into()),
        }
    }
}

impl Published {
    fn stands_beside(&self, pair: &Pair) -> bool {
        self.here.as_ref().is_some_and(|here| here.is_like(&pair.left) && here.is_like(&pair.right))
    }
}
