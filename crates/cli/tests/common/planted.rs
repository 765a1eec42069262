//! Runs made by hand, to be stored: what is the same of all of them.

use std::collections::BTreeMap;

use ciphermeter_core::{CellId, Fact, Interval, Run, RunPlan, RunStatus, SampleRange, Scenario, Summary};

/// A whole run that is not stored yet.
pub fn head(scenario: Scenario, host: Vec<Fact>) -> Run {
    Run {
        id: 0,
        store: None,
        is_measuring: false,
        started: "2026-11-21T12:00:00Z".into(),
        version: "0.1.0".into(),
        seed: 42,
        scenario,
        against: None,
        mask: None,
        plan: RunPlan::default(),
        host,
        status: RunStatus::Complete,
        notes: Vec::new(),
    }
}

/// A summary whose figures are irrelevant where they are computed from the raw samples.
pub fn summary(ns: f64, forks: u32, rounds: u32) -> Summary {
    Summary {
        reference: CellId(0),
        ratio: Some(Interval { mid: 1.0, low: 1.0, high: 1.0 }),
        range: SampleRange { low: ns, mid: ns, high: ns },
        converged: true,
        undisturbed_limit: None,
        undisturbed_limits: BTreeMap::new(),
        correlation: 0.0,
        forks,
        rounds,
        warnings: Vec::new(),
    }
}
