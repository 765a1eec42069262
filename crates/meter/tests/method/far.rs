//! Cells that decide nothing join fewer rounds, and their ratios are as right.

use crate::model::Model;
use crate::trial::{Kept, Trial};

fn run(models: impl Into<Vec<Model>>, change: impl Fn(&mut Trial)) -> Kept {
    let mut trial = Trial::new(models);
    trial.precision = "0.01%";
    change(&mut trial);
    let (end, kept) = trial.run();
    end.unwrap();
    kept
}

/// Samples in forks of rounds.
fn samples(kept: &Kept, provider: &str) -> usize {
    kept.record(provider).forks.iter().map(|fork| fork.samples.len()).sum()
}

fn models() -> [Model; 4] {
    [Model::new("best", 100.0), Model::new("near", 140.0), Model::new("far", 500.0), Model::new("farther", 900.0)]
}

#[test]
fn time_goes_to_contenders() {
    let kept = run(models(), |_| ());
    let [best, near, far, farther] = ["best", "near", "far", "farther"].map(|provider| samples(&kept, provider));
    assert_eq!(best, near);
    assert!((near * 3 / 10..near * 2 / 5).contains(&far), "{far} of {near}");
    assert_eq!(far, farther, "they join the same rounds");
    for (provider, truth) in [("near", 1.4), ("far", 5.0), ("farther", 9.0)] {
        let (mid, half) = kept.ratio(provider);
        assert!((mid / truth - 1.0).abs() < 0.003 && half / truth < 0.003, "{provider}: {mid} ± {half}");
    }
    let rounds = |provider: &str| -> Vec<Vec<u32>> {
        kept.record(provider).forks.iter().map(|fork| fork.rounds.clone()).collect()
    };
    assert_eq!(rounds("far"), rounds("farther"));
}

#[test]
fn far_cells_join_all_rounds_once_contenders_are_precise() {
    // What differs between the far one's processes takes many of them.
    let [best, near, far, _] = models();
    let kept = run([best, near, Model { spread: 0.05, ..far }], |trial| trial.precision = "1%");
    let forks = &kept.record("far").forks;
    let of = |fork: usize| forks[fork].samples.len() as f64 / kept.record("near").forks[fork].samples.len() as f64;
    assert!(of(0) < 0.5 && of(forks.len() - 1) > 0.9, "{} at first, {} at last", of(0), of(forks.len() - 1));
}

#[test]
fn on_a_busy_machine_far_cells_lose_no_rounds() {
    let probe = Model { probe: true, shared: 1.6, ..Model::new("witness", 200.0) };
    let models = models().map(|model| Model { shared: 1.5, ..model });
    let kept = run(models.into_iter().chain([probe]).collect::<Vec<_>>(), |trial| trial.habits.shared_ns = 3e7);
    let (near, far) = (kept.summary("near").forks, kept.summary("far").forks);
    assert!(far * 2 >= near, "{far} and {near} forks");
}

#[test]
fn cells_with_a_reference_of_their_own_are_all_near() {
    let [old, new] = [Model::new("a@old", 100.0), Model::new("a", 500.0)];
    let kept = run([old, new], |trial| trial.against = true);
    assert_eq!(samples(&kept, "a"), samples(&kept, "a@old"));
}
