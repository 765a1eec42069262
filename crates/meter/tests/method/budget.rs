//! Budgets that are far too small for so many cells: the run ends near them and names the one it would take. Ctrl-C is heard in every
//! stage.

use ciphermeter_core::RunStatus;

use crate::model::{Model, Vice};
use crate::trial::{Kept, Trial};

/// Four providers at 300 sizes, in three seconds.
fn many(each: f64) -> Trial {
    at_sizes(300, each)
}

fn at_sizes(count: u32, each: f64) -> Trial {
    let sizes: Vec<String> = (1..=count).map(|size| format!("\"{}B\"", size * 16)).collect();
    let mut trial = Trial::new(["a", "b", "c", "d"].map(|name| Model::new(name, each)));
    (trial.messages, trial.budget) = (sizes.join(", ").leak(), "3s");
    trial
}

/// The seconds that its plan names.
fn named(kept: &Kept) -> f64 {
    kept.plan.parts.iter().map(|part| part.least_ns as f64 / 1e9).sum()
}

fn samples(kept: &Kept) -> usize {
    kept.records.iter().flat_map(|record| &record.forks).map(|fork| fork.samples.len()).sum()
}

#[test]
fn a_pilot_that_would_take_minutes_ends_and_names_them() {
    let (end, kept) = many(2e7).run();
    assert_eq!(end.unwrap().status, RunStatus::Partial);
    assert!((30.0..31.0).contains(&kept.seconds), "{}", kept.seconds);
    assert_eq!(samples(&kept), 0);
    assert!(named(&kept) > 50.0, "{}", named(&kept));
}

#[test]
fn a_warm_up_of_compilers_that_would_take_minutes_ends_and_names_them() {
    let mut trial = many(100.0);
    trial.models.push(Model { compiles: Some((u64::MAX, 1.0)), ..Model::new("java", 130.0) });
    let (end, kept) = trial.run();
    assert_eq!(end.unwrap().status, RunStatus::Partial);
    assert!((30.0..31.0).contains(&kept.seconds), "{}", kept.seconds);
    assert_eq!(samples(&kept), 0);
    // 300 cells of 120 ms, six times.
    assert!(named(&kept) > 216.0, "{}", named(&kept));
}

#[test]
fn a_verification_that_takes_all_the_time_names_what_the_run_would_take() {
    let slow = |name: &str| Model { vice: Vice::SlowCheck, ..Model::new(name, 100.0) };
    // Nine vectors, encrypted and decrypted: 36 s a provider.
    for (models, verified) in [(vec![slow("a")], 36.0), (vec![slow("a"), slow("b"), slow("c")], 108.0)] {
        let (end, kept) = Trial::new(models).run();
        assert_eq!(end.unwrap().status, RunStatus::Partial);
        assert!((36.0..37.0).contains(&kept.seconds), "{}", kept.seconds);
        assert_eq!(samples(&kept), 0);
        assert!((verified..verified + 5.0).contains(&named(&kept)), "{}", named(&kept));
    }
}

#[test]
fn the_named_budget_measures() {
    let few = many(2e6).run().1;
    let (first, named) = (few.seconds, named(&few));
    let mut again = many(2e6);
    again.budget = format!("{:.0}s", named * 1.5).leak();
    let (end, kept) = again.run();
    assert_eq!(end.unwrap().status, RunStatus::Complete);
    assert!(kept.summary("a").forks >= 6, "named {named} s after {first} s, forks: {}", kept.summary("a").forks);
}

#[test]
fn a_small_budget_still_holds_a_fork() {
    let mut trial = Trial::new([Model::new("a", 100.0), Model::new("b", 130.0)]);
    trial.budget = "0.01s";
    let (end, kept) = trial.run();
    assert_eq!(end.unwrap().status, RunStatus::Complete);
    assert!(samples(&kept) > 0 && kept.seconds < 3.0, "{} s", kept.seconds);
}

#[test]
fn an_interrupt_is_heard_in_every_stage() {
    let thorough = |after: f64| {
        let mut trial = at_sizes(40, 1000.0);
        (trial.budget, trial.precision, trial.interrupted_after) = ("60s", "0.01%", after);
        trial.lines = "latency = true\nmemory = true";
        trial
    };
    let whole = thorough(f64::INFINITY).run().1.seconds;
    assert!(whole > 20.0, "{whole}");
    let mut measured = 0;
    for tenth in 0..10 {
        let after = 0.1 + whole * f64::from(tenth) / 10.0;
        let trial = thorough(after);
        let (end, kept) = trial.run();
        assert_eq!(end.unwrap().status, RunStatus::Interrupted, "after {after} s");
        assert!(kept.seconds < after + 0.5, "after {after} s it ended at {} s", kept.seconds);
        measured += usize::from(samples(&kept) > 0);
    }
    assert!(measured > 5, "{measured}");
}

#[test]
fn workers_that_dawdle_do_not_hold_a_run_for_hours() {
    let mut trial = at_sizes(4, 1000.0);
    trial.precision = "0.01%";
    trial.models.push(Model { vice: Vice::Dawdles(1.5), ..Model::new("slow", 100.0) });
    let (end, kept) = trial.run();
    let end = end.unwrap();
    assert_eq!(end.status, RunStatus::Partial, "{} s, {:?}", kept.seconds, kept.notes);
    assert!((60.0..180.0).contains(&kept.seconds), "{}", kept.seconds);
    assert!(kept.notes.iter().any(|note| note.starts_with("the run was cut off: workers answered so slowly")));
}
