//! A verdict on a run, or on two, on a terminal.

use ciphermeter_answer::basis::{Basis, most_forks};
use ciphermeter_answer::regression::{self, Stored, Verdict};
use ciphermeter_core::{Record, Run, Share};

use super::lines;
use crate::screen::{LINES, continuing, head};
use crate::styled_line::{Style, StyledLine, TableOptions};

/// The verdict on a run that was compared with something older, and its text: on one screen, or `whole`; `None` for any other run.
pub fn against(run: &Run, records: &[Record], whole: bool, options: TableOptions) -> Option<(String, Verdict)> {
    let verdict = regression::against(run, records)?;
    let width = options.columns();
    let mut lines = head(run, "Is the new one slower?", width);
    lines.push(StyledLine::default());
    let more = format!("All of it: {}", run.command(&format!("show {} --all", run.id)));
    let forks = most_forks(records);
    let basis = Basis::of(records, (forks, forks)).sentence((0, 0));
    let below = std::iter::once(basis).filter(|basis| !basis.is_empty()).chain(continuing(run));
    let below: Vec<StyledLine> = below.flat_map(|text| StyledLine::wrapped(&text, width, 2, Style::Dim)).collect();
    let most = if whole { usize::MAX } else { LINES - lines.len() - below.len() };
    lines.extend(lines::within(&verdict, most, &more, width));
    lines.extend(below);
    Some((options.print(&lines), verdict))
}

/// The verdict on the later run, compared with the earlier one, and its text.
pub fn compare(before: Stored, after: Stored, threshold: Share, options: TableOptions) -> (String, Verdict) {
    let verdict = regression::compare(before, after, threshold);
    let rows = verdict.cells.len() + verdict.same.len();
    let lines = lines::lines(&verdict, rows, options.columns());
    (options.print(&lines), verdict)
}
