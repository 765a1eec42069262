//! What an advice decides, as data: the verdict, and all that it is made of.

use serde::Serialize;

use super::decision::Decision;
use super::entries::Wrong;
use super::lacking::Lacking;
use super::outcome::Outcome;

/// The decision with what it is made of.
#[derive(Debug, Clone, Serialize)]
pub struct Decided {
    /// The verdict.
    #[serde(flatten)]
    pub decision: Decision,
    /// Why there is none, and what to try, a sentence each.
    pub undecided: Vec<String>,
    /// Ciphers that are left out, as some of their output was wrong.
    pub wrong_output: Vec<Wrong>,
    /// Who was compared, over all and by size.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Sizes that were asked for and are not in it.
    pub not_compared: Vec<Lacking>,
}
