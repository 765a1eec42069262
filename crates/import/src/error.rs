//! What is wrong with a document: one line that names the place, and what to do where a user can
//! do something.

use std::fmt::{self, Display};

use ciphermeter_core::{Bytes, escaped, most};

use crate::schema::SCHEMA;

/// The most characters of what is said about one place, of which some may be the document's own.
const MOST: usize = 300;

/// Why a document cannot be imported, as it stands behind the document's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// It is longer than what is read.
    #[error("it is longer than {most}, and no longer export is read; measure with a shorter --budget",
        most = Bytes(most::DOCUMENT as u64))]
    TooLong,
    /// It is not JSON.
    #[error("it is no JSON, or not all of it: {0}; export the run again with `ciphermeter export --format json`")]
    NotJson(String),
    /// It is JSON of something else.
    #[error("it is no export of a run: `{0}` is missing; write one with `ciphermeter export --format json`")]
    NoExport(&'static str),
    /// Its schema is none, or the first, which had other names.
    #[error(
        "it has the first schema, and schema {SCHEMA} is read; export the run again with this version of Ciphermeter, \
        which reads stores of older ones"
    )]
    FirstSchema,
    /// Another schema.
    #[error(
        "it has schema {0}, and schema {SCHEMA} is read; import it with the version of Ciphermeter that wrote it, or export \
        the run again with this one"
    )]
    OtherSchema(String),
    /// Something in it breaks a rule.
    #[error("{0}")]
    Damaged(Damage),
}

/// What is wrong at a place of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The record, counted from 0; `None`: outside the records.
    pub record: Option<usize>,
    /// The way from there, `samples[0].iterations`; empty for all of it.
    pub path: String,
    /// What is wrong, the rest of a sentence whose subject is the place.
    pub what: String,
}

impl Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { record, path, what } = self;
        match (record, path.is_empty()) {
            (Some(record), true) => write!(f, "record {record} {what}"),
            (Some(record), false) => write!(f, "record {record}: `{path}` {what}"),
            (None, true) => write!(f, "the document {what}"),
            (None, false) => write!(f, "`{path}` {what}"),
        }
    }
}

/// What is wrong within a part of the document, whose place the part does not know.
pub(crate) struct Wrong {
    path: String,
    what: String,
}

impl Wrong {
    pub(crate) fn new(path: impl Into<String>, what: impl AsRef<str>) -> Self {
        Self { path: said(&path.into()), what: said(what.as_ref()) }
    }

    /// The same, seen from where `part` lies.
    pub(crate) fn within(self, part: &str) -> Self {
        let dot = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        Self { path: format!("{part}{dot}{}", self.path), what: self.what }
    }

    pub(crate) fn of_record(self, record: usize) -> ImportError {
        ImportError::Damaged(Damage { record: Some(record), path: self.path, what: self.what })
    }
}

/// What is wrong outside the records.
impl From<Wrong> for ImportError {
    fn from(Wrong { path, what }: Wrong) -> Self {
        Self::Damaged(Damage { record: None, path, what })
    }
}

/// How many, in words.
pub(crate) fn entries(count: usize) -> String {
    if count == 1 { "1 entry".into() } else { format!("{count} entries") }
}

/// Words that may quote the document, however long and odd that is.
pub(crate) fn said(what: &str) -> String {
    escaped(&what.chars().take(MOST).collect::<String>())
}
