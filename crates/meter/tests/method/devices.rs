//! Devices: boards on a line that are reset and unplugged, and emulated cores that count.

use ciphermeter_core::{Counts, Metric, Outcome, Record, RunStatus, lost_why};
use ciphermeter_meter::MeterError;

use crate::board::Board;
use crate::model::{Model, Vice};
use crate::trial::{Kept, Trial};

fn on(board: &Board, name: &str, each: f64) -> Model {
    Model { board: Some(board.clone()), step_ns: 4000, ..Model::new(&format!("{name}@{}", board.name()), each) }
}

/// The samples of whole forks.
fn samples(record: &Record, metric: Metric) -> Vec<u64> {
    let forks = record.forks.iter().filter(|fork| !fork.short);
    forks.flat_map(|fork| &fork.samples).filter_map(|sample| sample.count(metric)).collect()
}

fn run(mut models: Vec<Model>) -> Kept {
    models.push(Model::new("here", 100.0));
    let (end, kept) = Trial { messages: r#""64", "1KiB", "4KiB""#, ..Trial::new(models) }.run();
    let end = end.unwrap();
    assert_eq!((end.status, end.wrong_output, end.measured), (RunStatus::Complete, false, true), "{:?}", kept.notes);
    kept
}

fn of<'a>(kept: &'a Kept, provider: &'a str) -> impl Iterator<Item = &'a Record> {
    kept.records.iter().filter(move |record| record.cell.provider == provider)
}

#[test]
fn emulated_core_is_counted_twice_and_exactly() {
    let board = Board::emulated(1);
    let kept = run(vec![on(&board, "a", 4000.0), on(&board, "b", 5000.0)]);
    for (provider, each) in [("a@board1", 4000), ("b@board1", 5000)] {
        for record in of(&kept, provider) {
            let expected = 8 * each * record.cell.parameters.message() / 1024 + 8 * 9 + 4;
            assert_eq!(samples(record, Metric::INSTRUCTIONS), [expected, expected]);
            assert_eq!(samples(record, Metric::STACK), [312, 312]);
            assert!(samples(record, Metric::NS).is_empty() && record.summary.is_none());
            assert_eq!((record.cell.parameters.device(), record.cell.device()), (Some(1), Some("board1")));
            let device = record.provenance.as_ref().unwrap().device.clone().unwrap();
            assert_eq!((device.counts, device.emulated), (Some(Counts::Instructions), true));
        }
    }
    // This machine is measured as it always is, in groups of its own.
    assert!(of(&kept, "here").all(|record| record.summary.as_ref().is_some_and(|summary| summary.forks >= 6)));
    let includes = "board1: each call's instructions include 9 of the loop";
    assert!(kept.notes.iter().any(|note| note.starts_with(includes)), "{:?}", kept.notes);
    assert!(!kept.notes.iter().any(|note| note.contains("differ between two starts")));
}

#[test]
fn counts_that_differ_between_starts_are_told() {
    let board = Board::emulated(1);
    let kept = run(vec![Model { spread: 0.01, ..on(&board, "a", 4000.0) }]);
    let note = kept.notes.iter().find(|note| note.contains("differ between two starts")).unwrap();
    assert!(note.starts_with("a@board1: the instructions of 3 of 3 cells differ between two starts, by "), "{note}");
}

#[test]
fn devices_and_this_machine_share_no_group() {
    let kept = run(vec![on(&Board::emulated(1), "a", 4000.0), on(&Board::on_a_line(2), "a", 900.0)]);
    let plans = kept.plan.parts.iter().flat_map(|part| &part.groups);
    for peers in plans {
        let groups: Vec<_> = peers.cells.iter().map(|id| kept.records[id.index()].cell.group()).collect();
        assert!(groups.windows(2).all(|pair| pair[0] == pair[1]), "{groups:?}");
    }
}

#[test]
fn board_on_a_line_is_measured_in_rounds() {
    let board = Board { room: 2, ..Board::on_a_line(1) };
    let kept = run(vec![on(&board, "a", 50_000.0), on(&board, "b", 60_000.0)]);
    for record in of(&kept, "b@board1") {
        let summary = record.summary.as_ref().unwrap();
        assert!(summary.forks >= 6 && summary.reference != record.id, "{summary:?}");
        let ratio = summary.ratio.unwrap();
        assert!((ratio.mid / 1.2 - 1.0).abs() < 0.01, "{ratio:?}");
        let least = samples(record, Metric::NS).into_iter().min().unwrap();
        assert!(least >= 4_000_000, "a step of the clock is at most a thousandth of a sample: {least}");
    }
    let clock = "board1: coarsest clock of all workers: steps of 4000 ns";
    assert!(kept.notes.iter().any(|note| note.starts_with(clock)), "{:?}", kept.notes);
    assert!(kept.notes.iter().any(|note| note.starts_with("coarsest clock of all workers: steps of 1 ns")));
}

#[test]
fn reset_in_mid_run_costs_no_cell() {
    for resets_at in [&[7][..], &[2, 40], &[100]] {
        let board = Board { resets_at, ..Board::on_a_line(1) };
        let kept = run(vec![on(&board, "a", 50_000.0), on(&board, "b", 60_000.0)]);
        let again = kept
            .notes
            .iter()
            .filter(|note| note.ends_with("started again in mid-run, and keeps what was measured: it had been reset"));
        assert_eq!(again.count(), resets_at.len(), "{:?}", kept.notes);
        for provider in ["a@board1", "b@board1"] {
            assert!(of(&kept, provider).all(|record| record.outcome == Outcome::Measured && record.summary.is_some()));
        }
    }
}

#[test]
fn reset_before_a_digest_costs_nothing_either() {
    // While it is verified, and when the output of timed calls is confirmed: each provider's verification takes 60 digests.
    for resets_at_digest in [10, 125] {
        let board = Board { resets_at_digest: Some(resets_at_digest), ..Board::on_a_line(1) };
        let kept = run(vec![on(&board, "a", 50_000.0), on(&board, "b", 60_000.0)]);
        let again =
            kept.notes.iter().filter(|note| note.contains("started again in mid-run, and keeps what was measured"));
        assert_eq!(again.count(), 1, "{:?}", kept.notes);
    }
}

#[test]
fn emulator_that_dies_is_started_again() {
    let dying = Model { vice: Vice::Dies(1), ..on(&Board::emulated(1), "a", 4000.0) };
    let mut trial = Trial::new([dying, Model::new("here", 100.0)]);
    trial.messages = r#""64", "1KiB""#;
    let (end, kept) = trial.run();
    // It dies in every life, so the third time is the last.
    assert_eq!(end.unwrap().status, RunStatus::Partial);
    assert!(
        kept.why("a@board1").contains("the worker of a@board1 failed 3 times, the last time: it ended by signal 11")
    );
    assert_eq!(kept.why("here"), "measured");
}

#[test]
fn unplugged_board_is_out_and_others_go_on() {
    let gone = Board { unplugged_at: Some(5), ..Board::on_a_line(1) };
    let models = [on(&gone, "a", 50_000.0), on(&gone, "b", 60_000.0), on(&Board::emulated(2), "a", 4000.0)];
    let mut trial = Trial::new(models.into_iter().chain([Model::new("here", 100.0)]).collect::<Vec<_>>());
    trial.messages = r#""64", "1KiB""#;
    let (end, kept) = trial.run();
    assert_eq!(end.unwrap().status, RunStatus::Partial);
    for provider in ["a@board1", "b@board1"] {
        let why = kept.why(provider);
        assert!(why.contains("failed 3 times, the last time: /dev/board: there is no such device"), "{why}");
    }
    assert!(of(&kept, "a@board2").all(|record| samples(record, Metric::INSTRUCTIONS).len() == 2));
    assert_eq!(kept.why("here"), "measured");
}

#[test]
fn board_unplugged_late_keeps_what_was_measured() {
    let gone = Board { unplugged_at: Some(120), ..Board::on_a_line(1) };
    let mut trial = Trial::new([on(&gone, "a", 50_000.0), Model::new("here", 100.0)]);
    trial.messages = r#""64", "1KiB""#;
    let (end, kept) = trial.run();
    assert_eq!(end.unwrap().status, RunStatus::Partial);
    let why = lost_why(&kept.typed_notes, "a@board1");
    assert_eq!(why, Some("/dev/board: there is no such device"), "{:?}", kept.notes);
    for record in of(&kept, "a@board1") {
        assert_eq!(record.outcome, Outcome::Measured);
        assert!(record.forks.iter().any(|fork| !fork.samples.is_empty()));
    }
    assert_eq!(kept.why("here"), "measured");

    // Without its board the run stays as it is, with it the run continues.
    match Trial::new([Model::new("here", 100.0)]).resume(kept.clone()).0 {
        Err(MeterError::Changed(why)) => assert!(why.contains("its device does not answer now"), "{why}"),
        other => panic!("{other:?}"),
    }
    let mut again = Trial::new([on(&Board::on_a_line(1), "a", 50_000.0), Model::new("here", 100.0)]);
    again.messages = r#""64", "1KiB""#;
    let (end, kept) = again.resume(kept);
    assert_eq!(end.unwrap().status, RunStatus::Complete);
    assert_eq!(lost_why(&kept.typed_notes, "a@board1"), None);
    assert!(of(&kept, "a@board1").all(|record| record.summary.as_ref().is_some_and(|summary| summary.forks >= 6)));
}

#[test]
fn board_lost_before_its_first_sample_is_measured_when_it_is_there_again() {
    let gone = Board { unplugged_at: Some(1), ..Board::on_a_line(1) };
    let (_, kept) = Trial::new([on(&gone, "a", 50_000.0), Model::new("here", 100.0)]).run();
    assert!(kept.why("a@board1").contains("failed 3 times"), "{}", kept.why("a@board1"));
    let (end, kept) = Trial::new([on(&Board::on_a_line(1), "a", 50_000.0), Model::new("here", 100.0)]).resume(kept);
    assert_eq!((end.unwrap().status, kept.why("a@board1").as_str()), (RunStatus::Complete, "measured"));
}

#[test]
fn broken_board_does_not_outvote_this_machine() {
    let board = Board::on_a_line(1);
    let bad = |name| Model { vice: Vice::WrongAtLength(17), ..on(&board, name, 50_000.0) };
    let (end, kept) = Trial::new([bad("a"), bad("b"), Model::new("here", 100.0)]).run();
    assert!(end.unwrap().wrong_output);
    for provider in ["a@board1", "b@board1"] {
        assert!(kept.why(provider).contains("differs from this machine's providers"), "{}", kept.why(provider));
    }
    assert_eq!(kept.why("here"), "measured");
}

#[test]
fn small_board_is_verified_with_what_fits() {
    let small = Board { max_message: Some(100), ..Board::emulated(1) };
    let mut trial = Trial::new([on(&small, "a", 4000.0), Model::new("here", 100.0)]);
    trial.messages = r#""64", "1KiB""#;
    let (end, kept) = trial.run();
    assert_eq!(end.unwrap().status, RunStatus::Complete);
    let outcomes: Vec<_> = of(&kept, "a@board1").map(|record| record.outcome.clone()).collect();
    assert_eq!(outcomes[0], Outcome::Measured);
    assert_eq!(outcomes[1], Outcome::Unsupported { why: "over Some(100) bytes".into() });
}

#[test]
fn wrong_output_of_a_device_is_wrong_output() {
    for vice in [Vice::WrongCheck, Vice::Cached, Vice::WrongAtLength(17)] {
        let board = Board::emulated(1);
        let bad = Model { vice, ..on(&board, "bad", 4000.0) };
        let models = [on(&board, "a", 4000.0), bad, on(&board, "b", 4000.0), Model::new("here", 100.0)];
        let (end, kept) = Trial::new(models).run();
        assert!(end.unwrap().wrong_output, "{vice:?}");
        assert!(kept.why("bad@board1").starts_with("wrong output: "), "{vice:?}: {}", kept.why("bad@board1"));
        assert_eq!((kept.why("a@board1").as_str(), kept.why("here").as_str()), ("measured", "measured"));
    }
}

#[test]
fn emulator_without_a_count_is_not_measured() {
    let timed = Board { counts: None, ..Board::emulated(1) };
    let (end, kept) = Trial::new([on(&timed, "a", 4000.0), Model::new("here", 100.0)]).run();
    assert_eq!(end.unwrap().status, RunStatus::Partial);
    let note = "a@board1 is not measured: it is emulated and counts neither instructions nor cycles";
    assert!(kept.notes.iter().any(|told| told.starts_with(note)), "{:?}", kept.notes);
}

#[test]
fn slow_verification_of_a_device_costs_this_machine_no_time() {
    let slow = Model { vice: Vice::SlowCheck, ..on(&Board::emulated(1), "a", 4000.0) };
    let kept = run(vec![slow]);
    assert!(kept.seconds > 30.0, "the vectors alone take longer than the budget: {}", kept.seconds);
    assert!(of(&kept, "here").all(|record| record.summary.as_ref().is_some_and(|summary| summary.forks >= 6)));
}

#[test]
fn counted_run_is_resumed_with_the_fork_that_is_missing() {
    let trial = |interrupted_after| Trial {
        interrupted_after,
        ..Trial::new([on(&Board::emulated(1), "a", 4_000_000.0), on(&Board::emulated(1), "b", 5_000_000.0)])
    };
    let whole = trial(f64::INFINITY).run().1;
    let (end, kept) = trial(whole.seconds * 0.75).run();
    assert_eq!(end.unwrap().status, RunStatus::Interrupted);
    let (end, kept) = trial(f64::INFINITY).resume(kept);
    assert_eq!(end.unwrap().status, RunStatus::Complete);
    for record in of(&kept, "a@board1") {
        let counts = samples(record, Metric::INSTRUCTIONS);
        assert!(counts.len() == 2 && counts[0] == counts[1], "{counts:?}");
    }
}

#[test]
fn other_device_is_refused_when_a_run_is_resumed() {
    let trial = |board: Board| Trial::new([on(&board, "a", 4000.0)]);
    let (_, kept) = trial(Board::emulated(1)).run();
    let other = Board { counts: Some(Counts::Cycles), ..Board::emulated(1) };
    match trial(other).resume(kept).0 {
        Err(MeterError::Changed(why)) => {
            assert!(why.contains("a@board1 was 1 (soft) on a board of number 1"), "{why}");
        }
        other => panic!("{other:?}"),
    }
}
