//! Somebody else on the same physical core slows one implementation by half and another hardly at all. The witness tells when, and
//! the ratio is that of the quiet core.

use crate::model::Model;
use crate::trial::Trial;

fn models(witness: bool) -> Vec<Model> {
    let mut models =
        vec![Model { shared: 1.5, ..Model::new("busy", 100.0) }, Model { shared: 1.05, ..Model::new("idle", 130.0) }];
    models.extend(witness.then(|| Model { witness: true, shared: 1.6, ..Model::new("witness", 200.0) }));
    models
}

#[test]
fn ratios_are_those_of_the_quiet_core() {
    let mut trial = Trial::new(models(true));
    trial.habits.shared_ns = 1.3e9;
    let (end, kept) = trial.run();
    end.unwrap();
    let (anchor, other, truth) = if kept.summary("idle").anchor == kept.record("busy").id {
        ("busy", "idle", 1.3)
    } else {
        ("idle", "busy", 1.0 / 1.3)
    };
    let (mid, half) = kept.ratio(other);
    assert!((mid / truth - 1.0).abs() < 0.004, "{other} ÷ {anchor}: {mid} ± {half}");
    assert!(
        kept.notes.iter().any(|note| note.starts_with("something else used the same physical core")),
        "{:?}",
        kept.notes
    );
    let samples = || kept.records.iter().flat_map(|record| &record.sittings).flat_map(|sitting| &sitting.samples);
    let quiet = samples().filter(|sample| sample.is_quiet(kept.summary(other).quiet_limit)).count();
    assert!(quiet * 3 > samples().count() && quiet * 3 < samples().count() * 2, "the loud half is kept, too");
}

#[test]
fn without_a_witness_nobody_can_tell() {
    let mut trial = Trial::new(models(false));
    trial.habits.shared_ns = 1.3e9;
    let (_, kept) = trial.run();
    assert!(kept.records.iter().all(|record| record.summary.as_ref().unwrap().quiet_limit.is_none()));
    assert!(!kept.notes.iter().any(|note| note.contains("physical core")));
}

#[test]
fn on_a_quiet_machine_hardly_anything_is_passed_over() {
    let (_, kept) = Trial::new(models(true)).run();
    assert!(kept.summary("idle").converged);
    assert!(!kept.notes.iter().any(|note| note.contains("physical core")), "{:?}", kept.notes);
}
