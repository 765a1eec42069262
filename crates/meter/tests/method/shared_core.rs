//! Somebody else on the same physical core slows one implementation by half and another hardly at all. The probe tells when, and
//! the ratio is that of the undisturbed core.

use crate::model::Model;
use crate::trial::Trial;

fn models(probe: bool) -> Vec<Model> {
    let mut models =
        vec![Model { shared: 1.5, ..Model::new("busy", 100.0) }, Model { shared: 1.05, ..Model::new("idle", 130.0) }];
    models.extend(probe.then(|| Model { probe: true, shared: 1.6, ..Model::new("witness", 200.0) }));
    models
}

#[test]
fn ratios_are_those_of_the_undisturbed_core() {
    let mut trial = Trial::new(models(true));
    trial.habits.shared_ns = 1.3e9;
    let (end, kept) = trial.run();
    end.unwrap();
    let (reference, other, truth) = if kept.summary("idle").reference == kept.record("busy").id {
        ("busy", "idle", 1.3)
    } else {
        ("idle", "busy", 1.0 / 1.3)
    };
    let (mid, half) = kept.ratio(other);
    assert!((mid / truth - 1.0).abs() < 0.004, "{other} ÷ {reference}: {mid} ± {half}");
    assert!(
        kept.notes.iter().any(|note| note.contains("of the samples were disturbed by other work on this core")),
        "{:?}",
        kept.notes
    );
    let forks = || kept.records.iter().flat_map(|record| &record.forks);
    let limits = kept.summary(other).limits();
    let undisturbed = forks().flat_map(|fork| fork.undisturbed(&limits)).count();
    let all: usize = forks().map(|fork| fork.samples.len()).sum();
    assert!(undisturbed * 3 > all && undisturbed * 3 < all * 2, "the disturbed half is kept, too");
}

#[test]
fn long_cells_join_more_rounds_once_the_machine_is_known_to_be_busy() {
    let mut trial = Trial::new(models(true));
    trial.messages = r#""64", "256", "1KiB", "64MiB""#;
    (trial.habits.shared_ns, trial.precision) = (1.3e9, "0.01%");
    let (_, kept) = trial.run();
    let of = |message: u64| {
        let record = kept.records.iter().find(|record| record.cell.parameters.message() == message);
        record.unwrap().forks.iter().map(|fork| fork.samples.len() as f64).collect::<Vec<_>>()
    };
    let joined: Vec<f64> = of(64 << 20).into_iter().zip(of(64)).map(|(long, short)| long / short).collect();
    let later = &joined[3..];
    let usual = later.iter().sum::<f64>() / later.len() as f64;
    assert!(usual > 1.3 * joined[0], "{joined:?}");
}

#[test]
fn without_a_probe_nothing_is_excluded() {
    let mut trial = Trial::new(models(false));
    trial.habits.shared_ns = 1.3e9;
    let (_, kept) = trial.run();
    assert!(kept.records.iter().all(|record| record.summary.as_ref().unwrap().undisturbed_limit.is_none()));
    assert!(!kept.notes.iter().any(|note| note.contains("disturbed by other work")));
}

#[test]
fn undisturbed_machine_excludes_hardly_anything() {
    let (_, kept) = Trial::new(models(true)).run();
    assert!(kept.summary("idle").converged);
    assert!(!kept.notes.iter().any(|note| note.contains("disturbed by other work")), "{:?}", kept.notes);
}

#[test]
fn falling_clock_is_no_neighbour() {
    let disturbed = |falls| {
        let mut trial = Trial::new(models(true));
        (trial.habits.shared_ns, trial.habits.falls, trial.precision) = (0.0, falls, "0.01%");
        let (_, kept) = trial.run();
        let forks = || kept.records.iter().flat_map(|record| &record.forks);
        let limits = kept.summary("idle").limits();
        let undisturbed = forks().flat_map(|fork| fork.undisturbed(&limits)).count();
        (1.0 - undisturbed as f64 / forks().map(|fork| fork.samples.len()).sum::<usize>() as f64, kept.ratio("idle"))
    };
    let (steady, _) = disturbed(None);
    let (fallen, (mid, half)) = disturbed(Some((3e9, 1.12)));
    assert!(steady < 0.01 && fallen < 0.02, "{steady} and {fallen} of the samples seemed disturbed");
    assert!((mid / 1.3 - 1.0).abs() < 0.003 && half < 0.003, "{mid} ± {half}");
}

/// A cell whose slow samples leave work behind would lose just these if a single look excluded them.
#[test]
fn cell_that_leaves_work_behind_keeps_its_slow_samples() {
    let leaving = Model { leaves: Some((70, 1.3)), ..Model::new("leaving", 100.0) };
    let witness = Model { probe: true, shared: 1.6, ..Model::new("witness", 200.0) };
    let (end, kept) = Trial::new(vec![leaving, Model::new("steady", 120.0), witness]).run();
    end.unwrap();
    let (name, truth) = match kept.summary("steady").reference == kept.record("leaving").id {
        true => ("steady", 120.0 / 130.0),
        false => ("leaving", 130.0 / 120.0),
    };
    let (mid, half) = kept.ratio(name);
    assert!((mid / truth - 1.0).abs() < 0.02, "{name}: {mid} ± {half}, which is {truth}");
}
