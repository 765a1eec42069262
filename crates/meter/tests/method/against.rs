//! New beside old: each is paired with its own older self, and what has none is left out.

use ciphermeter_meter::MeterError;

use crate::model::Model;
use crate::trial::Trial;

#[test]
fn new_is_held_against_its_own_old_in_the_same_rounds() {
    let models = [
        Model::new("a", 103.0),
        Model::new("a@old", 100.0),
        Model::new("b", 50.0),
        Model::new("b@old", 50.0),
        Model::new("only-new", 10.0),
        Model::new("gone@old", 60.0),
    ];
    let mut trial = Trial::new(models);
    (trial.against, trial.habits.drift) = (true, 0.3);
    let (_, kept) = trial.run();
    for (new, truth) in [("a", 1.03), ("b", 1.0)] {
        assert_eq!(kept.summary(new).reference, kept.record(&format!("{new}@old")).id);
        let (mid, half) = kept.ratio(new);
        assert!((mid / truth - 1.0).abs() < 0.003 && half < 0.01, "{new}: {mid} ± {half}");
    }
    assert!(kept.records.iter().all(|record| record.cell.provider != "only-new"));
    assert!(kept.record("gone@old").summary.is_some(), "what is gone is there to be missed");
    assert!(kept.notes.iter().any(|note| note.contains("xor of only-new is left out")), "{:?}", kept.notes);
}

#[test]
fn without_anything_old_there_is_nothing_to_measure() {
    let mut trial = Trial::new([Model::new("a", 100.0), Model::new("b", 100.0)]);
    trial.against = true;
    assert!(matches!(trial.run().0, Err(MeterError::Nothing(_))));
}
