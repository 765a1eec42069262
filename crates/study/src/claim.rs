//! A statement of a paper that records can decide, with the tolerance that decides it.

use ciphermeter_core::{Mask, Run};
use serde::{Deserialize, Serialize};

use crate::published::Published;
use crate::question::{Expectation, Pick, Question, Way};

/// A claim, in our words.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Its name within the study.
    pub id: String,
    /// Where the paper says it.
    pub source: String,
    /// What the paper says.
    pub says: String,
    /// What a reader should know about the test: how it differs from the paper's.
    #[serde(default)]
    pub note: Option<String>,
    /// What the claim presupposes; where it isn't so, the claim does not apply.
    #[serde(default)]
    pub given: Option<Given>,
    /// Why no record of one machine can decide it.
    #[serde(default)]
    pub inapplicable: Option<String>,
    /// What the comparison as published takes that few machines have, and what to do with it. Without a comparison, no record decides it.
    #[serde(default)]
    pub needs: Option<String>,
    /// The measurement that decides it as published, by its scenario's name.
    #[serde(default)]
    pub scenario: Option<String>,
    /// The CPU's instructions that are disabled for it.
    #[serde(default)]
    pub cpu: Option<Mask>,
    /// Cells of the first kind.
    #[serde(default)]
    pub left: Option<Pick>,
    /// Cells of the second kind: each is compared with the left one that shares everything that neither pick fixes.
    #[serde(default)]
    pub right: Option<Pick>,
    /// What is expected of each pair, in both ways.
    #[serde(default)]
    pub expect: Option<Expectation>,
    /// Cells of the study's tables from which its own ratios follow.
    #[serde(default)]
    pub published: Vec<Published>,
    /// The same question without the method's fault.
    #[serde(default)]
    pub proper: Option<Proper>,
}

/// What a claim presupposes of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Given {
    /// Its CPU has AES instructions.
    AesInstructions,
}

impl Given {
    /// Why it isn't given on the machine of a run; `None` where it is, or where the run does not know.
    pub fn lacks(self, run: &Run) -> Option<&'static str> {
        match self {
            Self::AesInstructions => (!run.has_aes()?).then_some("the CPU has no AES instructions"),
        }
    }
}

/// A claim's question, asked as it should be.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proper {
    /// What is done otherwise, in our words.
    pub says: String,
    /// As in the claim.
    #[serde(default)]
    pub needs: Option<String>,
    /// As in the claim.
    #[serde(default)]
    pub scenario: Option<String>,
    /// As in the claim.
    #[serde(default)]
    pub cpu: Option<Mask>,
    /// As in the claim.
    #[serde(default)]
    pub left: Option<Pick>,
    /// As in the claim.
    #[serde(default)]
    pub right: Option<Pick>,
}

impl Claim {
    /// What decides it in one way; `None` where nothing does.
    pub fn question(&self, way: Way) -> Option<Question<'_>> {
        let (scenario, cpu, left, right) = match way {
            Way::AsPublished => (&self.scenario, self.cpu, &self.left, &self.right),
            Way::Proper => {
                let proper = self.proper.as_ref()?;
                (&proper.scenario, proper.cpu, &proper.left, &proper.right)
            }
        };
        let (left, right) = (left.as_ref()?, right.as_ref()?);
        Some(Question { scenario: scenario.as_deref()?, cpu, left, right, expect: self.expect? })
    }

    /// What it takes in one way that few machines have.
    pub fn needs(&self, way: Way) -> Option<&str> {
        match way {
            Way::AsPublished => self.needs.as_deref(),
            Way::Proper => self.proper.as_ref()?.needs.as_deref(),
        }
    }

    /// What is wrong with it, if anything.
    pub(crate) fn error(&self) -> Option<String> {
        let parts = [self.scenario.is_some(), self.left.is_some(), self.right.is_some()];
        let (names_all, names_some) = (!parts.contains(&false), parts.contains(&true) || self.cpu.is_some());
        if self.inapplicable.is_some() {
            let asks = names_some || self.expect.is_some() || self.proper.is_some() || self.needs.is_some();
            return asks.then(|| "no record can decide it, so it asks nothing of records".into());
        }
        if !names_all && (names_some || self.needs.is_none()) {
            return Some("it names no record: give scenario, left, right and expect, or needs".into());
        }
        if self.expect.is_some() != (names_all || self.proper.is_some()) {
            return Some("records and what is expected of them go together: give both or neither".into());
        }
        if Way::ALL.into_iter().filter_map(|way| self.needs(way)).any(|needs| needs.trim().is_empty()) {
            return Some("its `needs` is empty: say what few machines have, or leave it out".into());
        }
        if self.says.trim().is_empty() || self.source.trim().is_empty() {
            return Some("it says nothing, or not where: give says and source".into());
        }
        let same_sides = |question: Question<'_>| {
            sorted(question.left) == sorted(question.right) && !matches!(question.expect, Expectation::Falls { .. })
        };
        if Way::ALL.into_iter().filter_map(|way| self.question(way)).any(same_sides) {
            return Some("its left and right are the same cells".into());
        }
        // Several sizes are compared one by one, which takes the same ones on both sides.
        let several = |question: Question<'_>| {
            let [left, right] = [question.left, question.right].map(|pick| sorted(pick).messages);
            left != right && left.len().max(right.len()) > 1 && !left.is_empty() && !right.is_empty()
        };
        if Way::ALL.into_iter().filter_map(|way| self.question(way)).any(several) {
            return Some("several sizes are compared one by one: name the same in left and right".into());
        }
        if self.proper.is_some() && self.question(Way::Proper).is_none() {
            return Some(
                "its proper comparison names no record: give it scenario, left and right, and the claim expect".into(),
            );
        }
        if self.question(Way::Proper).is_some() && self.question(Way::Proper) == self.question(Way::AsPublished) {
            return Some("its proper comparison is the published one; leave it out".into());
        }
        let is_wrong = |(published, tolerance): (f64, f64)| {
            !(published.is_finite() && published > 0.0 && (0.0..=1.0).contains(&tolerance))
        };
        match self.expect {
            Some(Expectation::Falls { least }) if !(least.is_finite() && least > 1.0) => {
                Some("a fall is by a factor above 1".into())
            }
            Some(expect) if expect.stated().is_some_and(is_wrong) => {
                Some("a published ratio is above 0, and a tolerance from 0 to 1".into())
            }
            _ => None,
        }
    }
}

/// With its sizes in order, each once: named otherwise, they are the same.
fn sorted(pick: &Pick) -> Pick {
    let mut pick = pick.clone();
    pick.messages.sort();
    pick.messages.dedup();
    pick
}
