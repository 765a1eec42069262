//! A series recorded during a transfer, as JSON text: an array of integers.
//!
//! Stored text may contain anything, so its length and numbers are checked.

use ciphermeter_core::{MAX_INTEGER, Series};

/// # Errors
/// What is wrong with the text, in a few words.
pub(crate) fn from_text(text: &str) -> Result<Vec<u64>, String> {
    let entries: Vec<u64> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if entries.len() > Series::MOST {
        return Err(format!("more than {} entries", Series::MOST));
    }
    match entries.iter().all(|entry| *entry <= MAX_INTEGER) {
        true => Ok(entries),
        false => Err("an entry above 2^53-1".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,100}") {
            let _ = from_text(&text);
        }
    }

    #[test]
    fn impossible_text_is_refused() {
        assert_eq!(from_text("[1,2]"), Ok(vec![1, 2]));
        for (text, why) in [
            ("[9007199254740992]", "above 2^53-1"),
            ("[-1]", "invalid value"),
            ("{}", "invalid type"),
            (&format!("[{}]", vec!["0"; 1001].join(",")), "more than 1000"),
        ] {
            let error = from_text(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
