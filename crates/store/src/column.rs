//! One value of a row, checked against its type's limits.

use std::str::FromStr;

use ciphermeter_core::{MAX_INTEGER, UnknownWord};
use rusqlite::Row;
use serde::de::DeserializeOwned;

/// What is wrong with a row, in words; the caller adds the place.
pub(crate) type Checked<T> = std::result::Result<T, String>;

pub(crate) fn text(row: &Row, column: usize) -> Checked<String> {
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
    let text: Option<String> = row.get(column).map_err(|error| error.to_string())?;
    text.map(|text| text.parse().map_err(|error: UnknownWord| shortened(&error.to_string()))).transpose()
}

pub(crate) fn maybe<T: DeserializeOwned>(row: &Row, column: usize) -> Checked<Option<T>> {
    let text: Option<String> = row.get(column).map_err(|error| error.to_string())?;
    text.as_deref().map(json).transpose()
}

/// An error may quote the text, however long that is.
fn shortened(error: &str) -> String {
    error.chars().take(200).collect()
}

pub(crate) fn json<T: DeserializeOwned>(text: &str) -> Checked<T> {
    serde_json::from_str(text).map_err(|error| shortened(&error.to_string()))
}
