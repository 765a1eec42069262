//! Calls in processes of their own: one call a sample, six forks, and no time lost to calls that are shorter than their process's start.

use ciphermeter_core::Outcome;

use crate::model::Model;
use crate::trial::Trial;

fn trial() -> Trial {
    let models =
        [100.0, 150.0].map(|each| Model { child: 0.1, ..Model::new(if each < 120.0 { "a" } else { "b" }, each) });
    let mut trial = Trial::new(models);
    (trial.lines, trial.messages) = (r#"forms = ["process"]"#, r#""1KiB", "1MiB""#);
    trial.budget = "30s";
    trial
}

#[test]
fn each_sample_is_one_call_without_a_warm_up_and_each_cell_has_six_forks() {
    let (end, kept) = trial().run();
    end.unwrap();
    for record in &kept.records {
        let whole: Vec<_> = record.forks.iter().filter(|fork| !fork.short && !fork.samples.is_empty()).collect();
        assert!(whole.len() >= 6, "{}: {} forks", record.cell, whole.len());
        assert!(whole.iter().flat_map(|fork| &fork.samples).all(|sample| sample.iterations == 1), "{}", record.cell);
    }
    assert_eq!(kept.warmups, [0].into(), "the first call of a process is the one that counts");
    assert!(kept.seconds < 33.0, "{} s", kept.seconds);
    let ratios: Vec<_> = kept.records.iter().filter_map(|record| record.summary.as_ref()?.ratio).collect();
    assert!(ratios.iter().any(|ratio| (ratio.mid - 1.5).abs() < 0.05), "{ratios:?}");
}

#[test]
fn memory_takes_one_call_a_process() {
    let mut trial = trial();
    trial.lines = "forms = [\"process\"]\nmemory = true";
    let (end, kept) = trial.run();
    end.unwrap();
    for record in &kept.records {
        assert_eq!(record.memory.iter().map(|memory| memory.iterations).collect::<Vec<_>>(), [1; 3], "{}", record.cell);
    }
}

#[test]
fn what_does_not_fit_is_left_out_rather_than_measured_in_too_few_forks() {
    let mut trial = trial();
    trial.budget = "6s";
    let (_, kept) = trial.run();
    assert!(kept.records.iter().any(|record| matches!(record.outcome, Outcome::LeftOut(_))));
    for record in kept.records.iter().filter(|record| record.outcome == Outcome::Measured) {
        assert!(record.forks.iter().filter(|fork| !fork.short).count() >= 6, "{}", record.cell);
    }
}
