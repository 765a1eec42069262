//! Copies of one library: what the instrument finds where the truth is known.

use ciphermeter_answer::Answer;
use ciphermeter_stats::LEAST_FORKS;

use super::kind::ShownKind;

/// Self-checks.
pub(crate) struct SelfChecks;

impl ShownKind for SelfChecks {
    fn basis(&self, _answer: &Answer) -> String {
        format!("A figure takes {LEAST_FORKS} undisturbed forks.")
    }
}
