//! A part of the document is read by itself, so that an error has its place, and no more than the
//! part is in memory twice.

use serde::Deserialize;

use crate::error::Wrong;
use crate::place;

/// Reads JSON as `T`.
pub(crate) fn part<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Wrong> {
    serde_json::from_str(text)
        .map_err(|error| Wrong::new(place::path(text, &error), format!("cannot be read: {}", words(&error))))
}

/// What the parser says, without line and column.
pub(crate) fn words(error: &serde_json::Error) -> String {
    let (words, place) = (error.to_string(), format!(" at line {} column {}", error.line(), error.column()));
    words.strip_suffix(&place).map(str::to_owned).unwrap_or(words)
}
