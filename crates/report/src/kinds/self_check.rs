//! Copies of one library: what the instrument finds where the truth is known.

use ciphermeter_answer::self_check::{SelfCheck, self_check};
use ciphermeter_answer::{About, Answer};
use ciphermeter_core::{Record, Run};
use ciphermeter_stats::LEAST_FORKS;

use super::kind::{Pictures, ShownKind};
use super::messages;

/// Self-checks.
pub(crate) struct SelfChecks;

impl ShownKind for SelfChecks {
    fn answer(&self, run: &Run, records: &[Record]) -> Answer {
        let groups = self_check(run, records);
        let question = "Does the instrument find what is true?".into();
        let open = Answer::open(run, records, question, SelfCheck::is_answered(&groups));
        Answer { sentences: vec![SelfCheck::sum(&groups)], about: Some(About::SelfCheck { groups }), ..open }
    }

    fn pictures<'a>(&self, run: &'a Run, records: &'a [Record], answer: &'a Answer) -> Pictures<'a> {
        messages::pictures(run, records, answer)
    }

    fn basis(&self, _answer: &Answer) -> String {
        format!("A figure takes {LEAST_FORKS} undisturbed forks.")
    }
}
