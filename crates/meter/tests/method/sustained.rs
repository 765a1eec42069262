//! A load of one cell: steps of about a second for as long as the budget says, and what is left of it when its worker breaks.

use ciphermeter_core::{Metric, Record, RunStatus, Sample};
use ciphermeter_meter::{End, MeterError};

use crate::model::{Model, Vice};
use crate::trial::{Kept, Trial};

fn load(model: Model) -> (End, Kept) {
    let mut trial = Trial::new([model]);
    (trial.kind, trial.budget) = ("sustained", "30s");
    let (end, kept) = trial.run();
    (end.unwrap(), kept)
}

fn steps(record: &Record) -> Vec<&Sample> {
    record.forks.iter().flat_map(|fork| &fork.samples).collect()
}

#[test]
fn a_load_lasts_as_long_as_the_budget_in_steps_of_a_second() {
    for each in [100.0, 2.0, 4e8] {
        let (end, kept) = load(Model::new("a", each));
        assert_eq!(end.status, RunStatus::Complete, "{each} ns: {}", kept.why("a"));
        let steps = steps(kept.record("a"));
        let lasted: u64 = steps.iter().filter_map(|step| step.count(Metric::ELAPSED)).sum();
        assert!((30e9..33e9).contains(&(lasted as f64)), "{each} ns: {lasted}");
        assert!((20..=40).contains(&steps.len()), "{each} ns: {} steps", steps.len());
        for step in steps {
            assert_eq!(step.count(Metric::BYTES), Some(step.iterations * 1024));
        }
    }
}

#[test]
fn a_worker_that_dies_leaves_the_steps_before() {
    let (end, kept) = load(Model { vice: Vice::Dies(40), ..Model::new("a", 100.0) });
    assert_eq!(end.status, RunStatus::Partial);
    let steps = steps(kept.record("a")).len();
    assert!(steps > 5, "{steps}");
    let says = format!("the load ended after {steps} steps: it ended by signal 11");
    assert!(kept.notes.contains(&says), "{:?}", kept.notes);
    assert_eq!(kept.why("a"), "measured");
}

#[test]
fn a_worker_whose_samples_take_no_time_fails() {
    for step_ns in [1, 1_000_000] {
        let (end, kept) = load(Model { vice: Vice::Claims(0), step_ns, ..Model::new("a", 1e-6) });
        assert_eq!(end.status, RunStatus::Partial);
        assert!(kept.why("a").contains("it claims"), "{}", kept.why("a"));
        assert!(steps(kept.record("a")).is_empty());
    }
}

#[test]
fn two_cells_are_refused() {
    let mut trial = Trial::new([Model::new("a", 100.0), Model::new("b", 100.0)]);
    trial.kind = "sustained";
    assert!(matches!(trial.run().0, Err(MeterError::Several(cells)) if cells.len() == 2));
}
