//! Forks that differ.

use crate::model::Model;
use crate::trial::Trial;

#[test]
fn forks_that_differ_widen_the_interval_and_more_of_them_are_held() {
    let calm = [Model::new("a", 100.0), Model { spread: 0.002, ..Model::new("b", 110.0) }];
    let (_, calm) = Trial::new(calm).run();
    assert!(calm.summary("b").converged);
    assert_eq!(calm.whole, 6, "it stops at the sixth");

    let wild = [Model::new("a", 100.0), Model { spread: 0.025, ..Model::new("b", 110.0) }];
    let mut wild = Trial::new(wild);
    wild.precision = "0.5%";
    let (_, wild) = wild.run();
    assert!(wild.ratio("b").1 > 5.0 * calm.ratio("b").1);
    assert!(wild.whole > 6, "{} forks", wild.whole);
    let warnings = &wild.summary("b").warnings;
    assert!(!wild.summary("b").converged && warnings[0].starts_with("precision ±"), "{warnings:?}");
}
