//! The single calls of one cell in one fork as JSON text: `{"ns":[71,72,105],"calls":[940,52,8]}`, lengths ascending.
//!
//! Stored text may contain anything, so its lengths and numbers are checked.

use ciphermeter_core::{Histogram, MAX_INTEGER};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    ns: Vec<u64>,
    calls: Vec<u64>,
}

pub(crate) fn to_text(histogram: &Histogram) -> serde_json::Result<String> {
    let (ns, calls) = histogram.iter().unzip();
    serde_json::to_string(&Text { ns, calls })
}

/// # Errors
/// What is wrong with the text, in a few words.
pub(crate) fn from_text(text: &str) -> Result<Histogram, String> {
    let Text { ns, calls } = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if ns.len() != calls.len() {
        return Err("its arrays differ in length".into());
    }
    if ns.iter().chain(&calls).any(|number| *number > MAX_INTEGER) {
        return Err("a number above 2^53-1".into());
    }
    let mut histogram = Histogram::default();
    ns.into_iter().zip(calls).for_each(|(ns, calls)| histogram.add_many(ns, calls));
    Ok(histogram)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn calls_read_back_as_written(lengths in proptest::collection::vec(0..=MAX_INTEGER, 0..50)) {
            let mut histogram = Histogram::default();
            lengths.into_iter().for_each(|ns| histogram.add(ns));
            prop_assert_eq!(from_text(&to_text(&histogram).unwrap()), Ok(histogram));
        }

        #[test]
        fn no_text_panics(text in ".{0,100}") {
            let _ = from_text(&text);
        }
    }

    #[test]
    fn impossible_text_is_refused() {
        for (text, why) in [
            (r#"{"ns":[1],"calls":[]}"#, "differ in length"),
            (r#"{"ns":[9007199254740992],"calls":[1]}"#, "above 2^53-1"),
            (r#"{"ns":[-1],"calls":[1]}"#, "invalid value"),
            (r#"{"ns":[1]}"#, "missing field"),
        ] {
            let error = from_text(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
