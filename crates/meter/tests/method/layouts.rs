//! Layouts are drawn anew for each round and balanced, so that a stack bit is in no ratio by chance, and it is named.

use std::collections::BTreeSet;

use ciphermeter_core::{Layout, Sample};

use crate::model::Model;
use crate::trial::{Kept, Trial};

/// The second is a tenth slower in half of the stack's places.
fn run(stacks: [Option<f64>; 2]) -> Kept {
    let mut trial = Trial::new([
        Model { stack: stacks[0], ..Model::new("a", 100.0) },
        Model { stack: stacks[1], ..Model::new("b", 130.0) },
    ]);
    (trial.budget, trial.precision) = ("20s", "0.01%");
    trial.habits.noise = 0.004;
    trial.run().1
}

fn layouts(kept: &Kept, provider: &str) -> Vec<Layout> {
    kept.record(provider).forks.iter().flat_map(|fork| &fork.samples).filter_map(Sample::layout).collect()
}

#[test]
fn ratio_is_the_mean_over_layouts_and_the_reason_is_named() {
    let kept = run([Some(1.0), Some(1.1)]);
    let (mid, half) = kept.ratio("b");
    let truth = 1.3 * 1.1_f64.sqrt();
    assert!((mid / truth - 1.0).abs() < 0.003, "{mid} ± {half}, not {truth}");
    let warnings = kept.summary("b").warnings.join("; ");
    assert!(warnings.contains("slower where the stack lies at 16 or 48 bytes of a cache line"), "{warnings}");
    assert!(!kept.summary("a").warnings.iter().any(|warning| warning.contains("stack")));
}

#[test]
fn all_places_are_drawn_and_the_same_for_all_cells_of_a_round() {
    let kept = run([Some(1.0), Some(1.0)]);
    let (a, b) = (layouts(&kept, "a"), layouts(&kept, "b"));
    let stacks: BTreeSet<u16> = a.iter().map(|layout| layout.stack).collect();
    assert_eq!(stacks.len(), 64);
    assert!(a.iter().any(|layout| !layout.is_aligned()) && a.iter().any(|layout| layout.is_aligned()));
    assert_eq!(a, b);
}

/// The worker of "b" panics where it gets a layout.
#[test]
fn workers_that_do_not_declare_layouts_get_none() {
    let kept = run([Some(1.0), None]);
    assert!(!layouts(&kept, "a").is_empty() && layouts(&kept, "b").is_empty());
    assert!((kept.ratio("b").0 / 1.3 - 1.0).abs() < 0.003);
}
