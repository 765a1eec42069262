//! An advice as one JSON document. `advice.schema.json` beside this file describes it to programs, docs/columns.md to people.

use std::collections::BTreeMap;

use ciphermeter_core::{Algorithm, Operation, escaped, escaped_json};
use ciphermeter_estimate::Ratio;
use serde::Serialize;

use super::answer::Advice;
use super::choice::{Margin, Verdict};
use super::cost::{Cost, Joules};
use super::entries::Wrong;
use super::flip::{AtSize, InPart};
use super::note::Note;
use super::outcome::{Outcome, Standing};
use super::page::why_undecided;
use super::program::Choice;
use super::program::Setting;
use super::reach::Reach;
use ciphermeter_answer::point::Point;

/// The version of the document.
const SCHEMA: u32 = 1;
/// JSON Schema (draft 2020-12) of the document.
pub const ADVICE_SCHEMA: &str = include_str!("advice.schema.json");

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    question: Asked<'a>,
    answer: Answer,
    /// Why the measurements do not decide, and what to try.
    undecided: Option<String>,
    /// Ciphers that are left out, as some of their output was wrong.
    wrong_output: &'a [Wrong],
    contenders: Vec<One<'a>>,
    not_compared: Vec<NotCompared<'a>>,
    sizes: Vec<Size<'a>>,
    /// Where there are several.
    operations: Vec<OfOperation<'a>>,
    without_aes: Option<WithoutAes<'a>>,
    joules: Option<&'a Joules>,
    setting: Option<Setting>,
    notes: Vec<Note>,
    /// Sources of what the program does and takes.
    sources: &'static [&'static str],
    rests_on: Option<RestsOn<'a>>,
}

#[derive(Serialize)]
struct Asked<'a> {
    workload: Option<&'a str>,
    /// Messages by their size in bytes.
    mix: Option<BTreeMap<String, f64>>,
    program: Option<&'static str>,
    premise: Option<String>,
}

#[derive(Serialize)]
struct Answer {
    is: &'static str,
    /// As on the screen.
    text: String,
    algorithm: Option<Algorithm>,
    /// Libraries from which it may be the fastest.
    providers: Vec<String>,
    /// Over the best of another cipher.
    lead: Option<Ahead>,
    /// Where that is the least, and where the most.
    by_size: Option<BySize>,
    /// The same over the same cipher of its own library, where the best is another's.
    within_library: Option<Ahead>,
    /// A cipher with a shorter key that is ahead of all.
    shorter_key: Option<Shorter>,
    /// Of ciphers that are equal, or not told apart: by how much they differ at most, as a fraction.
    at_most: Option<f64>,
    /// These ciphers; of an answer, others of its kind that may be as fast.
    among: Vec<Algorithm>,
}

#[derive(Serialize)]
struct Ahead {
    algorithm: Algorithm,
    provider: String,
    /// Its time ÷ that of the fastest.
    ratio: Figures,
}

#[derive(Serialize)]
struct BySize {
    lowest: RatioAt,
    highest: RatioAt,
}

#[derive(Serialize)]
struct RatioAt {
    #[serde(flatten)]
    at: Place,
    ratio: Figures,
}

#[derive(Serialize)]
struct Shorter {
    algorithm: Algorithm,
    provider: String,
    key_bits: usize,
    /// Time of the fastest contender ÷ its own.
    ratio: Figures,
}

#[derive(Serialize)]
struct Figures {
    mid: f64,
    low: Option<f64>,
    high: Option<f64>,
}

#[derive(Serialize)]
struct One<'a> {
    algorithm: Algorithm,
    provider: &'a str,
    version: &'a str,
    ratio: Option<Figures>,
    may_be_fastest: Option<bool>,
    costs: &'a [Cost],
}

#[derive(Serialize)]
struct Size<'a> {
    #[serde(flatten)]
    at: Place,
    weight: f64,
    #[serde(flatten)]
    part: Part<'a>,
}

#[derive(Serialize)]
struct OfOperation<'a> {
    operation: Operation,
    #[serde(flatten)]
    part: Part<'a>,
}

/// What is fastest in a part of the cells.
#[derive(Serialize)]
struct Part<'a> {
    is: &'static str,
    algorithm: Option<Algorithm>,
    providers: &'a [String],
    lead: Option<Ahead>,
}

#[derive(Serialize)]
struct Place {
    message: u64,
    aad: u64,
    working_set: u64,
    keys: u64,
}

/// Sizes that were asked for and are not in the answer.
#[derive(Serialize)]
struct NotCompared<'a> {
    /// Of all operations, only this one; null: all.
    operation: Option<Operation>,
    messages: &'a [u64],
    why: &'a str,
}

#[derive(Serialize)]
struct WithoutAes<'a> {
    run: i64,
    answer: Answer,
    wrong_output: &'a [Wrong],
    newer: &'a [String],
}

#[derive(Serialize)]
struct RestsOn<'a> {
    run: i64,
    started: &'a str,
    scenario: &'a str,
    /// Forks in which the first two were compared, in the cell with the fewest and in that with the most.
    forks: [usize; 2],
    changed: &'a [String],
    newer: &'a [String],
    missing: Vec<String>,
}

/// An advice as JSON, on several lines, with a newline at its end.
pub fn advice_json(advice: &Advice) -> String {
    // Its parts have nothing that JSON lacks: maps by text, finite numbers or null.
    escaped_json(&serde_json::to_string_pretty(&advice.document()).unwrap_or_default()).into_owned() + "\n"
}

impl Advice<'_> {
    fn document(&self) -> Document<'_> {
        let outcome = self.outcome.as_ref();
        let mix = self.question.mix.map(|mix| mix.iter().map(|(size, count)| (size.0.to_string(), count)).collect());
        let without_aes = self.without_aes.as_ref().zip(self.evidence.and_then(|evidence| evidence.without_aes));
        Document {
            schema: SCHEMA,
            question: Asked {
                workload: self.question.workload,
                mix,
                program: self.question.program.map(|program| program.name),
                premise: self.question.premise(),
            },
            answer: outcome.map_or_else(|| self.unmeasured(), |outcome| self.answered(outcome, &self.wrong)),
            undecided: self
                .evidence
                .zip(outcome)
                .and_then(|(evidence, outcome)| why_undecided(self, &evidence, outcome)),
            wrong_output: &self.wrong,
            not_compared: self
                .lacking
                .iter()
                .map(|one| NotCompared { operation: one.operation, messages: &one.messages, why: &one.why })
                .collect(),
            contenders: outcome.map(|outcome| outcome.standings.iter().map(one).collect()).unwrap_or_default(),
            sizes: outcome.map(|outcome| outcome.sizes.iter().map(at_size).collect()).unwrap_or_default(),
            operations: outcome
                .map(|outcome| outcome.operations.iter().map(of_operation).collect())
                .unwrap_or_default(),
            without_aes: without_aes.map(|((outcome, wrong), masked)| WithoutAes {
                run: masked.run.id,
                answer: self.answered(outcome, wrong),
                wrong_output: wrong,
                newer: masked.newer,
            }),
            joules: self.joules.as_ref(),
            setting: self.setting(),
            notes: self.notes(),
            sources: self.question.program.map_or(&[], |program| program.sources),
            rests_on: self.evidence.map(|evidence| RestsOn {
                run: evidence.run.id,
                started: &evidence.run.started,
                scenario: &evidence.run.scenario.name,
                forks: outcome.map_or([0; 2], |outcome| outcome.forks.into()),
                changed: evidence.changed,
                newer: evidence.newer,
                missing: self.missing(),
            }),
        }
    }

    fn answered(&self, outcome: &Outcome, wrong: &[Wrong]) -> Answer {
        let text = self.answer(outcome, wrong).join(" ");
        let nothing =
            Answer { shorter_key: outcome.shorter.as_ref().map(shorter), ..Answer::without_figures("alone", text) };
        match &outcome.verdict {
            _ if outcome.is_alone => nothing,
            _ if !outcome.without.is_empty() => Answer { is: "unknown", ..nothing },
            Verdict::Use { algorithm, also, margin } => Answer {
                is: "use",
                algorithm: Some(*algorithm),
                among: also.iter().copied().collect(),
                providers: outcome.providers.clone(),
                lead: margin.as_ref().map(ahead),
                by_size: outcome.reach.as_ref().map(by_size),
                within_library: outcome.within.as_ref().map(ahead),
                ..nothing
            },
            Verdict::Bound { algorithm, margin } => {
                let other = margin.as_ref().map(|margin| margin.algorithm);
                Answer { is: "unknown", among: [*algorithm].into_iter().chain(other).collect(), ..nothing }
            }
            Verdict::ByOperation { among } => {
                Answer { is: "by-operation", among: among.iter().copied().collect(), ..nothing }
            }
            Verdict::BySize { among } => Answer { is: "by-size", among: among.iter().copied().collect(), ..nothing },
            Verdict::Equal { among, at_most } => {
                Answer { is: "equal", among: among.iter().copied().collect(), at_most: Some(*at_most), ..nothing }
            }
            Verdict::Unknown { among, at_most } => {
                Answer { is: "unknown", among: among.iter().copied().collect(), at_most: *at_most, ..nothing }
            }
        }
    }

    fn unmeasured(&self) -> Answer {
        let (is, text) = match self.question.program.map(|program| &program.choice) {
            Some(Choice::None(uses)) => ("no-choice", (*uses).to_owned()),
            Some(Choice::NotMeasured { why, ask, .. }) => ("not-measured", format!("{why} Ask: {}", ask.join("; "))),
            _ => ("unknown", format!("{} Measure it: {}", self.no_figures(), escaped(self.question.measure))),
        };
        Answer::without_figures(is, text)
    }
}

impl Answer {
    fn without_figures(is: &'static str, text: String) -> Self {
        Self {
            is,
            text,
            algorithm: None,
            providers: Vec::new(),
            lead: None,
            by_size: None,
            within_library: None,
            shorter_key: None,
            at_most: None,
            among: Vec::new(),
        }
    }
}

fn place(Point { message, aad, working_set, keys }: Point) -> Place {
    Place { message, aad, working_set, keys }
}

fn by_size(reach: &Reach) -> BySize {
    let at = |(point, ratio): (Point, Ratio)| RatioAt { at: place(point), ratio: figures(ratio) };
    BySize { lowest: at(reach.lowest), highest: at(reach.highest) }
}

fn shorter(Margin { algorithm, provider, ratio }: &Margin) -> Shorter {
    let key_bits = algorithm.key_bytes() * 8;
    Shorter { algorithm: *algorithm, provider: provider.clone(), key_bits, ratio: figures(*ratio) }
}

fn figures(ratio: Ratio) -> Figures {
    let (low, high) = ratio.range().unzip();
    Figures { mid: ratio.mid, low, high }
}

fn ahead(margin: &Margin) -> Ahead {
    Ahead { algorithm: margin.algorithm, provider: margin.provider.clone(), ratio: figures(margin.ratio) }
}

fn one(standing: &Standing) -> One<'_> {
    let Standing { algorithm, provider, version, ratio, may_be_fastest, costs, .. } = standing;
    One { algorithm: *algorithm, provider, version, ratio: ratio.map(figures), may_be_fastest: *may_be_fastest, costs }
}

fn at_size(AtSize { point, weight, part }: &AtSize) -> Size<'_> {
    Size { at: place(*point), weight: *weight, part: in_part(part) }
}

fn of_operation((operation, part): &(Operation, InPart)) -> OfOperation<'_> {
    OfOperation { operation: *operation, part: in_part(part) }
}

fn in_part(InPart { fastest, is_equal, providers }: &InPart) -> Part<'_> {
    let is = match (fastest, is_equal) {
        (Some(_), _) => "use",
        (None, true) => "equal",
        (None, false) => "unknown",
    };
    Part {
        is,
        algorithm: fastest.as_ref().map(|(algorithm, _)| *algorithm),
        providers,
        lead: fastest.as_ref().and_then(|(_, margin)| margin.as_ref()).map(ahead),
    }
}
