//! A small run to store.
#![allow(dead_code, reason = "each test file uses its own part")]

use ciphermeter_core::{
    Against, Algorithm, Better, Cell, CellId, Fact, Form, Mask, Memory, Metric, Named, NamedOption, Note, Operation,
    Parameters, PartPlan, Peers, Run, RunPlan, RunStatus, Sample, Scenario, Share, Sums,
};
use ciphermeter_store::Store;

pub fn run() -> Run {
    let scenario = r#"
        name = "try"
        title = "a try"
        budget = "10s"
        precision = "2%"
        [[cells]]
        algorithms = ["aes-256-gcm"]
        operations = ["seal"]
        messages = ["16", "1KiB"]
    "#;
    Run {
        id: 0,
        store: None,
        is_measuring: false,
        started: "2026-11-21T12:00:00Z".into(),
        version: "0.1.0".into(),
        seed: (1 << 53) - 1,
        scenario: Scenario::parse(scenario).unwrap(),
        host: vec![Fact::present("cpu", "Some CPU"), Fact::absent("governor", "no cpufreq here")],
        status: RunStatus::Open,
        notes: vec![Note::not_measured(&["go"], "its worker is missing")],
        mask: Some(Mask::NoAes),
        plan: RunPlan {
            is_imported: false,
            method: 3,
            metrics: vec![Metric::NS, blinks()],
            parts: vec![part()],
            named: vec![Named::new(NamedOption::Worker, "python3 w.py")],
            asked: ["run", "tls"].map(String::from).into(),
        },
        against: Some(Against { old: "libcrypto.so.3".into(), threshold: Share(0.05), may_hide: None }),
    }
}

/// A metric that this build doesn't know.
pub fn blinks() -> Metric {
    Metric::described("blinks", "blinks", Better::More, Sums::PerCall).unwrap()
}

fn part() -> PartPlan {
    let group = Peers { cells: vec![CellId(0), CellId(1)], reference: CellId(1) };
    PartPlan { groups: vec![group], warmup_ns: 60_000, least_ns: 9_000_000_000 }
}

pub fn cells(count: usize) -> Vec<Cell> {
    let cell = |n: usize| Cell {
        provider: format!("provider-{n}"),
        algorithm: Algorithm::Aes256Gcm,
        operation: Operation::Seal,
        form: Form::InPlace,
        parameters: Parameters::message_cell(1 << n, 0, 1),
    };
    (0..count).map(cell).collect()
}

pub fn samples(cells: u32, round: u32) -> Vec<Sample> {
    let sample = |cell: u32| Sample {
        series: vec![],
        cell: CellId(cell),
        after: cell.checked_sub(1).map(CellId),
        turn: cell,
        iterations: 40,
        counts: vec![(Metric::NS, 30_000 + u64::from(round)), (Metric::CPU_NS, 29_000)],
    };
    (0..cells).map(sample).collect()
}

/// A store with one run of `cells` cells and an open fork.
pub fn begun(path: &std::path::Path, count: usize) -> (Store, i64) {
    let store = Store::open(path).unwrap();
    let id = store.begin(&run(), &cells(count)).unwrap();
    store.begin_fork(id, 0, 192).unwrap();
    (store, id)
}

/// Memory that only the system counted.
pub fn memory(fork: u32) -> Memory {
    Memory { fork, iterations: 40, idle_rss: Some(9 << 20), peak_rss: Some(4096), ..Memory::default() }
}
