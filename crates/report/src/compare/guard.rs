//! A guarded change on a terminal, and as one JSON document.

use std::io::{self, Write};

use ciphermeter_answer::About;
use ciphermeter_answer::basis::{Basis, most_forks};
use ciphermeter_answer::guard::{Alarm, Guarded, History, sentences};
use ciphermeter_answer::regression::{Finding, Stored};
use ciphermeter_core::Share;
use serde::Serialize;

use super::lines::{self, Told};
use crate::json::export;
use crate::screen::{head, most_lines};
use crate::styled_line::{Style, StyledLine, TableOptions};

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

/// The verdict with room for so many lines `below` it on one screen, or the whole.
pub fn guard_screen(runs: &GuardedRuns, below: Option<usize>, options: TableOptions) -> String {
    let width = options.columns();
    let Stored { run, records } = runs.first;
    let mut text = head(run, "Is the new one slower?", width);
    text.push(StyledLine::default());
    let forks = most_forks(records);
    let basis = Basis::of(records, (forks, forks)).sentence((0, 0));
    let again =
        runs.again.map(|again| format!("Measured again: {}", again.run.command(&format!("show {}", again.run.id))));
    let end = std::iter::once(basis).filter(|basis| !basis.is_empty()).chain(again);
    let end: Vec<StyledLine> = end.flat_map(|line| StyledLine::wrapped(&line, width, 2, Style::Dim)).collect();
    let most = below.map(|below| most_lines(width).saturating_sub(text.len() + end.len() + below));
    let told = Told { verdict: &runs.guarded.verdict, sentences: runs.sentences(), finding: runs.guarded.finding() };
    let more = format!("All of it: {}", run.command(&format!("show {} --all", run.id)));
    text.extend(lines::within(&told, most.unwrap_or(usize::MAX), &more, width));
    text.extend(end);
    options.print(&text)
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
        about: About::Regression(Box::new(runs.guarded.verdict.clone())),
        may_hide: runs.guarded.may_hide,
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
pub fn write_identical_json(mut out: impl Write, said: &str, command: &str) -> io::Result<()> {
    let document = serde_json::json!({
        "schema": 1, "finding": Finding::Fine, "sentences": [said], "about": null, "may_hide": null, "alarms": [],
        "history": null, "command": command, "measurements": [],
    });
    serde_json::to_writer(&mut out, &document)?;
    writeln!(out)
}

#[derive(Serialize)]
struct Document<'a, E: Serialize> {
    schema: u32,
    finding: Finding,
    sentences: Vec<String>,
    about: About,
    may_hide: Share,
    alarms: &'a [Alarm],
    history: Option<&'a History>,
    command: &'a str,
    measurements: Vec<E>,
}
