//! What a run's page and its answer show, kept beside the run: neither has to read the export, which takes a CPU a good part of a second.

use std::collections::BTreeMap;

use anyhow::Result;
use ciphermeter_answer::Answer;
use ciphermeter_answer::group::{Placed, placed};
use ciphermeter_answer::left_out::cells_in_words;
use ciphermeter_answer::words::{fit, heading};
use ciphermeter_core::{Outcome, Record, SampleRange, escaped};
use ciphermeter_report::gb_per_s;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::received::{compressed, export};

/// Columns of a reason.
const MOST_OF_REASON: usize = 160;

/// A run as its page shows it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Shown {
    pub question: String,
    pub measured_on: String,
    /// Cells whose output was wrong: before any answer.
    pub wrong: Option<String>,
    pub sentences: Vec<String>,
    pub config: Vec<String>,
    pub notes: Vec<String>,
    /// The cells by operation, form and parameters.
    pub groups: Vec<Group>,
    /// The whole answer, as the API gives it.
    pub answer: Box<RawValue>,
}

/// Cells that are compared with each other.
#[derive(Debug, Serialize, Deserialize)]
pub struct Group {
    pub heading: String,
    /// The fastest first, then those without a figure.
    pub cells: Vec<Cell>,
}

/// A row.
#[derive(Debug, Serialize, Deserialize)]
pub struct Cell {
    /// The cell in words, as it is asked for over time.
    pub cell: String,
    pub algorithm: String,
    pub provider: String,
    pub version: String,
    /// Nanoseconds of a call, and GB/s where bytes are counted; or why there are none.
    pub figure: Result<(f64, Option<f64>), String>,
}

impl Shown {
    /// What is shown of a run.
    pub fn of(answer: &Answer, records: &[Record]) -> Self {
        Self {
            question: answer.question.clone(),
            measured_on: answer.measured_on.clone(),
            wrong: wrong(records),
            sentences: answer.sentences.clone(),
            config: answer.config.clone(),
            notes: answer.notes.clone(),
            groups: groups(records),
            answer: serde_json::value::to_raw_value(answer).expect("an answer is plain data"),
        }
    }

    /// As it is stored.
    pub fn stored(&self) -> Vec<u8> {
        compressed(&serde_json::to_vec(self).expect("it is plain data"))
    }

    /// From what is stored.
    ///
    /// # Errors
    /// Another version stored it in another form.
    pub fn restored(stored: &[u8]) -> Result<Self> {
        Ok(serde_json::from_slice(&export(stored)?)?)
    }
}

fn wrong(records: &[Record]) -> Option<String> {
    let is_wrong = |record: &&Record| matches!(record.outcome, Outcome::WrongOutput { .. });
    let all: Vec<&Record> = records.iter().filter(is_wrong).collect();
    (!all.is_empty()).then(|| format!("WRONG OUTPUT: {}", cells_in_words(&all, usize::MAX)))
}

fn groups(records: &[Record]) -> Vec<Group> {
    let mut groups = BTreeMap::<Placed, Vec<&Record>>::new();
    for record in records {
        groups.entry(placed(record.cell.group())).or_default().push(record);
    }
    let group = |((.., group), mut records): (Placed, Vec<&Record>)| {
        records.sort_by(|a, b| ns(a).total_cmp(&ns(b)));
        Group { heading: heading(&group), cells: records.into_iter().map(cell).collect() }
    };
    groups.into_iter().map(group).collect()
}

/// What a cell takes, where it was measured: times of wrong output are no figures.
fn range(record: &Record) -> Option<SampleRange> {
    record.summary.as_ref().filter(|_| record.outcome == Outcome::Measured).map(|summary| summary.range)
}

fn ns(record: &Record) -> f64 {
    range(record).map_or(f64::INFINITY, |range| range.mid)
}

fn cell(record: &Record) -> Cell {
    let why = || fit(&escaped(&record.in_words().unwrap_or_else(|| "no figure".into())), MOST_OF_REASON);
    let figure = |range: SampleRange| (range.mid, gb_per_s(&record.cell, range).map(|rate| rate.mid));
    Cell {
        cell: record.cell.to_string(),
        algorithm: record.cell.algorithm.title().into(),
        provider: record.cell.provider.clone(),
        version: record.provenance.as_ref().map(|from| from.version.clone()).unwrap_or_default(),
        figure: range(record).map(figure).ok_or_else(why),
    }
}
