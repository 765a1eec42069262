//! What has no figure, why, and the command that helps: cells by what became of them, and what only
//! notes of the run tell.

use std::collections::BTreeSet;
use std::mem::discriminant;

use ciphermeter_core::{
    CellId, LeftOut as Reason, Note, Outcome, Record, Run, Topic, budget_option, command_in, escaped,
};
use serde::Serialize;

use crate::basis::longer;
use crate::next::{can_resume, in_store};
use crate::words::{few, heading, size};

/// What has no figure for the same sort of reason.
#[derive(Debug, Clone, Serialize)]
pub struct LeftOut {
    /// Of cells `wrong-output`, `failed`, `unsupported` or `left-out`; of what has no cells
    /// `not-measured` or `excluded`.
    pub is: &'static str,
    /// The sort of reason: that for which the run left cells out, or the same as `is`.
    pub reason: &'static str,
    /// What it is, in words; empty where no provider is named.
    pub what: String,
    /// Why, in words; of several figures, those of the cell that needs the most time.
    pub why: String,
    /// Both, as a sentence without its full stop.
    pub sentence: String,
    /// The command that helps, the program's name first.
    pub remedy: Option<Vec<String>>,
    /// The numbers of its cells.
    pub cells: Vec<CellId>,
}

impl LeftOut {
    /// Of a library that has no cells.
    pub(crate) fn not_measured(sentence: String, remedy: Option<Vec<String>>) -> Self {
        let (is, why) = ("not-measured", sentence.clone());
        Self { is, reason: is, what: String::new(), why, sentence, remedy, cells: Vec::new() }
    }
}

/// Cells by what became of them; then providers, devices and cells that no record has.
pub fn left_out(run: &Run, records: &[Record]) -> Vec<LeftOut> {
    let mut all: Vec<(&Record, Vec<CellId>)> = Vec::new();
    for record in records.iter().filter(|record| record.outcome != Outcome::Measured) {
        match all.iter_mut().find(|(known, _)| is_same_sort(&known.outcome, &record.outcome)) {
            Some((known, cells)) => {
                cells.push(record.id);
                *known = [record, *known].into_iter().max_by_key(|record| record.outcome.enough_s()).unwrap_or(known);
            }
            None => all.push((record, vec![record.id])),
        }
    }
    let cells = all.into_iter().filter_map(|(record, cells)| of_cells(run, records, record, cells));
    cells.chain(run.notes.iter().filter_map(of_note)).collect()
}

fn of_cells(run: &Run, records: &[Record], worst: &Record, cells: Vec<CellId>) -> Option<LeftOut> {
    let own: Vec<&Record> = records.iter().filter(|record| cells.contains(&record.id)).collect();
    let (is, what, why) = (worst.outcome.word(), cells_in_words(&own, usize::MAX), worst.why()?);
    let (reason, remedy) = match &worst.outcome {
        Outcome::LeftOut(reason) => (reason.word(), again(run, reason)),
        _ => (is, builds(&why)),
    };
    let sentence = format!("{what}: {why}");
    Some(LeftOut { is, reason, what, why, sentence, remedy, cells })
}

/// What a note says of providers, of a device or of cells of which there is no record.
fn of_note(note: &Note) -> Option<LeftOut> {
    let is = match note.topic {
        Topic::NotMeasured => "not-measured",
        Topic::Excluded => "excluded",
        _ => return None,
    };
    let (what, why) = (note.providers.join(", "), note.text.clone());
    let remedy = builds(&why);
    Some(LeftOut { is, reason: is, what, why, sentence: note.to_string(), remedy, cells: Vec::new() })
}

/// The command that builds what is not built. The words may be of anyone's store, so no other
/// command is taken from them.
fn builds(why: &str) -> Option<Vec<String>> {
    command_in(why).filter(|words| matches!(&words[1..], [workers, build, name] if workers == "workers" && build == "build" && !name.starts_with('-')))
}

/// The command that gives cells the time that they lacked.
fn again(run: &Run, reason: &Reason) -> Option<Vec<String>> {
    let words = match reason.enough_s() {
        _ if !reason.is_for_time() => None,
        None if can_resume(run) => Some(run.resume_words()),
        None => run.again_words(&longer(run, 4.0)?),
        Some(seconds) => run.again_words(&budget_option(seconds as f64)),
    };
    words.map(|words| in_store(run, words))
}

/// What a run had no time or memory for is one sort, whatever the figures.
fn is_same_sort(one: &Outcome, other: &Outcome) -> bool {
    match (one, other) {
        (Outcome::LeftOut(Reason::Earlier { .. }), Outcome::LeftOut(Reason::Earlier { .. })) => one == other,
        (Outcome::LeftOut(one), Outcome::LeftOut(other)) => discriminant(one) == discriminant(other),
        _ => one == other,
    }
}

/// `openssl aes-256-ctr, 3 cells`; `aws-lc and openssl, 12 cells of 1 GB`; of more providers than `named`, their number; nothing of no
/// cell.
pub fn cells_in_words(cells: &[&Record], named: usize) -> String {
    let Some(first) = cells.first().map(|record| &record.cell) else { return String::new() };
    let is_alike =
        |record: &&Record| (&record.cell.provider, record.cell.algorithm) == (&first.provider, first.algorithm);
    match cells {
        [_] => format!("{} {}, {}", escaped(&first.provider), first.algorithm, heading(&first.group())),
        all if all.iter().all(is_alike) => {
            format!("{} {}, {} cells", escaped(&first.provider), first.algorithm, all.len())
        }
        all => {
            let providers: BTreeSet<String> = all.iter().map(|record| escaped(&record.cell.provider)).collect();
            let sizes: BTreeSet<u64> = all.iter().map(|record| record.cell.parameters.message()).collect();
            let of_size =
                if sizes.len() == 1 { format!(" of {}", size(first.parameters.message())) } else { String::new() };
            let names = few(&providers.into_iter().collect::<Vec<_>>(), named, "providers");
            format!("{names}, {} cells{of_size}", all.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    fn asked() -> (Run, Vec<Record>) {
        let (mut run, records) = fixtures::run();
        run.plan.asked = ["run", "tls"].map(String::from).into();
        (run, records)
    }

    #[test]
    fn what_only_notes_tell_is_left_out_too_with_its_remedy() {
        let (mut run, records) = asked();
        let unbuilt = "the worker go is not built: `ciphermeter workers build go` builds it";
        run.notes = vec![
            Note::not_measured(&["go", "tink-go"], unbuilt),
            Note::excluded(&["ring"], "ring: aes-256-gcm excluded under --cpu no-aes: it has no switch"),
            Note::excluded(
                &["openssl@old"],
                "`ciphermeter recv --into /` openssl@old is left out: there is no newer counterpart here",
            ),
            Note::method("warm-up before each sample: 20 µs"),
        ];
        let all = left_out(&run, &records);
        let said: Vec<_> = all.iter().map(|one| (one.is, one.what.as_str(), one.sentence.clone())).collect();
        let of = |place: usize| run.notes[place].to_string();
        assert_eq!(
            said,
            [("not-measured", "go, tink-go", of(0)), ("excluded", "ring", of(1)), ("excluded", "openssl@old", of(2))]
        );
        let remedies: Vec<_> = all.iter().map(|one| one.remedy.as_ref().map(|words| words.join(" "))).collect();
        assert_eq!(remedies, [Some("ciphermeter workers build go".into()), None, None]);
    }

    #[test]
    fn cells_of_a_page_without_time_name_its_button() {
        let (run, mut records) = asked();
        fixtures::of_page(&mut records);
        records[0].outcome = Outcome::LeftOut(Reason::SlowSample { sample_ms: 9000, left_ms: 2000 });
        records[1].outcome = Outcome::LeftOut(Reason::NotReached);
        let all = left_out(&run, &records);
        assert!(all.iter().all(|one| one.sentence.ends_with("; use \"Measure longer\" on the page")), "{all:?}");
    }

    #[test]
    fn cells_without_time_name_the_command_that_gives_it() {
        let (mut run, mut records) = asked();
        records[0].outcome = Outcome::LeftOut(Reason::SlowSetUp { sample_ms: 9000, timed: true, budget_s: 299 });
        records[1].outcome = Outcome::LeftOut(Reason::NotReached);
        records[2].outcome = Outcome::WrongOutput { why: "expected 00, came 01".into() };
        let all = left_out(&run, &records);
        let said: Vec<_> = all.iter().map(|one| (one.is, one.reason, one.cells.len())).collect();
        assert_eq!(
            said,
            [("left-out", "slow-set-up", 1), ("left-out", "not-reached", 1), ("wrong-output", "wrong-output", 1)]
        );
        let remedy = |place: usize| all[place].remedy.as_ref().map(|words| words.join(" "));
        assert_eq!(remedy(0).as_deref(), Some("ciphermeter run tls --budget 299s"));
        assert_eq!(remedy(1).as_deref(), Some("ciphermeter run tls --budget 240s"));
        assert_eq!(remedy(2), None);
        run.status = ciphermeter_core::RunStatus::Interrupted;
        let words = left_out(&run, &records)[1].remedy.as_ref().map(|words| words.join(" "));
        assert_eq!(words, Some(format!("ciphermeter {}", run.resume_words().join(" "))));
    }
}
