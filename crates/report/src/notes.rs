//! What a reader should know besides the figures: the run's notes, then the records' warnings, each sentence once.

use std::collections::BTreeMap;

use ciphermeter_core::{Note, Record, Run, Topic, escaped};

use ciphermeter_answer::words::heading;

/// One line for each note of the run; and, if all are wanted, for those on the meter's own work and for each sort of warning with the
/// number of cells and an example.
pub fn notes(run: &Run, records: &[Record], all: bool) -> Vec<String> {
    let is_here = |note: &Note| records.iter().any(|record| note.providers.contains(&record.cell.provider));
    let is_of_method = |note: &Note| match note.topic {
        Topic::Method => true,
        // That a provider lacks a form is news where it is all that there is to say of it.
        Topic::Forms => is_here(note),
        _ => false,
    };
    // What an answer rests on has the share of all samples; a part's own beside it would contradict.
    let is_share = |note: &Note| note.topic == Topic::Method && note.text.contains("of the samples were disturbed");
    let wanted = run.notes.iter().filter(|note| !is_share(note) && (all || !is_of_method(note)));
    let notes = wanted.map(|note| format!("note: {}", escaped(&note.to_string())));
    let warnings = if all { warnings(records) } else { Vec::new() };
    notes.chain(warnings).collect()
}

struct Seen<'a> {
    sentence: &'a str,
    example: &'a Record,
    cells: usize,
}

fn warnings(records: &[Record]) -> Vec<String> {
    let mut sorts = BTreeMap::<String, Seen>::new();
    let measured = records.iter().filter(|record| record.summary.is_some()).count();
    for record in records {
        for sentence in record.summary.iter().flat_map(|summary| &summary.warnings) {
            let seen = Seen { sentence, example: record, cells: 0 };
            sorts.entry(without_numbers(sentence)).or_insert(seen).cells += 1;
        }
    }
    let mut sorts: Vec<_> = sorts.into_values().collect();
    sorts.sort_by_key(|seen| (std::cmp::Reverse(seen.cells), seen.example.id));
    sorts.iter().map(|seen| line(seen, measured)).collect()
}

fn line(seen: &Seen, measured: usize) -> String {
    let cell = &seen.example.cell;
    let example = format!("{} {} {}", escaped(&cell.provider), cell.algorithm, heading(&cell.group()));
    let sentence = escaped(seen.sentence);
    match seen.cells {
        1 => format!("warning: {example}: {sentence}"),
        cells => format!("warning: {cells} of {measured} cells, for example {example}: {sentence}"),
    }
}

/// The same warning of two cells differs in its figures only.
fn without_numbers(sentence: &str) -> String {
    sentence.chars().filter(|c| !(c.is_ascii_digit() || matches!(c, '.' | '+' | '-'))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ciphermeter_answer::fixtures;

    #[test]
    fn the_same_sentence_is_said_once() {
        let (mut run, mut records) = fixtures::run();
        run.notes = vec![Note::other("the worker `go` is missing")];
        for (record, percent) in records.iter_mut().zip([3.5, 4.0, 12.0]) {
            if let Some(summary) = &mut record.summary {
                summary.warnings = vec![format!("precision ±{percent:.1} % (requested ±2.0 %)")];
            }
        }
        records[1].summary.as_mut().unwrap().warnings.push("runs on\u{7} two levels".into());
        insta::assert_snapshot!(notes(&run, &records, true).join("\n"));
    }

    #[test]
    fn share_of_disturbed_samples_is_left_to_what_the_answer_rests_on() {
        let (mut run, records) = fixtures::run();
        run.notes =
            vec![Note::method("4 % of the samples were disturbed by other work on this core; ratios exclude them")];
        assert!(notes(&run, &records, true).is_empty());
    }

    #[test]
    fn nothing_to_say() {
        let (run, records) = fixtures::run();
        assert!(notes(&run, &records, true).is_empty());
    }
}
