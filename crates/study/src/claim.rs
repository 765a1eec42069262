//! A statement of a paper that records can decide, with the tolerance that decides it.

use ciphermeter_core::Mask;
use serde::Deserialize;

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
    /// What the comparison as published takes that is not here; then no record decides it.
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

/// A claim's question, asked as it should be.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proper {
    /// What is done otherwise, in our words.
    pub says: String,
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

    /// What is wrong with it, if anything.
    pub(crate) fn error(&self) -> Option<String> {
        let parts = [self.scenario.is_some(), self.left.is_some(), self.right.is_some()];
        if self.needs.is_some() && (parts.contains(&true) || self.cpu.is_some()) {
            return Some("it needs what is not here, so it names no records".into());
        }
        if self.needs.is_some() && self.expect.is_some() && self.proper.is_none() {
            return Some("it needs what is not here, so nothing is expected of records".into());
        }
        if self.needs.is_none() && (parts.contains(&false) || self.expect.is_none()) {
            return Some("it names no record: give scenario, left, right and expect, or needs".into());
        }
        if self.proper.is_some() && self.question(Way::Proper).is_none() {
            return Some(
                "its proper comparison names no record: give it scenario, left and right, and the claim expect".into(),
            );
        }
        if self.question(Way::Proper).is_some() && self.question(Way::Proper) == self.question(Way::AsPublished) {
            return Some("its proper comparison is the published one; leave it out".into());
        }
        match self.expect {
            Some(
                Expectation::TimeRatio { published, tolerance } | Expectation::MemoryRatio { published, tolerance },
            ) if !(published.is_finite() && published > 0.0 && (0.0..=2.0).contains(&tolerance)) => {
                Some("a published ratio is above 0, and a tolerance from 0 to 2".into())
            }
            _ => None,
        }
    }
}
