//! What a course comes to, for other programs.

use ciphermeter_core::{Record, Run, SampleRange};
use serde::Serialize;

use super::course::course;
use super::finding::Finding;
use super::statement::statement;

/// A finding as it is exported.
#[derive(Debug, Clone, Serialize)]
pub struct ExportedCourse {
    /// Seconds from the start to each fall that lasts.
    falls_s: Vec<f64>,
    /// 10⁶ bytes a second (a thousand calls, where a call has no message): before the first of them, or of all; 5 %, 50 % and 95 % quantiles of the steps.
    before: Option<SampleRange>,
    /// From the first of them on to the next or the end.
    after: Option<SampleRange>,
    /// The same in a few sentences.
    pub statement: String,
}

impl ExportedCourse {
    /// Of a record's steps.
    pub fn of(run: &Run, record: &Record) -> Self {
        let steps = &course(record);
        let finding = Finding::of(steps);
        let (falls_s, before, after) = match &finding {
            Finding::Short => (Vec::new(), None, None),
            Finding::Steady(whole) => (Vec::new(), Some(*whole), None),
            Finding::Fell(fall) => (fall.seconds.clone(), Some(fall.before), Some(fall.after)),
        };
        Self { falls_s, before, after, statement: statement(run, &record.cell, steps, &finding) }
    }
}
