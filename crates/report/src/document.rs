//! JSON documents other than exports. A `*.schema.json` in this crate describes each to programs, with what the schema of exports says of
//! what it has, too.

use ciphermeter_core::escaped_json;
use serde::Serialize;
use serde_json::Value;

use crate::json::EXPORT_SCHEMA;

/// What is the document's own of the schema of `advise --json`.
pub const ADVICE_SCHEMA: &str = include_str!("advise/advice.schema.json");
/// The same of `compare --json`.
pub const COMPARE_SCHEMA: &str = include_str!("compare/compare.schema.json");
/// The same of `guard --json`.
pub const GUARD_SCHEMA: &str = include_str!("compare/guard.schema.json");
/// The same of `rank --json`.
pub const RANK_SCHEMA: &str = include_str!("rank.schema.json");
/// The same of `machines --json`.
pub const MACHINES_SCHEMA: &str = include_str!("machines.schema.json");

/// A document on several lines, with a newline at its end.
pub(crate) fn written(document: &impl Serialize) -> String {
    // Their parts have nothing that JSON lacks: maps by text, finite numbers or null.
    escaped_json(&serde_json::to_string_pretty(document).unwrap_or_default()).into_owned() + "\n"
}

/// JSON Schema (draft 2020-12) of a document: its own, and of the schema of exports what it refers to.
pub fn whole_schema(own: &str) -> String {
    let parse = |text| serde_json::from_str::<Value>(text).unwrap_or_default();
    let (mut schema, exports) = (parse(own), parse(EXPORT_SCHEMA));
    loop {
        let text = schema.to_string();
        let referred = text.split("\"#/$defs/").skip(1).filter_map(|rest| rest.split('"').next());
        let Some(name) = referred.into_iter().find(|name| schema["$defs"][*name].is_null()) else { break };
        if exports["$defs"][name].is_null() {
            break;
        }
        schema["$defs"][name] = exports["$defs"][name].clone();
    }
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}
