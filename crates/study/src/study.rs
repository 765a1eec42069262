//! The parts of a study's file, read within limits and checked.

use ciphermeter_core::{Bytes, Mask, Seconds, escaped, shell_word};
use serde::{Deserialize, Serialize};

use crate::check::{Check, Contradiction};
use crate::claim::Claim;
use crate::question::{Question, Way};
use crate::table::Table;

/// The longest file in bytes.
pub const MAX_STUDY: usize = 256 << 10;

/// A published study.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// Its name here: `python-sizes`.
    pub name: String,
    /// What it compares, in a few words.
    pub title: String,
    /// Authors, title and where it appeared.
    pub citation: String,
    /// What it measured on.
    pub machine: String,
    /// What it concludes, in our words.
    pub concludes: String,
    /// How it is measured again: as published, and as it should be done.
    #[serde(default)]
    pub measures: Vec<Measure>,
    /// Its tables.
    #[serde(default)]
    pub tables: Vec<Table>,
    /// What must hold between its numbers.
    #[serde(default)]
    pub checks: Vec<Check>,
    /// What else does not fit together, or cannot carry the conclusion.
    #[serde(default)]
    pub remarks: Vec<Remark>,
    /// What it claims.
    pub claims: Vec<Claim>,
    /// What a user types for it where that is not its name, but its file.
    #[serde(skip)]
    pub file: Option<String>,
}

/// A run that measures for a study.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// The scenario's name.
    pub scenario: String,
    /// What it is for.
    pub why: String,
    /// The ways of comparing that its records serve.
    #[serde(default)]
    pub serves: Vec<Way>,
    /// These sizes alone; empty: the scenario's.
    #[serde(default)]
    pub messages: Vec<Bytes>,
    /// These libraries alone, so that all time is theirs; empty: the scenario's.
    #[serde(default)]
    pub providers: Vec<String>,
    /// The CPU's instructions to disable.
    #[serde(default)]
    pub cpu: Option<Mask>,
    /// The most time, as `run --budget` takes it.
    pub budget: Seconds,
    /// What it takes that few machines have: then `study run` leaves it out, and a run of your own answers.
    #[serde(default)]
    pub needs: Option<String>,
}

/// Something that is wrong with the numbers, the method or the conclusion, in our words.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Remark {
    /// Where.
    pub source: String,
    /// What.
    pub says: String,
}

/// A study's file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadStudy {
    /// It is longer than [`MAX_STUDY`].
    #[error("the study is longer than {MAX_STUDY} bytes; cite fewer tables")]
    TooLong,
    /// Not TOML, or not a study's.
    #[error("cannot read the study: {0}; see studies/README.md for the format")]
    Format(String),
    /// A part contradicts another.
    #[error("{}the study `{study}` cannot be used: {part}: {why}; correct its file", in_line(*line))]
    Part {
        /// Where the part begins, if it was found: parts may be written in several ways.
        line: Option<usize>,
        /// The study's name.
        study: String,
        /// The table, check or claim.
        part: String,
        /// What is wrong with it.
        why: String,
    },
}

impl BadStudy {
    /// A file that is no TOML, or not of this format: what and where.
    pub(crate) fn unreadable(text: &str, error: &toml::de::Error) -> Self {
        let line = error.span().and_then(|span| text.get(..span.start)).map(|before| before.matches('\n').count() + 1);
        Self::Format(in_line(line) + &escaped(error.message()))
    }

    /// A part of a file that contradicts another: `claim `faster``, say, in this text.
    pub fn part(text: &str, study: &str, part: &str, why: &str) -> Self {
        // The file's own words are in all three, and an error is one line.
        let [study, words, why] = [study, part, why].map(escaped);
        Self::Part { line: line_of(part, text), study, part: words, why }
    }
}

fn in_line(line: Option<usize>) -> String {
    line.map_or(String::new(), |line| format!("line {line}: "))
}

/// The line that names a part: behind a heading like `[[claims]]`, or that of a key of the whole file.
fn line_of(part: &str, text: &str) -> Option<usize> {
    let has = |line: &str, wanted: &str, begins: &str| {
        line.split_once('=').is_some_and(|(key, value)| key.trim() == wanted && value.trim().starts_with(begins))
    };
    let Some((sort, name)) = part.split_once(" `") else {
        return Some(text.lines().position(|line| has(line, part, ""))? + 1);
    };
    let key = match sort {
        "check" => "says",
        "measure" => "scenario",
        "factor" => "name",
        _ => "id",
    };
    let (heading, name) = (format!("[[{sort}s]]"), format!("\"{}\"", name.strip_suffix('`')?));
    let mut is_within = false;
    let names = |line: &str| {
        let line = line.trim();
        is_within = if line.starts_with("[[") { line.starts_with(&heading) } else { is_within };
        is_within && has(line, key, &name)
    };
    Some(text.lines().position(names)? + 1)
}

impl Study {
    /// Reads a study's file.
    ///
    /// # Errors
    ///
    /// A file that is too long, is no study, or has parts that do not belong together.
    pub fn parse(text: &str) -> Result<Self, BadStudy> {
        if text.len() > MAX_STUDY {
            return Err(BadStudy::TooLong);
        }
        let study: Self = toml::from_str(text).map_err(|error| BadStudy::unreadable(text, &error))?;
        match study.error() {
            None => Ok(study),
            Some((part, why)) => Err(BadStudy::part(text, &study.name, &part, &why)),
        }
    }

    /// What a user types for it, as a word of a command line.
    pub fn typed(&self) -> String {
        shell_word(self.file.as_deref().unwrap_or(&self.name))
    }

    /// A table, by its id.
    pub fn table(&self, id: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.id == id)
    }

    /// The measure that answers a claim's question.
    pub fn measure(&self, question: &Question<'_>, way: Way) -> Option<&Measure> {
        let answers = |measure: &&Measure| measure.scenario == question.scenario && measure.cpu == question.cpu;
        self.measures.iter().find(|measure| answers(measure) && measure.serves.contains(&way))
    }

    /// The checks that fail, with the rows that contradict each, and how many rows each looked at.
    pub fn contradictions(&self) -> Vec<(&Check, Vec<Contradiction>, usize)> {
        let failing = self.checks.iter().filter_map(|check| {
            let (found, rows) = check.contradictions(self.table(&check.table)?);
            (!found.is_empty()).then_some((check, found, rows))
        });
        failing.collect()
    }
}

impl Measure {
    /// The arguments of `ciphermeter` that measure it.
    pub fn arguments(&self) -> Vec<String> {
        let mut words = vec!["run".to_owned(), self.scenario.clone(), "--budget".into(), self.budget.to_string()];
        if !self.messages.is_empty() {
            let sizes: Vec<String> = self.messages.iter().map(|size| size.0.to_string()).collect();
            words.extend(["--message".into(), sizes.join(",")]);
        }
        if !self.providers.is_empty() {
            words.extend(["--provider".into(), self.providers.join(",")]);
        }
        if let Some(cpu) = self.cpu {
            words.extend(["--cpu".into(), cpu.to_string()]);
        }
        words
    }
}

#[cfg(test)]
mod tests;
