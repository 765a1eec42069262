//! A worker that claims far less time than its calls took is shown up by the harness's clock, and no honest one is accused: every trial of
//! these tests looks.

use crate::model::{Model, Vice};
use crate::trial::Trial;

fn liar(each: f64, part: u64) -> Model {
    Model { vice: Vice::ClaimsPart(part), ..Model::new("liar", each) }
}

#[test]
fn times_of_a_twelfth_are_warned_of() {
    // Of the second, a sample is one call.
    for each in [1200.0, 1e7] {
        let mut trial = Trial::new([
            Model { probe: true, ..Model::new("probe", 5.0) },
            Model::new("honest", 100.0),
            liar(each, 12),
        ]);
        trial.budget = "60s";
        let (_, kept) = trial.run();
        let warnings = &kept.summary("liar").warnings;
        let is_warning = |warning: &String| warning.contains("times as long as its worker claims");
        assert!(warnings.iter().any(is_warning), "{each}: {warnings:?}");
    }
}

#[test]
fn half_of_the_time_may_be_the_worker_s_own() {
    let trial =
        Trial::new([Model { probe: true, ..Model::new("probe", 5.0) }, Model::new("honest", 100.0), liar(200.0, 2)]);
    let (_, kept) = trial.run();
    assert!(!kept.summary("liar").warnings.iter().any(|warning| warning.contains("worker claims")));
}

#[test]
fn processes_that_wait_for_a_cpu_are_not_accused() {
    for waits in [1e5, 1e6, 1e7] {
        let mut trial = Trial::new([
            Model { probe: true, ..Model::new("probe", 5.0) },
            Model::new("honest", 100.0),
            Model { young: Some(3.0), ..Model::new("young", 90.0) },
            Model { stack: Some(1.1), ..Model::new("slow", 1e5) },
        ]);
        trial.habits.waits = waits;
        trial.budget = "30s";
        assert!(trial.run().1.whole > 0);
    }
}
