//! The parts of a study's file, read within limits and checked.

use ciphermeter_core::{Bytes, Mask, Seconds, escaped, shell_word, toml_error};
use serde::{Deserialize, Serialize};

use crate::check::{Check, Contradiction};
use crate::claim::Claim;
use crate::group::{Group, Standpoint};
use crate::part::Fault;
use crate::question::{Pick, Question, Way};
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
    /// What sort of study it is.
    #[serde(default)]
    pub group: Group,
    /// Authors, title and where it appeared.
    pub citation: String,
    /// What it measured on.
    pub machine: String,
    /// What it concludes, in our words.
    pub concludes: String,
    /// How what is measured here as published differs from what it measured, in our words.
    #[serde(default)]
    pub differs: Option<String>,
    /// Of a contradiction, what each side says.
    #[serde(default)]
    pub sides: Vec<Standpoint>,
    /// Of a contradiction, what makes one side right here and the other there, in our words.
    #[serde(default)]
    pub decides: Option<String>,
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
    /// These libraries alone, so that all time is theirs; empty: those that the claims name, or the scenario's where one names none.
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
    #[error("{}the study `{study}` cannot be used: {part}: {why}", in_line(*line))]
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
        Self::Format(toml_error(error, text))
    }

    /// A part of a file, of this text, that is wrong.
    pub fn part(text: &str, study: &str, fault: &Fault) -> Self {
        let Fault { part, why, other } = fault;
        let other = other.as_ref().and_then(|other| Some(format!(" ({other} is in line {})", other.line(text)?)));
        // The file's own words are in them, and an error is one line.
        let [study, why] = [study, why].map(escaped);
        Self::Part { line: part.line(text), study, part: part.to_string(), why: why + &other.unwrap_or_default() }
    }
}

/// The first text that is not shown as it is, by its keys: such texts reach pages and terminals.
fn unprintable(value: &toml::Value, way: &str) -> Option<String> {
    match value {
        toml::Value::String(text) => (escaped(text) != *text).then(|| way.to_owned()),
        toml::Value::Array(all) => {
            (1..).zip(all).find_map(|(number, one)| unprintable(one, &format!("{way}[{number}]")))
        }
        toml::Value::Table(all) => all.iter().find_map(|(key, one)| {
            let way = if way.is_empty() { escaped(key) } else { format!("{way}.{}", escaped(key)) };
            unprintable(one, &way)
        }),
        _ => None,
    }
}

fn in_line(line: Option<usize>) -> String {
    line.map_or(String::new(), |line| format!("line {line}: "))
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
        let parsed = toml::from_str::<toml::Value>(text).map_err(|error| BadStudy::unreadable(text, &error))?;
        if let Some(key) = unprintable(&parsed, "") {
            return Err(BadStudy::Format(format!("{key} holds characters that do not print: remove them")));
        }
        match study.error() {
            None => Ok(study.narrowed()),
            Some(fault) => Err(BadStudy::part(text, &study.name, &fault)),
        }
    }

    /// With the libraries that its claims name, where a measure names none: all time is for what is asked.
    fn narrowed(mut self) -> Self {
        let asked = |measure: &Measure| {
            let ways = self.claims.iter().flat_map(|claim| Way::ALL.map(|way| (claim.question(way), way)));
            let own = ways.filter_map(|(question, way)| Some((question?, way)));
            let own = own.filter(|(question, way)| self.measure(question, *way) == Some(measure));
            libraries(own.flat_map(|(question, _)| [question.left, question.right]))
        };
        let asked: Vec<_> = self.measures.iter().map(asked).collect();
        self.measures.iter_mut().zip(asked).for_each(|(measure, asked)| measure.narrow(asked));
        self
    }

    /// What a user types for it, as a word of a command line.
    pub fn typed(&self) -> String {
        shell_word(self.file.as_deref().unwrap_or(&self.name))
    }

    /// What sets a verdict "as published" apart from the study's own figures, as a sentence.
    pub fn differs(&self) -> Option<String> {
        self.differs.as_ref().map(|text| format!("Unlike in the study: {}.", escaped(text)))
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

/// The libraries that these picks name, each once; none where one of them takes any, or those of a board.
pub(crate) fn libraries<'a>(picks: impl Iterator<Item = &'a Pick>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for pick in picks {
        match pick.library().filter(|_| pick.board.is_none()) {
            None => return Vec::new(),
            Some(own) if all.iter().any(|known| known == own) => {}
            Some(own) => all.push(own.into()),
        }
    }
    all
}

impl Measure {
    /// Takes these libraries where it names none itself.
    pub(crate) fn narrow(&mut self, asked: Vec<String>) {
        if self.providers.is_empty() && self.needs.is_none() {
            self.providers = asked;
        }
    }

    /// Whether it compares libcryptos that the user gives with `--openssl`: each has its version in its name.
    pub fn takes_libcryptos(&self) -> bool {
        self.providers.iter().any(|provider| provider.starts_with("openssl@"))
    }

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
