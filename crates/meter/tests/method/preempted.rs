//! Another process has the CPU during some samples of one library, and the probe, which runs before and after them, sees nothing of it.

use ciphermeter_core::Sample;

use crate::model::Model;
use crate::trial::{Kept, Trial};

/// Two libraries of the same speed, of which one loses its CPU in 60 of 100 samples.
fn measured(process_cpu: bool) -> Kept {
    let probe = Model { probe: true, ..Model::new("witness", 200.0) };
    let (calm, busy) = (Model::new("calm", 100.0), Model { preempted: 60, process_cpu, ..Model::new("busy", 130.0) });
    Trial::new([calm, busy, probe]).run().1
}

#[test]
fn ratio_is_that_of_samples_that_had_their_cpu() {
    let kept = measured(true);
    let (mid, half) = kept.ratio("busy");
    assert!((mid / 1.3 - 1.0).abs() < 0.005, "{mid} ± {half}");
    let samples = || kept.record("busy").forks.iter().flat_map(|fork| &fork.samples);
    let preempted = samples().filter(|sample| sample.was_preempted()).count() as f64 / samples().count() as f64;
    assert!((0.5..0.7).contains(&preempted), "{preempted}");
    let of_calm = kept.record("calm").forks.iter().flat_map(|fork| &fork.samples);
    assert!(!of_calm.into_iter().any(Sample::was_preempted));
}

#[test]
fn worker_that_does_not_say_whose_cpu_time_it_reports_loses_no_sample() {
    let kept = measured(false);
    assert!(!kept.record("busy").forks.iter().flat_map(|fork| &fork.samples).any(Sample::was_preempted));
    assert!(kept.ratio("busy").0 > 5.0);
}
