//! A sentence from the other end for this end's user, such as why an attempt ended. Its length is bounded, and it is
//! shown without control characters.

use std::fmt;

use ciphermeter_core::escaped;
use serde::{Deserialize, Serialize};

/// The most characters that are kept of a sentence from the other end.
pub const MAX_SENTENCE: usize = 400;

/// A sentence from the other end: cut to [`MAX_SENTENCE`] characters, and shown by [`escaped`] with as many at most.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Sentence(String);

impl<T: AsRef<str>> From<T> for Sentence {
    fn from(text: T) -> Self {
        Self(text.as_ref().chars().take(MAX_SENTENCE).collect())
    }
}

impl From<Sentence> for String {
    fn from(sentence: Sentence) -> Self {
        sentence.0
    }
}

impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = escaped(&self.0);
        match shown.char_indices().nth(MAX_SENTENCE) {
            None => f.write_str(&shown),
            Some((end, _)) => write!(f, "{}…", &shown[..end]),
        }
    }
}
