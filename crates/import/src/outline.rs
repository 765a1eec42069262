//! The parts of the document, each still unread.

use ciphermeter_core::most;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::error::{ImportError, said};
use crate::objects::List;
use crate::part::{part, words};
use crate::place;
use crate::schema::SCHEMA;

#[derive(Deserialize)]
struct Parts<'a> {
    #[serde(borrow)]
    schema: Option<&'a RawValue>,
    #[serde(borrow)]
    ciphermeter: Option<&'a RawValue>,
    #[serde(borrow)]
    run: Option<&'a RawValue>,
    #[serde(borrow)]
    host: Option<&'a RawValue>,
    #[serde(borrow)]
    records: Option<&'a RawValue>,
}

/// An export of this schema.
pub(crate) struct Outline<'a> {
    pub(crate) ciphermeter: &'a str,
    pub(crate) run: &'a str,
    pub(crate) host: &'a str,
    records: &'a str,
}

impl<'a> Outline<'a> {
    pub(crate) fn of(document: &'a [u8]) -> Result<Self, ImportError> {
        if document.len() > most::DOCUMENT {
            return Err(ImportError::TooLong);
        }
        let text = str::from_utf8(document).map_err(|error| ImportError::NotJson(error.to_string()))?;
        if !text.trim_start().starts_with('{') {
            let other = serde_json::from_str::<IgnoredAny>(text);
            return Err(other.map_or_else(|error| not_json(text, &error), |_| ImportError::NoExport("records")));
        }
        let parts: Parts = serde_json::from_str(text).map_err(|error| not_json(text, &error))?;
        let there = |name, part: Option<&'a RawValue>| part.map(RawValue::get).ok_or(ImportError::NoExport(name));
        let outline = Self {
            ciphermeter: there("ciphermeter", parts.ciphermeter)?,
            run: there("run", parts.run)?,
            host: there("host", parts.host)?,
            records: there("records", parts.records)?,
        };
        match parts.schema.map(RawValue::get) {
            None | Some("1") => Err(ImportError::FirstSchema),
            Some(schema) if schema == SCHEMA.to_string() => Ok(outline),
            Some(schema) => Err(ImportError::OtherSchema(said(schema))),
        }
    }

    /// The texts of the records.
    pub(crate) fn records(&self) -> Result<Vec<&'a str>, ImportError> {
        let List::<&RawValue, { most::CELLS }>(texts) = part(self.records).map_err(|wrong| wrong.within("records"))?;
        Ok(texts.into_iter().map(RawValue::get).collect())
    }
}

fn not_json(text: &str, error: &serde_json::Error) -> ImportError {
    let place = place::path(text, error);
    let within = if place.is_empty() { String::new() } else { format!(" in `{place}`") };
    ImportError::NotJson(said(&format!("{}{within}", words(error))))
}
