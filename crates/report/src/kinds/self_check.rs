//! Copies of one library: what the instrument finds where the truth is known.

use ciphermeter_answer::Answer;
use ciphermeter_core::{Record, Run};
use ciphermeter_stats::LEAST_FORKS;

use super::kind::{Pictures, ShownKind};
use super::messages;

/// Self-checks.
pub(crate) struct SelfChecks;

impl ShownKind for SelfChecks {
    fn pictures<'a>(&self, run: &'a Run, records: &'a [Record], answer: &'a Answer) -> Pictures<'a> {
        messages::pictures(run, records, answer)
    }

    fn basis(&self, _answer: &Answer) -> String {
        format!("A figure takes {LEAST_FORKS} undisturbed forks.")
    }
}
