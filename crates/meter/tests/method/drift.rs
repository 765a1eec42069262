//! A machine whose speed swings and whose neighbours interrupt must not move the ratios.

use ciphermeter_core::RunStatus;

use crate::machine::Habits;
use crate::model::Model;
use crate::trial::Trial;

#[test]
fn ratios_hold_while_the_machine_swings_by_tens_of_percent() {
    let mut trial = Trial::new([Model::new("a", 100.0), Model::new("b", 127.0), Model::new("c", 101.0)]);
    trial.habits.drift = 0.3;
    let (end, kept) = trial.run();
    assert_eq!(end.unwrap().status, RunStatus::Complete);
    let range = kept.summary("a").range;
    assert!(range.high / range.low > 1.4, "the range must show the swing: {range:?}");
    for (provider, truth) in [("b", 1.27), ("c", 1.01)] {
        let (mid, half) = kept.ratio(provider);
        assert!((mid / truth - 1.0).abs() < 0.003, "{provider}: {mid} ± {half}");
        assert!(half < 0.01, "{provider}: {mid} ± {half}");
    }
}

#[test]
fn a_slow_neighbour_moves_no_median() {
    let mut trial = Trial::new([Model::new("a", 100.0), Model::new("b", 110.0)]);
    trial.habits = Habits { interrupted: 0.2, noise: 0.004, ..Habits::default() };
    let (_, kept) = trial.run();
    let (mid, half) = kept.ratio("b");
    assert!((mid / 1.1 - 1.0).abs() < 0.004, "{mid} ± {half}");
}
