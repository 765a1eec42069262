//! A verdict on a run, or on two, on a terminal.

use ciphermeter_answer::About;
use ciphermeter_answer::basis::{Basis, most_forks};
use ciphermeter_answer::regression::{self, Stored, Verdict};
use ciphermeter_core::{Record, Run, Share};
use serde::Serialize;

use super::lines::{self, Shown};
use crate::document::written;
use crate::screen::{continuing, head, most_lines};
use crate::styled_line::{Style, StyledLine, TableOptions};

/// The verdict on a run that was compared with something older, and its text: on one screen with room for so many lines `below`, or
/// the whole; `None` for any other run.
pub fn against(
    run: &Run,
    records: &[Record],
    below: Option<usize>,
    options: TableOptions,
) -> Option<(String, Verdict)> {
    let verdict = regression::against(run, records)?;
    let last = continuing(run);
    let text = screen(
        Stored { run, records },
        &Shown::of(&verdict),
        ["All of it".into(), last.unwrap_or_default()],
        (below, options),
    );
    Some((text, verdict))
}

/// What is shown of a run that was compared with something older, with what it rests on, what the run itself is called, and a `last` line,
/// which may be empty: on one screen with room for so many lines below it, or the whole.
pub(super) fn screen(
    Stored { run, records }: Stored,
    shown: &Shown,
    [run_is, last]: [String; 2],
    (below, options): (Option<usize>, TableOptions),
) -> String {
    let width = options.columns();
    let mut lines = head(run, "Is the new one slower?", width);
    lines.push(StyledLine::default());
    let more = format!("{run_is}: {}", run.command(&format!("show {} --all", run.id)));
    let forks = most_forks(records);
    let basis = Basis::of(records, (forks, forks)).sentence((0, 0));
    let end = [basis, last].into_iter().filter(|text| !text.is_empty());
    let end: Vec<StyledLine> = end.flat_map(|text| StyledLine::wrapped(&text, width, 2, Style::Dim)).collect();
    let most = below.map(|below| most_lines(width).saturating_sub(lines.len() + end.len() + below));
    lines.extend(lines::within(shown, most.unwrap_or(usize::MAX), &more, width));
    lines.extend(end);
    options.print(&lines)
}

/// The verdict on the later run, compared with the earlier one, and its text.
pub fn compare(before: Stored, after: Stored, threshold: Share, options: TableOptions) -> (String, Verdict) {
    let verdict = regression::compare(before, after, threshold);
    let rows = verdict.cells.len() + verdict.same.len();
    let lines = lines::lines(&Shown::of(&verdict), rows, options.columns());
    (options.print(&lines), verdict)
}

/// The same as one JSON document.
pub fn compare_json(before: Stored, after: Stored, threshold: Share) -> (String, Verdict) {
    let verdict = regression::compare(before, after, threshold);
    let (runs, sentences) = ([before.run.id, after.run.id], regression::sentences(&verdict));
    (written(&Document { schema: 1, runs, sentences, about: About::Regression(Box::new(verdict.clone())) }), verdict)
}

#[derive(Serialize)]
struct Document {
    schema: u32,
    runs: [i64; 2],
    sentences: Vec<String>,
    about: About,
}
