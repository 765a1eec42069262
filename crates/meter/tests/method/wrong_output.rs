//! A provider whose output is wrong is not timed, or its times don't count.

use ciphermeter_core::{Outcome, Record};

use crate::model::{Model, Vice};
use crate::trial::{Kept, Trial};

fn with(vice: Vice) -> Kept {
    let (end, kept) =
        Trial::new([Model::new("a", 100.0), Model { vice, ..Model::new("bad", 10.0) }, Model::new("b", 110.0)]).run();
    assert!(end.unwrap().wrong_output, "{vice:?}");
    assert_eq!((kept.why("a").as_str(), kept.why("b").as_str()), ("measured", "measured"));
    kept
}

#[test]
fn a_wrong_answer_to_a_vector() {
    let kept = with(Vice::WrongCheck);
    assert!(
        kept.why("bad").starts_with("wrong output: vector xor-1: decrypt must give the message"),
        "{}",
        kept.why("bad")
    );
    assert!(kept.record("bad").forks.iter().all(|fork| fork.samples.is_empty()), "it is not timed");
}

#[test]
fn provider_that_answers_no_vector_is_unsupported_and_not_wrong() {
    let silent = Model { vice: Vice::NoCheck, ..Model::new("silent", 10.0) };
    let (end, kept) = Trial::new([Model::new("a", 100.0), silent, Model::new("b", 110.0)]).run();
    assert!(!end.unwrap().wrong_output);
    let why = kept.why("silent");
    assert!(why.contains("it answered no vector, so it is unverified: no threads for that"), "{why}");
    assert!(kept.record("silent").forks.iter().all(|fork| fork.samples.is_empty()), "it is not timed");
}

#[test]
fn an_output_that_differs_at_an_awkward_length() {
    let kept = with(Vice::WrongAtLength(65));
    assert!(kept.why("bad").contains("encrypt of 65 bytes"), "{}", kept.why("bad"));
    assert!(kept.why("bad").ends_with("differs from all others"));
}

#[test]
fn right_when_checked_but_cached_in_the_timed_loop() {
    let kept = with(Vice::Cached);
    assert!(kept.why("bad").contains("the timed loop left an output"), "{}", kept.why("bad"));
}

/// A provider without siblings, over four messages.
fn alone(vice: Vice) -> (Kept, bool) {
    let mut trial = Trial::new([Model { vice, ..Model::new("only", 100.0) }]);
    trial.messages = r#""64", "1KiB", "4KiB", "16KiB""#;
    let (end, kept) = trial.run();
    (kept, end.unwrap().wrong_output)
}

#[test]
fn without_siblings_another_process_of_the_provider_makes_outputs_anew() {
    let (kept, is_wrong) = alone(Vice::Cached);
    assert!(is_wrong && kept.why("only").contains("where a fresh process of its own makes"), "{}", kept.why("only"));
}

#[test]
fn processes_that_make_outputs_anew_serve_all_cells_of_a_fork() {
    let (kept, is_wrong) = alone(Vice::None);
    assert!(!is_wrong && kept.why("only") == "measured");
    // The survey and the pilot have processes of their own.
    let (forks, started) = (kept.whole as usize, kept.affinities.len());
    assert!(forks >= 6 && started <= 2 * forks + 6, "{started} processes for {forks} forks");
}

#[test]
fn no_cell_answers_for_what_another_did_to_the_process_that_makes_outputs_anew() {
    for vice in [Vice::BreaksAfterRelease, Vice::RefusesAfterRelease, Vice::WrongAfterRelease] {
        let (kept, is_wrong) = alone(vice);
        let measured = |record: &Record| record.outcome == Outcome::Measured;
        assert!(!is_wrong && kept.records.iter().all(measured), "{vice:?}: {}", kept.why("only"));
        assert!(kept.affinities.len() > 4 * kept.whole as usize, "{vice:?}: each cell has one, then");
    }
}

#[test]
fn of_two_that_differ_neither_is_timed() {
    let (end, kept) =
        Trial::new([Model::new("a", 100.0), Model { vice: Vice::WrongAtLength(17), ..Model::new("b", 90.0) }]).run();
    let end = end.unwrap();
    assert!(end.wrong_output && !end.measured);
    assert!(kept.why("a").contains("no majority here says which is right"), "{}", kept.why("a"));
}
