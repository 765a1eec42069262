//! A guarded change as one comment on a pull request.

use std::io::{self, Write};

use ciphermeter_answer::guard::{Alarm, History, Standing};
use ciphermeter_answer::machine::{machine, status};
use ciphermeter_answer::regression::{Finding, Lost, gaps, name, sides};
use ciphermeter_answer::words::{change, counted, longer, percent};

use super::guard::GuardedRuns;
use crate::markdown::{of_regression, text, write_rows};

/// By this, a script finds the comment of an earlier push, to replace it.
const MARK: &str = "<!-- ciphermeter guard -->";

/// Writes what moved, by how much and how surely, what could hide, on which machine, and how to repeat it.
///
/// # Errors
/// Those of `out`.
pub fn write_guard_markdown(mut out: impl Write, runs: &GuardedRuns) -> io::Result<()> {
    let verdict = &runs.guarded.verdict;
    writeln!(out, "{MARK}\n### {}\n", title(runs))?;
    for (place, sentence) in runs.sentences().iter().enumerate() {
        match place {
            0 => writeln!(out, "**{}**", text(sentence))?,
            _ => writeln!(out, "\n{}", text(sentence))?,
        }
    }
    for Lost { cell, why, .. } in &verdict.lost {
        writeln!(out, "\n**LOST**: {}: {}", text(&name(cell)), text(why))?;
    }
    write_rows(&mut out, &of_regression(verdict))?;
    write_rows(&mut out, &of_alarms(&runs.guarded.alarms))?;
    if let Some(again) = runs.again {
        writeln!(out, "\nThe first table has these cells as measured again, in run {}.", again.run.id)?;
    }
    for gap in gaps(&verdict.unmatched) {
        writeln!(out, "\nNot compared: {}, {}.", counted(gap.cells, "cell"), text(&gap.why))?;
    }
    for side in sides(runs.first.records) {
        writeln!(out, "\n{}", text(&side))?;
    }
    let run = runs.first.run;
    let numbers: Vec<String> = runs.runs().map(|of| format!("run {}{}", of.run.id, status(of.run))).collect();
    let day = run.started.get(..10).unwrap_or_default();
    let basis = format!(
        "Measured by Ciphermeter {} on {}, {day} ({}).",
        run.version,
        machine(run).join(", "),
        numbers.join("; then ")
    );
    writeln!(out, "\n{}\n\nTo repeat it, with both sides built:", text(&basis))?;
    let longest = runs.command.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    writeln!(out, "\n{fence}\n{}\n{fence}", runs.command)
}

/// The same where both sides have the same bytes, which a sentence says.
///
/// # Errors
/// Those of `out`.
pub fn write_identical_markdown(mut out: impl Write, sentence: &str) -> io::Result<()> {
    writeln!(out, "{MARK}\n### Speed: nothing changed\n\n**{}**", text(sentence))
}

fn title(runs: &GuardedRuns) -> String {
    let verdict = &runs.guarded.verdict;
    let most = || verdict.cells.iter().filter(|cell| cell.is_slower()).map(|cell| cell.ratio.mid).fold(1.0, f64::max);
    let ruled_out = || percent(verdict.could_hide().max(verdict.threshold.0));
    match runs.guarded.finding() {
        Finding::WrongOutput => "Speed: the output is wrong".into(),
        Finding::Slower => {
            let (slower, cells) = (verdict.slower, counted(verdict.cells.len(), "cell"));
            format!("Speed: {slower} of {cells} slower, by up to {}", change(most()))
        }
        Finding::Nothing => "Speed: nothing was compared".into(),
        Finding::Partial if !verdict.lost.is_empty() => format!("Speed: {} lost", counted(verdict.lost.len(), "cell")),
        Finding::Partial if runs.guarded.hides_too_much() => {
            format!("Speed: inconclusive, a slowdown of {} could hide", percent(verdict.could_hide()))
        }
        Finding::Partial if verdict.unmatched.iter().any(|other| other.missed) => {
            "Speed: inconclusive, not all cells were compared".into()
        }
        Finding::Partial => "Speed: inconclusive, an alarm is open".into(),
        Finding::Fine if verdict.cells.is_empty() => "Speed: nothing slower".into(),
        Finding::Fine => format!("Speed: nothing slower by more than {}{}", ruled_out(), drifted(runs.history)),
    }
}

/// What single changes do not show, for a title.
fn drifted(history: Option<&History>) -> String {
    let drifted = history.filter(|history| !history.drifts.is_empty());
    drifted.map_or_else(String::new, |history| {
        format!("; {} over {}", counted(history.drifts.len(), "cell"), counted(history.changes, "change"))
    })
}

/// A row for each alarm: what each measurement found of it.
fn of_alarms(alarms: &[Alarm]) -> Vec<Vec<String>> {
    let figure = |ratio: Option<_>| ratio.map_or("–".into(), |ratio| longer(ratio).0);
    let row = |alarm: &Alarm| {
        let standing = match alarm.weighed.standing {
            Standing::Confirmed => "confirmed",
            Standing::NotSlower => "not slower again",
            Standing::ControlDiffers => "OLD and a second OLD differ, and may differ by as much",
            Standing::ControlTooWide => "open: whether OLD and a second OLD differ by as much is not known",
            Standing::NotMeasured => "open: not measured again",
        };
        let figures = [Some(alarm.first), alarm.weighed.again, alarm.weighed.control].map(figure);
        [name(&alarm.cell)].into_iter().chain(figures).chain([standing.to_owned()]).collect()
    };
    let titles = ["alarm", "at first", "again", "OLD ÷ OLD", "result"].map(String::from).to_vec();
    std::iter::once(titles).chain(alarms.iter().map(row)).collect()
}
