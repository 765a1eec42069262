//! An advice as one JSON document. `advice.schema.json` beside this file describes it to programs,
//! with what the schema of exports says of every answer; docs/columns.md describes it to people.

use ciphermeter_answer::Answer;
use ciphermeter_answer::note::Note;
use ciphermeter_answer::program::Setting;
use ciphermeter_answer::workload::{Advice, Joules, Question, RestsOn};
use ciphermeter_core::escaped_json;
use serde::Serialize;
use serde_json::Value;

use crate::json::EXPORT_SCHEMA;

const SCHEMA: u32 = 2;
/// What exports have no schema of.
const OWN_SCHEMA: &str = include_str!("advice.schema.json");

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    question: Question<'a>,
    answer: Answer,
    setting: Option<&'a Setting>,
    joules: Option<&'a Joules>,
    without_aes: Option<Masked<'a>>,
    notes: &'a [&'static Note],
    sources: &'static [String],
    rests_on: Option<&'a RestsOn<'a>>,
}

#[derive(Serialize)]
struct Masked<'a> {
    answer: Answer,
    rests_on: Option<&'a RestsOn<'a>>,
}

/// An advice as JSON, on several lines, with a newline at its end.
pub fn advice_json(advice: &Advice) -> String {
    let masked = advice.without_aes.as_deref();
    let document = Document {
        schema: SCHEMA,
        question: advice.question,
        answer: advice.answer(),
        setting: advice.setting.as_ref(),
        joules: advice.joules.as_ref(),
        without_aes: masked.map(|own| Masked { answer: own.answer(), rests_on: own.rests_on.as_ref() }),
        notes: &advice.notes,
        sources: advice.sources,
        rests_on: advice.rests_on.as_ref(),
    };
    // Its parts have nothing that JSON lacks: maps by text, finite numbers or null.
    escaped_json(&serde_json::to_string_pretty(&document).unwrap_or_default()).into_owned() + "\n"
}

/// JSON Schema (draft 2020-12) of the document: its own, and of the schema of exports what it
/// refers to.
pub fn advice_schema() -> String {
    let parse = |text| serde_json::from_str::<Value>(text).unwrap_or_default();
    let (mut schema, exports) = (parse(OWN_SCHEMA), parse(EXPORT_SCHEMA));
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
