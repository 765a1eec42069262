//! Cells that allocate large outputs are measured in processes that have just started and in such as have served for a while.

use crate::model::Model;
use crate::trial::{Kept, Trial};

fn run(form: &str, messages: &'static str) -> Kept {
    let old = Model { young: Some(1.5), ..Model::new("young", 400.0) };
    let mut trial = Trial::new([old, Model::new("steady", 500.0)]);
    (trial.messages, trial.budget, trial.precision) = (messages, "20s", "0.01%");
    trial.lines = match form {
        "fresh" => "forms = ['fresh']",
        _ => "forms = ['in-place']",
    };
    let (end, kept) = trial.run();
    end.unwrap();
    kept
}

fn warning(kept: &Kept) -> Option<&String> {
    kept.summary("young").warnings.iter().find(|warning| warning.contains("has just started"))
}

#[test]
fn every_other_process_has_served_for_a_while() {
    let kept = run("fresh", "'1MiB'");
    let said = warning(&kept).expect("the difference is said");
    let is_planted = ["runs 49.", "runs 50."].iter().any(|apart| said.starts_with(apart));
    assert!(is_planted && said.contains("slower in a process that has just started"), "{said}");
}

#[test]
fn processes_that_do_not_depend_on_it_are_measured_as_they_start() {
    assert_eq!(warning(&run("in-place", "'1MiB'")), None);
    assert_eq!(warning(&run("fresh", "'64KiB'")), None);
}
