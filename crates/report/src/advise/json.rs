//! An advice as one JSON document; docs/columns.md describes it to people.

use ciphermeter_answer::Answer;
use ciphermeter_answer::note::Note;
use ciphermeter_answer::program::Setting;
use ciphermeter_answer::workload::{Advice, Joules, Question, RestsOn};
use serde::Serialize;

use crate::document::written;

const SCHEMA: u32 = 2;

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
    written(&Document {
        schema: SCHEMA,
        question: advice.question,
        answer: advice.answer(),
        setting: advice.setting.as_ref(),
        joules: advice.joules.as_ref(),
        without_aes: masked.map(|own| Masked { answer: own.answer(), rests_on: own.rests_on.as_ref() }),
        notes: &advice.notes,
        sources: advice.sources,
        rests_on: advice.rests_on.as_ref(),
    })
}
