//! A runtime that compiles while it runs: warmed up on all CPUs until it stands still, then pinned, and only then timed.

use ciphermeter_meter::Affinity;

use crate::model::Model;
use crate::trial::Trial;

#[test]
fn nothing_is_timed_before_compilation_stands_still() {
    let compiling = Model { compiles: Some((30_000, 8.0)), ..Model::new("b", 130.0) };
    let mut trial = Trial::new([Model::new("a", 100.0), compiling]);
    trial.budget = "20s";
    let (_, kept) = trial.run();
    let (ratio, half) = kept.ratio("b");
    assert!((ratio - 1.3).abs() < 0.02 && half < 0.01, "{ratio} ± {half}");
    let affinities = |name: &str, affinity: Affinity| {
        kept.affinities.iter().filter(|started| *started == &(name.to_string(), affinity)).count()
    };
    assert!(
        affinities("b", Affinity::AllCpus) >= 7 && affinities("a", Affinity::AllCpus) == 0,
        "{:?}",
        kept.affinities
    );
    assert_eq!(kept.pinned.len(), affinities("b", Affinity::AllCpus), "each process is pinned once");
    let told = kept.notes.iter().find(|note| note.starts_with("b compiles while it runs")).unwrap();
    assert!(!told.contains("still moved"), "{told}");
}

#[test]
fn a_runtime_that_never_stands_still_says_so() {
    let restless = Model { compiles: Some((u64::MAX, 1.0)), ..Model::new("b", 130.0) };
    let mut trial = Trial::new([Model::new("a", 100.0), restless]);
    trial.budget = "30s";
    let (_, kept) = trial.run();
    let told = kept.notes.iter().find(|note| note.starts_with("b compiles while it runs")).unwrap();
    assert!(told.contains("of them compilation had not settled by then"), "{told}");
    assert!(kept.record("b").summary.is_some());
}
