//! Cells that have no figure, a line for each sort, with what it was.

use std::collections::BTreeSet;

use ciphermeter_core::{Note, Outcome, Record, Run, Topic, escaped};

use crate::styled_line::{Style, StyledLine};
use ciphermeter_answer::basis::nothing_left;
use ciphermeter_answer::left_out::cells_in_words;

/// So many providers are named; of more, their number.
const NAMED: usize = 2;

/// A word for cells that have no figure, which they are, and how the line looks.
type Sort<'a> = (&'static str, Vec<&'a Record>, Style);

fn those(records: &[Record], test: fn(&Outcome) -> bool) -> Vec<&Record> {
    records.iter().filter(|record| test(&record.outcome)).collect()
}

/// Whose output was wrong: it stands before every answer.
pub(super) fn wrong(run: &Run, records: &[Record], width: usize) -> Vec<StyledLine> {
    let wrong = those(records, |outcome| matches!(outcome, Outcome::WrongOutput { .. }));
    lines(run, records, vec![("WRONG OUTPUT", wrong, Style::Red)], width)
}

/// All others, those that providers refuse if `names_refused`, and devices that have no cell.
pub(super) fn others(run: &Run, records: &[Record], names_refused: bool, width: usize) -> Vec<StyledLine> {
    let failed = those(records, |outcome| matches!(outcome, Outcome::Failed { .. }));
    let late = those(records, |outcome| matches!(outcome, Outcome::LeftOut(reason) if reason.is_for_time()));
    let large = those(records, |outcome| matches!(outcome, Outcome::LeftOut(reason) if reason.is_for_memory()));
    let others = those(records, |outcome| match outcome {
        Outcome::LeftOut(reason) => !reason.is_for_time() && !reason.is_for_memory(),
        outcome => matches!(outcome, Outcome::Unsupported { .. }),
    });
    let others = others.into_iter().filter(|_| names_refused).collect();
    let sorts = vec![
        ("Failed", failed, Style::Yellow),
        ("No time for", late, Style::Plain),
        ("No memory for", large, Style::Plain),
        ("Not measured", others, Style::Plain),
    ];
    let devices = devices(run).into_iter();
    let devices = devices.flat_map(|text| StyledLine::wrapped(&text, width, 2, Style::Yellow));
    devices.chain(lines(run, records, sorts, width)).collect()
}

fn lines(run: &Run, records: &[Record], sorts: Vec<Sort>, width: usize) -> Vec<StyledLine> {
    // Then the reason stands above.
    let is_said = nothing_left(records).is_some();
    let sorts: Vec<_> = sorts.into_iter().filter(|(_, those, _)| !those.is_empty()).collect();
    let whys: Vec<_> = sorts.iter().map(|(_, those, _)| reason(those).filter(|_| !is_said)).collect();
    // One command has the reasons of all sorts, so it stands behind the last.
    let last = whys.iter().rposition(Option::is_none);
    let command = || format!("; why: {}", run.command(&format!("show {} --all", run.id)));
    let lines = sorts.iter().zip(&whys).enumerate().flat_map(|(place, ((word, those, style), why))| {
        let why = match why {
            Some(why) => format!("; {why}"),
            None if last == Some(place) => command(),
            None => String::new(),
        };
        StyledLine::wrapped(&format!("{word}: {}{why}", cells_in_words(those, NAMED)), width, 2, *style)
    });
    lines.collect()
}

/// Devices that were asked for and have no record, so that no cell names them: the first reason, and how many more there are.
fn devices(run: &Run) -> Option<String> {
    run.fact("devices")?;
    let of_device = |note: &Note| match &note.providers[..] {
        _ if note.topic != Topic::NotMeasured => None,
        [] => Some(note.text.clone()),
        [provider] if provider.contains('@') => Some(format!("{provider}: {}", note.text)),
        _ => None,
    };
    let all: Vec<String> = run.notes.iter().filter_map(of_device).collect();
    let first = escaped(all.first()?.trim_end_matches('.'));
    Some(match all.len() {
        1 => format!("Not measured: {first}."),
        n => format!("Not measured: {first}. {} more: {}", n - 1, run.command(&format!("show {} --all", run.id))),
    })
}

/// Why these cells failed, if all did for the same reason.
fn reason(records: &[&Record]) -> Option<String> {
    let failed = |record: &&Record| match &record.outcome {
        Outcome::Failed { why } => Some(why.clone()),
        _ => None,
    };
    let all: BTreeSet<String> = records.iter().map(failed).collect::<Option<_>>()?;
    all.first().filter(|_| all.len() == 1).map(|why| escaped(why))
}
