//! A new version of a library beside an older one, measured in the same rounds.

use ciphermeter_answer::regression::{against, sentences};
use ciphermeter_answer::{About, Answer};
use ciphermeter_core::{Record, Run};

use super::kind::{Pictures, ShownKind};
use super::messages;

/// Versions of libraries.
pub(crate) struct Versions;

impl ShownKind for Versions {
    fn answer(&self, run: &Run, records: &[Record]) -> Answer {
        let Some(verdict) = against(run, records) else { return messages::answer(run, records) };
        let open = Answer::open(run, records, "Is the new one slower?".into(), !verdict.cells.is_empty());
        Answer { sentences: sentences(&verdict), about: Some(About::Regression(Box::new(verdict))), ..open }
    }

    fn pictures<'a>(&self, run: &'a Run, records: &'a [Record], answer: &'a Answer) -> Pictures<'a> {
        messages::pictures(run, records, answer)
    }

    fn basis(&self, _answer: &Answer) -> String {
        String::new()
    }
}
