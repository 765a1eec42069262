//! Forks that differ.

use crate::model::Model;
use crate::trial::Trial;

#[test]
fn forks_that_differ_widen_the_interval_and_more_of_them_are_held() {
    let calm = [Model::new("a", 100.0), Model { spread: 0.002, ..Model::new("b", 110.0) }];
    let (_, calm) = Trial::new(calm).run();
    assert!(calm.summary("b").converged);
    assert!(calm.whole >= 6, "{} forks", calm.whole);
    assert!((2.5..4.0).contains(&calm.seconds), "it ends after a quarter of its 10 s: {} s", calm.seconds);

    let wild = [Model::new("a", 100.0), Model { spread: 0.025, ..Model::new("b", 110.0) }];
    let mut wild = Trial::new(wild);
    wild.precision = "0.1%";
    let (_, wild) = wild.run();
    assert!(wild.ratio("b").1 > 3.0 * calm.ratio("b").1);
    assert!(wild.whole > 2 * calm.whole, "{} forks", wild.whole);
    let warnings = &wild.summary("b").warnings;
    assert!(!wild.summary("b").converged && warnings[0].starts_with("precision ±"), "{warnings:?}");
}

#[test]
fn processes_that_take_long_to_start_hold_longer_forks() {
    let rounds_of_a_fork = |starting, budget| {
        let mut trial = Trial::new([Model::new("a", 100.0), Model { starting, ..Model::new("b", 110.0) }]);
        (trial.budget, trial.precision) = (budget, "0.01%");
        let (_, kept) = trial.run();
        assert!(kept.whole > 50, "{} forks", kept.whole);
        kept.rounds as f64 / f64::from(kept.whole)
    };
    let (quick, slow) = (rounds_of_a_fork(0.0, "4s"), rounds_of_a_fork(0.2, "30s"));
    assert!(quick >= 9.0 && slow > 2.0 * quick, "{quick} and {slow} rounds");
}
