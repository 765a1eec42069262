//! A sentence from the other end for this end's user, such as why an attempt ended. Its length is bounded, and it is
//! shown in quotation marks, without control characters.

use std::fmt;

use ciphermeter_core::in_quotes;
use serde::{Deserialize, Serialize};

/// The most characters that are kept of a sentence from the other end.
pub const MAX_SENTENCE: usize = 400;

/// A sentence from the other end: cut to [`MAX_SENTENCE`] characters, and shown in quotation marks, with as many between them
/// at most: so no part of it can pass for a sentence of this end. Nor can one for a command that this end proposes, as those stand
/// between backticks, which show as apostrophes.
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
        let shown = in_quotes(&self.0.replace('`', "'"));
        // The first quotation mark is one character more.
        match shown.char_indices().nth(MAX_SENTENCE + 1) {
            Some((end, _)) if end + 1 < shown.len() => write!(f, "{}…\"", &shown[..end]),
            _ => f.write_str(&shown),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_other_end_do_not_pass_for_ours() {
        let posed = Sentence::from("`touch /tmp/x` resumes it; \"so\u{1b}[2J\"").to_string();
        assert_eq!(posed, r#""'touch /tmp/x' resumes it; \"so\u{1b}[2J\"""#);
    }

    #[test]
    fn cut_one_has_both_marks() {
        let shown = |text: &str| Sentence::from(text).to_string();
        let full = "x".repeat(MAX_SENTENCE);
        assert_eq!(shown(&full), format!("\"{full}\""));
        assert_eq!(shown(&format!("{full}y")), format!("\"{full}\""));
        let longer = format!("{}\"\"", "x".repeat(MAX_SENTENCE - 3));
        assert_eq!(shown(&longer), format!("\"{}\\\"\\…\"", "x".repeat(MAX_SENTENCE - 3)));
    }
}
