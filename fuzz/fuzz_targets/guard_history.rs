//! A guard's history as `--history` reads it: no line panics, what is damaged is named in text without control characters, and what
//! counts stays within its limits and adds up to numbers.
#![no_main]

use ciphermeter_answer::guard::{Change, Past};
use ciphermeter_core::{Share, escaped};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let past = Past::read(text);
    assert!(past.damaged.len() <= 100 && past.damaged.iter().all(|(_, why)| !why.is_empty() && escaped(why) == *why));
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).count();
    assert_eq!(past.changes.len() + past.damaged.len() + past.further_damaged, lines);
    let now = past.changes.last().cloned().unwrap_or_else(|| Change {
        schema: 1,
        at: "2026-11-30T12:00:00Z".into(),
        cpu: String::new(),
        old: "a".into(),
        new: "b".into(),
        cells: Vec::new(),
        unconfirmed: Vec::new(),
    });
    let history = past.with(&now, Share(0.003));
    assert!((1..=1000).contains(&history.changes) && history.changes <= past.changes.len() + 1);
    for drift in &history.drifts {
        let (low, high) = drift.ratio.range().expect("a sure drift has an interval");
        assert!(low > 1.0 && low <= drift.ratio.mid && drift.ratio.mid <= high && high.is_finite(), "{drift:?}");
        assert!((2..=history.changes).contains(&drift.changes), "{drift:?}");
    }
});
