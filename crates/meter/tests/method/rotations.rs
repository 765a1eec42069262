//! Cells whose calls go round a working set: groups of their own, in which memory may decide otherwise than a cache.

use ciphermeter_core::Record;

use crate::model::Model;
use crate::trial::{Kept, Trial};
use crate::vice::Vice;

/// Nanoseconds of a provider's call with texts that take up so many bytes; 0: one text.
fn time(kept: &Kept, provider: &str, set: u64) -> Option<f64> {
    let mut records = kept.records.iter().filter(|record| record.cell.provider == provider);
    let record = records.find(|record| record.cell.parameters.working_set().map_or(0, |set| set.0) == set)?;
    Some(record.summary.as_ref()?.range.mid)
}

/// `a` is the faster of the two from a cache, and the slower from memory; `c` doesn't go round.
#[test]
fn each_working_set_has_figures_of_its_own() {
    let mut trial = Trial::new([
        Model { cold: Some(2.0), ..Model::new("a", 100.0) },
        Model { cold: Some(1.25), ..Model::new("b", 130.0) },
        Model::new("c", 150.0),
    ]);
    trial.lines = "forms = ['into']\nworking_sets = ['0', '64KiB', '4MiB']";
    trial.budget = "20s";
    let kept = trial.run().1;
    for (set, truth) in [(0, 1.3), (64 << 10, 1.3), (4 << 20, 1.3 * 1.25 / 2.0)] {
        let ratio = time(&kept, "b", set).unwrap() / time(&kept, "a", set).unwrap();
        assert!((ratio / truth - 1.0).abs() < 0.02, "{set}: {ratio}, not {truth}");
    }
    assert!(time(&kept, "c", 0).is_some() && time(&kept, "c", 4 << 20).is_none());
    let why = "c is left out: its worker has no cells of several texts or keys";
    assert!(kept.notes.iter().any(|note| note == why), "{:?}", kept.notes);
}

/// 1,048,576 texts of 16 bytes take 10.5 s, and a quarter of that, six times, is more than a fifth of 20 s.
#[test]
fn texts_that_take_seconds_to_set_up_are_tried_once() {
    let mut trial = Trial::new([
        Model { cold: Some(1.0), vice: Vice::SlowTexts, ..Model::new("a", 100.0) },
        Model { cold: Some(1.0), ..Model::new("b", 130.0) },
    ]);
    trial.lines = "forms = ['into', 'in-place', 'fresh']\nworking_sets = ['64MiB']";
    (trial.messages, trial.budget) = ("'16'", "20s");
    let kept = trial.run().1;
    assert!(time(&kept, "a", 64 << 20).is_none() && time(&kept, "b", 64 << 20).is_some());
    let left_out = |how: &str| {
        let begin = format!("setting its messages up {how}");
        let is_so = |record: &&Record| record.outcome.why().is_some_and(|why| why.starts_with(&begin));
        kept.records.iter().filter(is_so).count()
    };
    assert_eq!((left_out("takes about 10."), left_out("probably takes over 2.")), (1, 2));
}
