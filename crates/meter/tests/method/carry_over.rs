//! Wide vectors lower the clock for whoever runs next. Warm-up must grow until that no longer shows.

use crate::machine::Habits;
use crate::model::Model;
use crate::trial::{Kept, Trial};

fn models() -> [Model; 3] {
    [Model { wide: true, ..Model::new("wide", 50.0) }, Model::new("a", 100.0), Model::new("b", 120.0)]
}

/// The two figures of the note, in percent: the median over cells and the worst.
fn left_over(kept: &Kept) -> (f64, f64) {
    let note = kept.notes.iter().find(|note| note.starts_with("carry-over left")).expect("it is told");
    let signed = note.split_whitespace().filter(|word| word.starts_with(['+', '-']));
    let mut figures = signed.filter_map(|word| word.parse::<f64>().ok());
    let (usual, worst) = (figures.next().expect("a median"), figures.next().expect("the worst"));
    assert_eq!(figures.next(), None, "{note}");
    (usual, worst)
}

#[test]
fn a_cell_after_a_wide_one_is_measured_as_after_itself() {
    let mut trial = Trial::new(models());
    trial.habits = Habits { low_clock_ns: 2e6, noise: 0.001, ..Habits::default() };
    let (_, kept) = trial.run();
    for (provider, truth) in [("a", 2.0), ("b", 2.4)] {
        let (mid, half) = kept.ratio(provider);
        assert!((mid / truth - 1.0).abs() < 0.003, "{provider}: {mid} ± {half}");
    }
    let (usual, worst) = left_over(&kept);
    assert!(usual.abs() < 0.1 && worst.abs() < 0.1, "{usual} %, worst {worst} %");
}

#[test]
fn what_warm_up_had_no_time_to_mend_is_told() {
    let mut trial = Trial::new(models());
    trial.budget = "0.3s";
    trial.habits = Habits { low_clock_ns: 5e5, noise: 0.001, ..Habits::default() };
    let (_, kept) = trial.run();
    let (_, worst) = left_over(&kept);
    assert!(worst > 0.1, "worst {worst} %");
}

#[test]
fn every_sample_names_its_predecessor() {
    let (_, kept) = Trial::new(models()).run();
    let samples = || kept.records.iter().flat_map(|record| &record.forks).flat_map(|fork| &fork.samples);
    let first = samples().filter(|sample| sample.after.is_none()).count();
    assert_eq!(first, kept.rounds, "only the first sample of a round has none");
    assert!(samples().all(|sample| (sample.turn == 0) == sample.after.is_none()));
}
