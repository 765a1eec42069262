//! A clock with long steps makes samples long, and doesn't make them wrong.

use crate::model::Model;
use crate::trial::Trial;

#[test]
fn a_sample_is_a_thousand_steps_long() {
    let coarse = |name: &str, each| Model { step_ns: 20_000, ..Model::new(name, each) };
    let mut trial = Trial::new([coarse("a", 100.0), coarse("b", 103.0)]);
    trial.budget = "30s";
    let (_, kept) = trial.run();
    let samples = kept.record("a").forks.iter().flat_map(|fork| &fork.samples);
    for sample in samples {
        assert!(sample.ns() >= 15_000_000, "{sample:?}");
    }
    let (mid, half) = kept.ratio("b");
    assert!((mid / 1.03 - 1.0).abs() < 0.003, "{mid} ± {half}");
    assert!(kept.notes.iter().any(|note| note.contains("steps of 20000 ns")), "{:?}", kept.notes);
}
