//! One value of a row, checked against its type's limits.
//!
//! A store may be anyone's, and what it says is shown in many places: so all text in it is escaped here, where it is read,
//! whether a column has it or a string within its JSON. What Ciphermeter stores is escaped already, and stays as it is.

use std::str::FromStr;

use ciphermeter_core::{MAX_INTEGER, UnknownWord, taken_in};
use rusqlite::Row;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What is wrong with a row, in words; the caller adds the place.
pub(crate) type Checked<T> = std::result::Result<T, String>;

pub(crate) fn text(row: &Row, column: usize) -> Checked<String> {
    numbers(row, column).map(|text| taken_in(&text))
}

pub(crate) fn maybe_text(row: &Row, column: usize) -> Checked<Option<String>> {
    let text: Option<String> = row.get(column).map_err(|error| error.to_string())?;
    Ok(text.as_deref().map(taken_in))
}

/// JSON of which only numbers are taken, unread.
pub(crate) fn numbers(row: &Row, column: usize) -> Checked<String> {
    row.get(column).map_err(|error| error.to_string())
}

/// An integer within the type's range and below 2⁵³.
pub(crate) fn number<T: TryFrom<i64>>(row: &Row, column: usize) -> Checked<T> {
    within(row.get(column).map_err(|error| error.to_string())?)
}

pub(crate) fn maybe_number<T: TryFrom<i64>>(row: &Row, column: usize) -> Checked<Option<T>> {
    let value: Option<i64> = row.get(column).map_err(|error| error.to_string())?;
    value.map(within).transpose()
}

fn within<T: TryFrom<i64>>(value: i64) -> Checked<T> {
    let fits = value.unsigned_abs() <= MAX_INTEGER;
    T::try_from(value).ok().filter(|_| fits).ok_or_else(|| format!("{value} is out of range"))
}

pub(crate) fn word<T: FromStr<Err = UnknownWord>>(row: &Row, column: usize) -> Checked<T> {
    text(row, column)?.parse().map_err(|error: UnknownWord| shortened(&error.to_string()))
}

pub(crate) fn maybe_word<T: FromStr<Err = UnknownWord>>(row: &Row, column: usize) -> Checked<Option<T>> {
    maybe_text(row, column)?
        .map(|text| text.parse().map_err(|error: UnknownWord| shortened(&error.to_string())))
        .transpose()
}

pub(crate) fn maybe<T: DeserializeOwned>(row: &Row, column: usize) -> Checked<Option<T>> {
    let text: Option<String> = row.get(column).map_err(|error| error.to_string())?;
    text.as_deref().map(parsed).transpose()
}

/// An error may quote the text, however long that is.
fn shortened(error: &str) -> String {
    error.chars().take(200).collect()
}

pub(crate) fn json<T: DeserializeOwned>(row: &Row, column: usize) -> Checked<T> {
    parsed(&numbers(row, column)?)
}

fn parsed<T: DeserializeOwned>(text: &str) -> Checked<T> {
    let value = serde_json::from_str(text).map(all_taken_in);
    value.and_then(serde_json::from_value).map_err(|error| shortened(&error.to_string()))
}

/// The value with all of its text.
fn all_taken_in(value: Value) -> Value {
    match value {
        Value::String(text) => taken_in(&text).into(),
        Value::Array(all) => all.into_iter().map(all_taken_in).collect(),
        Value::Object(all) => all.into_iter().map(|(name, value)| (taken_in(&name), all_taken_in(value))).collect(),
        plain => plain,
    }
}
