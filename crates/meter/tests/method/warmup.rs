//! All cells of a run have the same warm-up, however their neighbours behave: a library whose speed depends on the warm-up then has the
//! same figure in each run.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::machine::Habits;
use crate::model::Model;
use crate::trial::Trial;

fn models() -> [Model; 3] {
    [Model { wide: true, ..Model::new("wide", 50.0) }, Model::new("a", 100.0), Model::new("b", 120.0)]
}

#[test]
fn cells_with_wide_neighbours_have_the_warm_up_of_all() {
    for seed in 1..=4 {
        let mut trial = Trial { seed, ..Trial::new(models()) };
        trial.habits = Habits { low_clock_ns: 5e5, noise: 0.01, ..Habits::default() };
        let (_, kept) = trial.run();
        // The pilot counts calls without a warm-up.
        assert_eq!(kept.warmups, BTreeSet::from([0, 60_000]));
        assert!(kept.plan.parts.iter().all(|part| part.warmup_ns == 60_000));
        assert!(kept.notes.contains(&"warm-up before each sample: 60 µs".into()), "{:?}", kept.notes);
    }
}

#[test]
fn calls_over_50_milliseconds_have_none() {
    let (_, kept) = Trial { budget: "5min", ..Trial::new([Model::new("a", 6e7)]) }.run();
    assert_eq!(kept.warmups, BTreeSet::from([0]));
    assert!(kept.plan.parts.iter().all(|part| part.warmup_ns == 0));
}

#[test]
fn warm_up_for_as_long_as_the_clock_stays_low_leaves_nothing_of_it() {
    let mut trial = Trial { warmup: Some(Duration::from_millis(2)), ..Trial::new(models()) };
    trial.habits = Habits { low_clock_ns: 2e6, noise: 0.001, ..Habits::default() };
    let (_, kept) = trial.run();
    for (provider, truth) in [("a", 2.0), ("b", 2.4)] {
        let (mid, half) = kept.ratio(provider);
        assert!((mid / truth - 1.0).abs() < 0.003, "{provider}: {mid} ± {half}");
    }
}

#[test]
fn every_sample_names_its_predecessor() {
    let (_, kept) = Trial::new(models()).run();
    let samples = || kept.records.iter().flat_map(|record| &record.forks).flat_map(|fork| &fork.samples);
    let first = samples().filter(|sample| sample.after.is_none()).count();
    assert_eq!(first, kept.rounds, "only the first sample of a round has none");
    assert!(samples().all(|sample| (sample.turn == 0) == sample.after.is_none()));
}
