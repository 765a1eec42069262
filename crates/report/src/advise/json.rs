//! An advice as one JSON document. `advice.schema.json` beside this file describes it to programs, docs/columns.md to people.

use ciphermeter_answer::workload::Advice;
use ciphermeter_core::escaped_json;
use serde::Serialize;

const SCHEMA: u32 = 1;
/// JSON Schema (draft 2020-12) of the document.
pub const ADVICE_SCHEMA: &str = include_str!("advice.schema.json");

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    #[serde(flatten)]
    advice: &'a Advice<'a>,
}

/// An advice as JSON, on several lines, with a newline at its end.
pub fn advice_json(advice: &Advice) -> String {
    // Its parts have nothing that JSON lacks: maps by text, finite numbers or null.
    escaped_json(&serde_json::to_string_pretty(&Document { schema: SCHEMA, advice }).unwrap_or_default()).into_owned()
        + "\n"
}
