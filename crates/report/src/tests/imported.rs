//! An export that is read back and written again is the same to the byte, whatever was measured.

use std::collections::BTreeMap;

use ciphermeter_core::{
    Algorithm, Better, Bytes, Fact, Kind, LeftOut, Mask, Metric, Note, Operation, Outcome, PartPlan, Peers, Record,
    Run, RunPlan, RunStatus, Scenario, Sums,
};
use ciphermeter_import::import;
use serde_json::Value;

use super::devices::made::{board, cores, counted};
use super::{devices, exported, memory, moved, parallel, screened, several, sustained};
use crate::write_json;
use ciphermeter_answer::fixtures::{self, cell};

fn written(run: &Run, records: &[Record]) -> String {
    let mut out = Vec::new();
    write_json(&mut out, run, records).unwrap();
    String::from_utf8(out).unwrap()
}

/// The run and the records of an export, whose export is the same.
fn back(run: &Run, records: &[Record]) -> (Run, Vec<Record>) {
    let first = written(run, records);
    let (run, records) = import(first.as_bytes()).unwrap_or_else(|error| panic!("{error}: {first:.300}"));
    let second = written(&run, &records);
    if let Some(place) = first.bytes().zip(second.bytes()).position(|(a, b)| a != b) {
        let around = |text: &str| text.chars().skip(place.saturating_sub(80)).take(200).collect::<String>();
        panic!("{}\ncomes back as\n{}", around(&first), around(&second));
    }
    assert_eq!(first.len(), second.len());
    (run, records)
}

/// Run and records are those of before, and not only their export.
fn same(run: &Run, records: &[Record]) {
    let (imported, back) = back(run, records);
    assert_eq!(imported, *run);
    assert_eq!(ordered(&back), ordered(records));
}

/// The records with the counts of each sample in one order: a worker has its own, an import that
/// of a store.
fn ordered(records: &[Record]) -> Vec<Record> {
    let mut records = records.to_vec();
    let forks = records.iter_mut().flat_map(|record| &mut record.forks);
    forks.flat_map(|fork| &mut fork.samples).for_each(|sample| sample.counts.sort());
    records
}

#[test]
fn calls_on_messages_come_back() {
    let (run, records) = fixtures::run();
    same(&run, &records);
    same(&run, &[]);
    same(&run, &several::with_latency());
    same(&run, &memory::with_memory());
    for scenario in screened::scenarios() {
        let records = screened::records(&scenario, 6);
        same(&Run { scenario, ..fixtures::head() }, &records);
    }
}

#[test]
fn all_that_a_record_may_hold_comes_back() {
    let (mut run, mut records) = exported::small();
    // What a worker says is escaped before it is exported.
    records[3].outcome = Outcome::WrongOutput { why: "expected 00, came 01".into() };
    let summary = records[1].summary.as_mut().unwrap();
    summary.undisturbed_limit = Some(265_569);
    summary.undisturbed_limits = BTreeMap::from([(2, 271_000), (11, 280_000)]);
    (summary.correlation, summary.converged) = (0.45, false);
    records[1].provenance.as_mut().unwrap().language = Some("Go".into());
    same(&run, &records);
    let scenario = "name = \"self-check\"\ntitle = \"t\"\nbudget = \"1.5s\"\nprecision = \"0.5%\"\n\
                    copies = { names = 40, files = 4, fixed = 8, slowed = [\"0.5%\", \"1%\"] }\n[[cells]]\nalgorithms = [\"xor\"]\n\
                    operations = [\"encrypt\"]\nmessages = [\"1KiB\", \"17\"]\nthreads = [1, \"all\"]\nlatency = true\n\
                    memory = true\n";
    run.scenario = Scenario::parse(scenario).unwrap();
    run.host.push(Fact { name: "turbo".into(), value: None, why: None });
    (run.status, run.mask, run.against) = (RunStatus::Interrupted, Some(Mask::NoAes), None);
    same(&run, &records);
}

#[test]
fn every_outcome_comes_back() {
    let left_out = [
        LeftOut::NotReached,
        LeftOut::CoarseClock { sample_ms: 1_500, budget_s: 90 },
        LeftOut::SlowSetUp { sample_ms: 1_500, timed: true, budget_s: 90 },
        LeftOut::SlowSample { sample_ms: 2_100, left_ms: 40_000 },
        LeftOut::SlowForks { call: "message".into(), forks_ms: 30_100, left_ms: 2_000, budget_s: Some(480) },
        LeftOut::SlowForks { call: "transfer".into(), forks_ms: 30_100, left_ms: 2_000, budget_s: None },
        LeftOut::NoMemory { needed: Bytes(2 << 30), free: Bytes(1 << 30), several: true },
        LeftOut::EmulatedCard { most: Bytes(128 << 20) },
        LeftOut::Earlier { by_budget: true, sentence: "it is slow; use a longer --budget".into() },
    ];
    let why = || "an \"odd\" library \\u{202e}".to_string();
    let refused = [
        Outcome::Unsupported { why: why() },
        Outcome::WrongOutput { why: why() },
        Outcome::Failed { why: why() },
        Outcome::Measured,
    ];
    let outcomes: Vec<_> = left_out.map(Outcome::LeftOut).into_iter().chain(refused).collect();
    let cell = |message| cell("ring", Algorithm::Aes256Gcm, Operation::Seal, message, 250.0);
    let cells: Vec<_> = (16..).take(outcomes.len()).map(cell).collect();
    let mut records = fixtures::records(&cells, 0);
    for (record, outcome) in records.iter_mut().zip(outcomes) {
        (record.outcome, record.provenance) = (outcome, None);
    }
    same(&fixtures::head(), &records);
}

#[test]
fn every_note_comes_back_with_what_it_is_about() {
    let notes = vec![
        Note::other("the worker's library is a copy"),
        Note::method("warm-up before each sample: 20 µs"),
        Note::forms("ring", "ring has no into form of aes-256-gcm"),
        Note::masked("ring", "ring does without AVX-512: aes-256-gcm went from vaes to aesni"),
        Note::not_measured(&[], "no board on /dev/ttyACM0"),
        Note::not_measured(&["go", "tink-go"], "the worker go is not built"),
        Note::lost("ring", "the worker exited"),
        Note::back("ring"),
        Note::lost("aws-lc", "the worker exited"),
    ];
    same(&Run { notes, ..fixtures::head() }, &fixtures::run().1);
}

#[test]
fn devices_come_back() {
    let cores = counted(&cores());
    let mut lost = board(6);
    lost[0].provenance = None;
    lost[0].outcome = Outcome::Failed { why: "the line is gone".into() };
    (lost[0].forks, lost[0].summary) = (Vec::new(), None);
    for records in [cores, board(8), lost] {
        same(&devices::screened::run(), &records);
    }
}

#[test]
fn transfers_split_messages_and_loads_come_back() {
    let (run, records) = moved::moved();
    same(&run, &records);
    let (run, records) = parallel::with_energy(1_000_000_000);
    let scenario = screened::scenarios().into_iter().find(|scenario| scenario.kind == Kind::Parallel).unwrap();
    same(&Run { scenario, ..run }, &records);
    let (run, record) = sustained::phone();
    same(&run, &[record]);
}

#[test]
fn versions_that_are_compared_come_back() {
    let (mut run, mut records) = fixtures::run();
    run.against = Some(ciphermeter_core::Against {
        old: "/opt/old/libcrypto.so.3".into(),
        threshold: "5%".parse().unwrap(),
        may_hide: None,
    });
    for record in records.iter_mut().filter(|record| record.cell.provider == "ring") {
        record.cell.provider = "aws-lc@old".into();
    }
    same(&run, &records);
}

#[test]
fn metric_of_another_build_comes_back_if_the_run_describes_it() {
    let (mut run, mut records) = fixtures::run();
    let turns = Metric::described("imported_turns", "turns", Better::More, Sums::PerCall).unwrap();
    for (k, sample) in records[2].forks.iter_mut().flat_map(|fork| &mut fork.samples).enumerate().step_by(2) {
        sample.counts.push((turns, k as u64));
    }
    let refused = import(written(&run, &records).as_bytes()).unwrap_err().to_string();
    let why = "record 2: `samples[0].imported_turns` is a metric that neither this version nor `run.metrics` describes";
    assert_eq!(refused, why);
    run.plan = RunPlan { method: 4, metrics: vec![Metric::NS, turns], ..RunPlan::default() };
    same(&run, &records);
}

/// What the export does not have: only the answer, which is made again, may differ by it.
#[test]
fn store_and_parts_of_the_plan_are_left_out() {
    let (mut run, records) = fixtures::run();
    (run.store, run.is_measuring, run.status) = (Some("runs.db".into()), true, RunStatus::Open);
    let groups = vec![Peers { cells: vec![records[0].id], reference: records[0].id }];
    run.plan = RunPlan { parts: vec![PartPlan { groups, warmup_ns: 1, least_ns: 2 }], ..run.plan };
    let (before, (read, _)) = (written(&run, &records), import(written(&run, &records).as_bytes()).unwrap());
    let plan = RunPlan { parts: Vec::new(), ..run.plan.clone() };
    assert_eq!(read, Run { store: None, is_measuring: false, plan, ..run });
    let [before, after] = [before, written(&read, &records)].map(|text| serde_json::from_str::<Value>(&text).unwrap());
    let differs = |name: &&String| before[name.as_str()] != after[name.as_str()];
    assert_eq!(before.as_object().unwrap().keys().filter(differs).collect::<Vec<_>>(), ["answer"]);
}

/// The export that the notebook draws, which is older than answers in exports.
#[test]
fn example_of_the_notebook_comes_back() {
    let example = include_str!("../../../../python/examples/run.json");
    let (run, records) = import(example.as_bytes()).unwrap();
    let mut after: Value = serde_json::from_str(&written(&run, &records)).unwrap();
    after.as_object_mut().unwrap().remove("answer").unwrap();
    let before: Value = serde_json::from_str(example).unwrap();
    for name in ["schema", "ciphermeter", "run", "host"] {
        assert_eq!(after[name], before[name], "{name}");
    }
    for (after, before) in after["records"].as_array().unwrap().iter().zip(before["records"].as_array().unwrap()) {
        for (name, value) in before.as_object().unwrap() {
            assert_eq!(after[name], *value, "{} of record {}", name, before["id"]);
        }
    }
    assert_eq!(after, before);
    back(&run, &records);
}

/// Each text of a document in turn hides what follows it, and acts on a terminal.
#[test]
fn no_text_is_taken_in_as_it_is() {
    let (run, mut records) = exported::small();
    records[2].outcome = Outcome::LeftOut(LeftOut::Earlier { by_budget: true, sentence: "slow".into() });
    let document: Value = serde_json::from_str(&written(&run, &records)).unwrap();
    let mut places = Vec::new();
    texts(&document, String::new(), &mut places);
    let mut taken = 0;
    for place in places {
        let mut hostile = document.clone();
        let text = hostile.pointer_mut(&place).unwrap();
        *text = format!("{}\u{202e}\u{1b}[2J\n", text.as_str().unwrap()).into();
        let said = match import(hostile.to_string().as_bytes()) {
            Ok((run, records)) => {
                taken += 1;
                written(&run, &records)
            }
            Err(error) => error.to_string() + "\n",
        };
        let shown = said.strip_suffix('\n').unwrap();
        assert!(!shown.contains(['\u{202e}', '\u{1b}', '\n']) && !shown.contains("\\u001b"), "{place}: {shown:.300}");
    }
    assert!(taken > 40, "only {taken} texts were taken");
}

fn texts(value: &Value, place: String, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(place),
        Value::Array(all) => all.iter().enumerate().for_each(|(k, one)| texts(one, format!("{place}/{k}"), found)),
        Value::Object(all) => {
            all.iter().for_each(|(name, one)| texts(one, format!("{place}/{}", name.replace('/', "~1")), found));
        }
        _ => {}
    }
}
