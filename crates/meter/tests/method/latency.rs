//! Single calls: enough of them, over several forks, nothing left out, and no worker that can't is blamed.

use ciphermeter_core::RunStatus;

use crate::model::{Model, Vice};
use crate::trial::{Kept, Trial};

fn trial(vice: Vice, ends: RunStatus) -> Kept {
    let mut trial = Trial::new([Model::new("a", 100.0), Model { vice, ..Model::new("b", 130.0) }]);
    trial.lines = "latency = true";
    let (end, kept) = trial.run();
    assert_eq!(end.unwrap().status, ends);
    kept
}

#[test]
fn every_call_is_kept_the_slow_ones_too() {
    let kept = trial(Vice::None, RunStatus::Complete);
    for (provider, each) in [("a", 100), ("b", 130)] {
        let latency = &kept.record(provider).latency;
        assert_eq!(latency.len(), 8, "{provider}");
        assert!(latency.iter().all(|fork| fork.clock_ns == 5 && fork.calls.calls() == 12_500));
        let calls = || latency.iter().flat_map(|fork| fork.calls.iter());
        let slow: u64 = calls().filter(|(ns, _)| *ns > 2 * each).map(|(_, calls)| calls).sum();
        assert!((800..1200).contains(&slow), "{slow} of 100,000 were made slow");
    }
}

#[test]
fn a_worker_that_times_no_single_calls_is_measured_all_the_same() {
    let kept = trial(Vice::NoLatency, RunStatus::Complete);
    assert!(kept.record("b").latency.is_empty() && kept.record("b").summary.is_some());
    assert_eq!(kept.why("b"), "measured");
    assert!(kept.notes.iter().any(|note| note.contains("has no latency: it has no fine clock")), "{:?}", kept.notes);
}

#[test]
fn calls_that_cannot_be_are_not_believed() {
    for (vice, says) in [
        (Vice::FewCalls, "it timed 10 calls where 20 were asked for"),
        (Vice::LongCalls((1 << 53) - 1), "ns for 20 calls, but answered within"),
    ] {
        let kept = trial(vice, RunStatus::Partial);
        assert!(kept.why("b").contains(says), "{vice:?}: {}", kept.why("b"));
        assert!(kept.record("b").latency.is_empty() && kept.record("b").summary.is_some(), "what it had is kept");
        assert_eq!(kept.record("a").latency.len(), 8, "the other goes on");
    }
}
