//! A new version of a library beside an older one, measured in the same rounds.

use ciphermeter_answer::Answer;
use ciphermeter_core::{Record, Run};

use super::kind::{Pictures, ShownKind};
use super::messages;

/// Versions of libraries.
pub(crate) struct Versions;

impl ShownKind for Versions {
    fn pictures<'a>(&self, run: &'a Run, records: &'a [Record], answer: &'a Answer) -> Pictures<'a> {
        messages::pictures(run, records, answer)
    }

    fn basis(&self, _answer: &Answer) -> String {
        String::new()
    }
}
