//! A new version of a library beside an older one, measured in the same rounds.

use ciphermeter_answer::Answer;

use super::kind::ShownKind;

/// Versions of libraries.
pub(crate) struct Versions;

impl ShownKind for Versions {
    fn basis(&self, _answer: &Answer) -> String {
        String::new()
    }
}
