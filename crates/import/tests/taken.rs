//! What the run and its records are after an import.

use ciphermeter_core::{
    Against, Algorithm, Better, CellId, CodeIn, Counts, Device, Fact, LeftOut, Mask, Memory, Metric, Note, Outcome,
    RunPlan, RunStatus, Series, Share, Sums,
};
use ciphermeter_import::import;

use crate::EXPORT;

#[test]
fn run_has_head_host_and_plan() {
    let (run, records) = import(EXPORT.as_bytes()).unwrap();
    assert_eq!((run.id, run.version.as_str(), run.seed), (7, "0.1.0", 6_702_187_069_671_197));
    assert_eq!((run.started.as_str(), run.status), ("2026-11-28T11:36:56Z", RunStatus::Complete));
    assert_eq!((run.store.as_ref(), run.is_measuring), (None, false));
    assert_eq!(
        run.against,
        Some(Against { old: "/opt/libcrypto.so.3".into(), threshold: Share(0.05), may_hide: None })
    );
    assert_eq!(run.mask, Some(Mask::NoAvx512));
    assert_eq!(run.host, [Fact::present("cpu", "EPYC 9"), Fact::absent("governor", "no cpufreq")]);
    assert_eq!(run.notes, [Note::not_measured(&["go"], "the worker go is not built")]);
    let turns = Metric::described("turns", "turns", Better::More, Sums::PerCall).unwrap();
    assert_eq!(run.plan, RunPlan { method: 4, metrics: vec![Metric::NS, turns], ..RunPlan::default() });
    assert_eq!(run.scenario.name, "messages");
    assert_eq!(records.len(), 3);
}

#[test]
fn record_has_samples_calls_memory_and_summary() {
    let (run, records) = import(EXPORT.as_bytes()).unwrap();
    let record = &records[0];
    let summary = record.summary.as_ref().unwrap();
    assert_eq!((summary.reference, summary.ratio.unwrap().low), (CellId(1), 0.750_478_215_700_337_5));
    assert_eq!((summary.limits().of(0), summary.limits().of(1)), (Some(265_569), Some(273_295)));
    let [fork, short] = record.forks.as_slice() else { panic!("{:?}", record.forks) };
    assert_eq!((short.number, short.short, short.samples.len()), (1, true, 0));
    assert_eq!(fork.rounds, [0, 0, 1]);
    let turns = run.plan.metrics[1];
    let sample = &fork.samples[0];
    assert_eq!((sample.cell, sample.after, sample.turn, sample.iterations), (CellId(0), None, 1, 40));
    assert_eq!(sample.counts, [(Metric::NS, 31_234), (Metric::CPU_NS, 31_190), (turns, 1)]);
    assert_eq!(sample.series, [(Series::Cpu, vec![1, 2])]);
    assert_eq!(fork.samples[1].counts, [(Metric::NS, 29_870)]);
    assert_eq!((fork.samples[1].after, fork.samples[1].series.len()), (Some(CellId(1)), 0));
    let calls = &record.latency[0];
    assert_eq!((calls.fork, calls.short, calls.clock_ns), (2, false, 23));
    assert_eq!(calls.calls.iter().collect::<Vec<_>>(), [(71, 940), (72, 52), (1025, 8)]);
    let memory = Memory {
        fork: 3,
        iterations: 1000,
        idle_rss: Some(9_437_184),
        peak_rss: Some(8192),
        peak_heap: None,
        allocated: Some(64_000),
        counter: Some("malloc".into()),
    };
    assert_eq!(record.memory, [memory]);
}

#[test]
fn record_has_provenance_device_and_outcome() {
    let (_, records) = import(EXPORT.as_bytes()).unwrap();
    let device = Device {
        name: "m4".into(),
        board: "QEMU".into(),
        counts: Some(Counts::Instructions),
        emulated: true,
        clock_hz: None,
        code_in: Some(CodeIn::Flash),
    };
    let from = records[1].provenance.as_ref().unwrap();
    assert_eq!((from.device.as_ref(), from.version.as_str()), (Some(&device), "5.12.0"));
    assert_eq!(records[1].cell.algorithm, Algorithm::ChaCha20Poly1305);
    assert_eq!(records[1].cell.device(), Some("m4"));
    assert_eq!(records[1].outcome, Outcome::LeftOut(LeftOut::SlowSample { sample_ms: 2100, left_ms: 40_000 }));
    assert_eq!(records[2].outcome, Outcome::Unsupported { why: "not in this version".into() });
    assert_eq!((records[2].provenance.as_ref(), records[2].forks.len()), (None, 0));
}

#[test]
fn order_of_members_makes_no_difference_and_more_of_them_are_let_through() {
    let mut document: serde_json::Value = serde_json::from_str(EXPORT).unwrap();
    document["answer"] = "of a later version".into();
    document["records"][0]["later"] = serde_json::json!([[{}]]);
    // By name, as serde_json sorts them.
    let text = serde_json::to_string_pretty(&document).unwrap();
    assert_ne!(text.find("\"records\""), text.find("\"schema\""));
    assert_eq!(import(text.as_bytes()), import(EXPORT.as_bytes()));
}
