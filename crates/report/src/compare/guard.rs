//! A guarded change on a terminal, and as one JSON document.

use std::io::{self, Write};

use ciphermeter_answer::About;
use ciphermeter_answer::guard::{Alarm, Guarded, History, sentences};
use ciphermeter_answer::regression::{Finding, Stored};
use ciphermeter_core::Share;
use serde::Serialize;

use super::lines::Shown;
use super::screen::screen;
use crate::json::export;
use crate::styled_line::TableOptions;

/// A guarded change: what was decided, and the measurements that it rests on.
pub struct GuardedRuns<'a> {
    /// The decision.
    pub guarded: &'a Guarded,
    /// What the recorded changes come to, if they are recorded.
    pub history: Option<&'a History>,
    /// The first measurement.
    pub first: Stored<'a>,
    /// That of the alarms.
    pub again: Option<Stored<'a>>,
    /// The command that does all of it again.
    pub command: &'a str,
}

impl GuardedRuns<'_> {
    /// Each measurement.
    pub(super) fn runs(&self) -> impl Iterator<Item = Stored<'_>> {
        std::iter::once(self.first).chain(self.again)
    }

    /// What it comes to, in sentences.
    pub(super) fn sentences(&self) -> Vec<String> {
        sentences(self.guarded, self.history)
    }
}

/// The verdict with room for so many lines `below` it on one screen, or the whole. Only this has it: a stored run is one of the two
/// measurements.
pub fn guard_screen(runs: &GuardedRuns, below: Option<usize>, options: TableOptions) -> String {
    let again =
        runs.again.map(|again| format!("Measured again: {}", again.run.command(&format!("show {}", again.run.id))));
    let shown = Shown { verdict: &runs.guarded.verdict, sentences: runs.sentences(), finding: runs.guarded.finding() };
    screen(runs.first, &shown, ["The first measurement alone".into(), again.unwrap_or_default()], (below, options))
}

/// The same as one JSON document, with the raw samples of both measurements.
///
/// # Errors
/// Those of `out`.
pub fn write_guard_json(mut out: impl Write, runs: &GuardedRuns) -> io::Result<()> {
    let document = Document {
        schema: 1,
        finding: runs.guarded.finding(),
        sentences: runs.sentences(),
        about: Some(About::Regression(Box::new(runs.guarded.verdict.clone()))),
        may_hide: Some(runs.guarded.may_hide),
        alarms: &runs.guarded.alarms,
        history: runs.history,
        command: runs.command,
        measurements: runs.runs().map(|of| export(of.run, of.records)).collect(),
    };
    serde_json::to_writer(&mut out, &document)?;
    writeln!(out)
}

/// The same where both sides have the same bytes, which a sentence says: nothing was measured.
///
/// # Errors
/// Those of `out`.
pub fn write_identical_json(mut out: impl Write, sentence: &str, command: &str) -> io::Result<()> {
    let document = Document::<()> {
        schema: 1,
        finding: Finding::Fine,
        sentences: vec![sentence.to_owned()],
        about: None,
        may_hide: None,
        alarms: &[],
        history: None,
        command,
        measurements: Vec::new(),
    };
    serde_json::to_writer(&mut out, &document)?;
    writeln!(out)
}

#[derive(Serialize)]
struct Document<'a, E: Serialize> {
    schema: u32,
    finding: Finding,
    sentences: Vec<String>,
    about: Option<About>,
    may_hide: Option<Share>,
    alarms: &'a [Alarm],
    history: Option<&'a History>,
    command: &'a str,
    measurements: Vec<E>,
}
