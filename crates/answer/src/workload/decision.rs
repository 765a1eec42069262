//! The decision, with its sentences.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, escaped};
use serde::Serialize;

use super::choice::{Is, Margin, Verdict};
use super::entries::Wrong;
use super::outcome::{Outcome, Shorter};
use super::question::Question;
use super::reach::Reach;

/// The decision; what it does not have is `None` or empty.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Decision {
    /// The sort of answer.
    #[serde(rename = "verdict")]
    pub is: Is,
    /// In sentences, the first of them what to do.
    #[serde(skip)]
    pub sentences: Vec<String>,
    /// The cipher to use.
    pub algorithm: Option<Algorithm>,
    /// Libraries from which it may be the fastest.
    pub providers: Vec<String>,
    /// Over the best of another cipher.
    pub lead: Option<Margin>,
    /// Where that is the least, and where the most.
    pub by_size: Option<Reach>,
    /// The same over the same cipher of its own library, where the best is another's.
    pub within_library: Option<Margin>,
    /// A cipher with a shorter key that is ahead of all.
    pub shorter_key: Option<Shorter>,
    /// Of ciphers that are equal, or not told apart: by how much they differ at most, as a
    /// fraction.
    pub at_most: Option<f64>,
    /// These ciphers; of an answer, others of its kind that may be as fast.
    pub among: Vec<Algorithm>,
}

impl Decision {
    pub(super) fn of(question: &Question, outcome: &Outcome, wrong: &[Wrong]) -> Self {
        let sentences = question.sentences(outcome, wrong);
        let base = Self { sentences, shorter_key: outcome.shorter.clone(), ..Self::default() };
        if outcome.is_alone {
            return Self { is: Is::Alone, ..base };
        }
        if !outcome.without.is_empty() {
            return base;
        }
        let listed = |among: &BTreeSet<Algorithm>| among.iter().copied().collect();
        match &outcome.verdict {
            Verdict::Use { algorithm, also, lead } => Self {
                is: Is::Use,
                algorithm: Some(*algorithm),
                among: listed(also),
                providers: outcome.providers.clone(),
                lead: lead.clone(),
                by_size: outcome.reach,
                within_library: outcome.within.clone(),
                ..base
            },
            Verdict::Bound { algorithm, lead } => {
                let other = lead.as_ref().map(|lead| lead.algorithm);
                Self { among: [*algorithm].into_iter().chain(other).collect(), ..base }
            }
            Verdict::ByOperation { among } => Self { is: Is::ByOperation, among: listed(among), ..base },
            Verdict::BySize { among } => Self { is: Is::BySize, among: listed(among), ..base },
            Verdict::Equal { among, at_most } => {
                Self { is: Is::Equal, among: listed(among), at_most: Some(*at_most), ..base }
            }
            Verdict::Unknown { among, at_most } => Self { among: listed(among), at_most: *at_most, ..base },
        }
    }

    /// Where nothing can be compared.
    pub(super) fn without_figures(is_all_wrong: bool, question: &Question) -> Self {
        let none = match is_all_wrong {
            true => "No answer: all output was wrong.",
            false => "No answer: the run has no figures for this.",
        };
        let sentences = vec![none.into(), format!("Measure it: {}", escaped(question.measure))];
        Self { sentences, ..Self::default() }
    }
}
