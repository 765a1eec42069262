//! A statement of a paper that records can decide, with the tolerance that decides it.

use ciphermeter_core::{Algorithm, Bytes, Cell, Form, Mask, Operation};
use serde::Deserialize;

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
    /// What no record of this machine can show, and what it would take; then there is nothing else to judge.
    #[serde(default)]
    pub needs: Option<String>,
    /// The measurement that decides it, by its scenario's name.
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
    /// What is expected of each pair.
    #[serde(default)]
    pub expect: Option<Expectation>,
}

/// Which cells.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pick {
    /// The library; absent: any.
    #[serde(default)]
    pub provider: Option<String>,
    /// The algorithm; absent: any.
    #[serde(default)]
    pub algorithm: Option<Algorithm>,
    /// The operation; absent: any.
    #[serde(default)]
    pub operation: Option<Operation>,
    /// Where the output goes; absent: any.
    #[serde(default)]
    pub form: Option<Form>,
    /// The sizes of messages; empty: all.
    #[serde(default)]
    pub messages: Vec<Bytes>,
    /// How many threads; absent: any.
    #[serde(default)]
    pub threads: Option<u64>,
}

/// What is expected of each pair of cells.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Expectation {
    /// The left one takes less time.
    Faster,
    /// The right one takes so many times the left one's time.
    TimeRatio {
        /// The published ratio.
        published: f64,
        /// How far a measured ratio may be off, as a share of it: ×(1 + tolerance) or ÷(1 + tolerance).
        tolerance: f64,
    },
    /// The right one needs so many times the left one's memory at its peak.
    MemoryRatio {
        /// The published ratio.
        published: f64,
        /// As above.
        tolerance: f64,
    },
}

impl Pick {
    pub(crate) fn takes(&self, cell: &Cell) -> bool {
        self.provider.as_ref().is_none_or(|provider| *provider == cell.provider)
            && self.algorithm.is_none_or(|algorithm| algorithm == cell.algorithm)
            && self.operation.is_none_or(|operation| operation == cell.operation)
            && self.form.is_none_or(|form| form == cell.form)
            && (self.messages.is_empty() || self.messages.iter().any(|size| size.0 == cell.parameters.message()))
            && self.threads.is_none_or(|threads| threads == cell.parameters.threads())
    }
}

impl Claim {
    /// What is wrong with it, if anything.
    pub(crate) fn error(&self) -> Option<String> {
        let parts = [self.scenario.is_some(), self.left.is_some(), self.right.is_some(), self.expect.is_some()];
        match &self.needs {
            Some(_) if parts.contains(&true) => {
                return Some("it needs what is not here, so it names no records".into());
            }
            Some(_) => return None,
            None => {}
        }
        if parts.contains(&false) {
            return Some("it names no record: give scenario, left, right and expect, or needs".into());
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
