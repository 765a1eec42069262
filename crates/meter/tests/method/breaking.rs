//! Workers that break: each costs its cell, is named with what it did, and the others go on.

use ciphermeter_core::{Outcome, Record, RunStatus};
use ciphermeter_meter::MeterError;

use crate::model::{Model, Vice};
use crate::trial::{Kept, Trial};

/// Nanoseconds of a call.
fn each(provider: &str) -> f64 {
    match provider {
        "a" => 100.0,
        "b" => 110.0,
        _ => 90.0,
    }
}

fn beside(vice: Vice) -> Kept {
    let model = |name| Model::new(name, each(name));
    let mut trial = Trial::new([model("a"), Model { vice, ..model("bad") }, model("b")]);
    trial.messages = r#""1KiB", "4KiB""#;
    let (end, kept) = trial.run();
    assert_eq!(end.unwrap().status, RunStatus::Partial, "{vice:?}");
    for provider in ["a", "b"] {
        for record in kept.records.iter().filter(|record| record.cell.provider == provider) {
            let summary = record.summary.as_ref().unwrap();
            assert!(summary.forks >= 6, "{vice:?}: {provider} has {} forks", summary.forks);
        }
    }
    // Whichever is the reference, be it what broke, the other two have their true ratios to it.
    let reference = kept.records.iter().find(|record| record.id == kept.summary("b").reference).unwrap();
    let divisor = each(&reference.cell.provider);
    for provider in ["a", "b"] {
        let ((mid, half), truth) = (kept.ratio(provider), each(provider) / divisor);
        assert!((mid / truth - 1.0).abs() < 0.01, "{vice:?}: {provider} {mid} ± {half}, the truth is {truth}");
    }
    kept
}

#[test]
fn each_way_to_break_is_named() {
    for (vice, says) in [
        (Vice::Dies(3), "the worker of bad failed: it ended by signal 11"),
        (Vice::Hangs(3), "the worker of bad failed: it gave no reply within"),
        (Vice::Garbage(3), "the worker of bad failed: it answered `Segmentation`"),
        (Vice::Claims(0), "the worker of bad failed: it claims 0 ns for a sample of 1"),
        (Vice::Claims((1 << 53) - 1), "the worker of bad failed: it claims 9007199254740991 ns, but answered within"),
        (Vice::WrongCell, "the worker of bad failed: it answered for cell"),
        (Vice::Reports, "the library returned 0"),
    ] {
        let kept = beside(vice);
        assert!(kept.why("bad").contains(says), "{vice:?}: {}", kept.why("bad"));
    }
}

#[test]
fn a_worker_that_dies_in_the_middle_keeps_what_it_had() {
    let kept = beside(Vice::Dies(19));
    let is_failed = |record: &&Record| matches!(record.outcome, Outcome::Failed { .. });
    let failed = kept.records.iter().find(is_failed).expect("a cell of the worker that dies");
    let had: usize = failed.forks.iter().map(|fork| fork.samples.len()).sum();
    assert!(failed.cell.provider == "bad" && had > 5, "{had}");
}

#[test]
fn a_refused_size_is_no_failure() {
    let mut trial =
        Trial::new([Model::new("a", 100.0), Model { vice: Vice::Refuses(2000), ..Model::new("small", 90.0) }]);
    trial.messages = r#""1KiB", "4KiB""#;
    let (end, kept) = trial.run();
    assert_eq!(end.unwrap().status, RunStatus::Complete);
    let outcomes: Vec<_> = kept.records.iter().filter(|record| record.cell.provider == "small").collect();
    assert!(outcomes.iter().any(|record| record.summary.is_some()));
    assert!(outcomes.iter().any(|record| format!("{:?}", record.outcome).contains("over 2000 bytes")));
}

#[test]
fn a_call_too_long_for_the_budget_says_so() {
    let (_, kept) = Trial::new([Model::new("a", 100.0), Model::new("glacial", 2e9)]).run();
    assert!(kept.why("glacial").contains("one sample takes"), "{}", kept.why("glacial"));
    assert!(kept.why("glacial").ends_with("use a longer --budget"));
}

#[test]
fn a_slow_cell_is_bracketed_and_right() {
    let mut trial = Trial::new([Model::new("a", 100.0), Model::new("b", 105.0), Model::new("slow", 8e6)]);
    trial.habits.drift = 0.2;
    let (_, kept) = trial.run();
    let (mid, half) = kept.ratio("slow");
    assert!((mid / 8e4 - 1.0).abs() < 0.02, "{mid} ± {half}");
}

#[test]
fn with_nothing_to_measure_the_reason_is_given() {
    let mut trial = Trial::new(Vec::new());
    trial.messages = r#""1KiB""#;
    let (end, _) = trial.run();
    match end {
        Err(MeterError::Nothing(why)) => {
            assert!(why[0].contains("no provider here"), "{why:?}")
        }
        other => panic!("{other:?}"),
    }
}
