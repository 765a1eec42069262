//! `run` of kind transfer, from the first request to the exports, with a worker that transfers files over loopback.
//! Needs `python3`.

use std::fs;
use std::process::Stdio;

use crate::common::{CommandOutput, TestFolder, wait_until};
use serde_json::Value;

const SCENARIO: &str = r#"name = "moves"
kind = "transfer"
title = "two files"
budget = "2min"
precision = "100%"
[[cells]]
algorithms = ["aes-256-gcm", "chacha20-poly1305"]
operations = ["transfer"]
messages = ["1MiB", "3000000"]
forms = ["discard"]
providers = ["toy"]
[[cells]]
algorithms = ["aes-256-gcm"]
operations = ["transfer"]
messages = ["3000000"]
forms = ["file"]
providers = ["toy"]
"#;

/// One cell, and the ceiling beside it.
const ONE: [&str; 6] = ["--algorithm", "aes-256-gcm", "--message", "1MiB", "--form", "discard"];

fn worker(mode: &str) -> String {
    format!("python3 -S {} {mode}", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/transfer_worker/worker.py"))
}

fn folder() -> TestFolder {
    let folder = TestFolder::new();
    folder.write("moves.toml", SCENARIO);
    folder
}

fn run(folder: &TestFolder, mode: &str, more: &[&str]) -> CommandOutput {
    let worker = worker(mode);
    folder.run(&[&["run", "moves.toml", "--quiet", "--worker", &worker][..], more].concat())
}

fn records(said: &CommandOutput) -> Vec<Value> {
    said.json()["records"].as_array().expect("records").clone()
}

/// The worker's records, not those of the built-in ceiling.
fn toys(said: &CommandOutput) -> Vec<Value> {
    records(said).into_iter().filter(|record| record["provider"] == "toy").collect()
}

/// The complete forks of a record.
fn whole(record: &Value) -> usize {
    let forks = record["samples"].as_array().expect("samples");
    forks.iter().filter(|fork| fork["short"] == false).count()
}

#[test]
fn files_are_transferred_and_every_metric_is_reported() {
    let folder = folder();
    let said = run(&folder, "honest", &["--json", "-"]);
    assert!(matches!(said.code, Some(0 | 5)), "measured, whether or not it decides anything: {said:?}");
    let all = records(&said);
    assert_eq!(all.len(), 2 * 3 + 2, "two suites and the ceiling, twice, and a suite and the ceiling into a file");
    for record in &all {
        assert_eq!((record["outcome"]["is"].as_str(), whole(record) >= 6), (Some("measured"), true), "{record}");
        let fork = &record["samples"][0];
        for key in ["ns", "cpu_ns", "handshake_ns", "peer_cpu_ns", "peak_rss", "peer_peak_rss"] {
            assert!(fork[key][0].is_u64(), "{key} of {fork}");
        }
        assert_eq!(fork["durable_ns"][0].is_u64(), record["form"] == "file", "{fork}");
        assert_eq!(fork["seal_ns"][0].is_u64(), record["algorithm"] != "tcp-plain", "{fork}");
        assert!(fork.get("probe_ps").is_none() && fork["series_cpu"][0].is_array(), "{fork}");
    }
    folder.fits_the_schema(&said.json());
    assert_eq!(folder.run(&["export"]).json(), said.json(), "the store gives back what was measured");
    wait_until("no process is left", || folder.processes().is_empty());

    let table = folder.run(&["show", "--all"]).out;
    assert!(table.contains("transfer discard, 1 MiB") && table.contains("transfer file, 3 MB"), "{table}");
    assert!(
        table.contains("tcp-plain") && table.contains(" bound") && table.contains("Fastest program with"),
        "{table}"
    );
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
}

/// Starts such a run, which lasts for ten minutes, and kills it once `is` is true of a cell of the
/// worker's.
fn killed_when(folder: &TestFolder, mode: &str, more: &[&str], is: impl Fn(&Value) -> bool) {
    let worker = worker(mode);
    let endless = ["run", "moves.toml", "--quiet", "--budget", "10min", "--precision", "0.1%", "--patience", "10min"];
    let arguments = [&endless[..], &["--worker", &worker], more].concat();
    let harness = folder.ciphermeter(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut harness = harness.expect("the harness starts");
    wait_until("a transfer's sample", || {
        assert!(harness.try_wait().expect("its state").is_none(), "it ended too early");
        let said = folder.run(&["export"]);
        said.code == Some(0) && toys(&said).iter().any(&is)
    });
    harness.kill().expect("it is there");
    harness.wait().expect("it ends");
}

/// Of such a run, only its first samples are waited for.
fn sampled(folder: &TestFolder, mode: &str) {
    killed_when(folder, mode, &ONE, |record| record["samples"][0]["ns"].is_array());
}

#[test]
fn series_reach_the_exports() {
    let folder = folder();
    sampled(&folder, "slow");
    let said = folder.run(&["export"]);
    let fork = &toys(&said)[0]["samples"][0];
    let entries = fork["series_cpu"][0].as_array().expect("a series").len();
    assert!(entries >= 2, "an entry each 50 ms: {fork}");
    assert_eq!(fork["iterations"][0], 1, "a sample of one transfer");
    folder.fits_the_schema(&said.json());
    let peer = fork["series_peer_cpu"][0].as_array().expect("a series");
    assert_eq!((fork["series_cpu"][0][1].as_u64(), peer[1].as_u64()), (Some(1000), Some(2000)), "{fork}");
}

#[test]
fn worker_with_fewer_metrics_is_measured() {
    let folder = folder();
    sampled(&folder, "poor");
    let said = folder.run(&["show", "--all"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("– not known: the worker doesn't report it"), "{}", said.out);
}

#[test]
fn wrong_received_file_is_detected() {
    for (mode, bytes) in [("wrong", "65536"), ("wrong-later", "1048576")] {
        let said = run(&folder(), mode, &["--json", "-"]);
        assert_eq!(said.code, Some(3), "{said:?}");
        for record in toys(&said).iter().filter(|record| record["parameters"]["message"] == 1_048_576) {
            let why = record["outcome"]["why"].as_str().unwrap_or_default();
            assert_eq!(record["outcome"]["is"], "wrong-output", "{record}");
            assert!(why.contains(&format!("of a file of {bytes} bytes the receiver had")), "{why}");
        }
    }
}

#[test]
fn interrupted_run_resumes() {
    let folder = folder();
    let lives = folder.path("lives");
    let moves = worker(&format!("waits {}", lives.display()));
    let group = ["--patience", "10min", "--algorithm", "aes-256-gcm", "--form", "discard", "--worker", &moves];
    let mut harness = folder.ciphermeter(&[&["run", "moves.toml", "--quiet"][..], &group].concat());
    let mut harness = harness.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the harness starts");
    wait_until("its worker stands still in the second group", || {
        fs::metadata(&lives).is_ok_and(|lives| lives.len() == 5)
    });
    let before = folder.run(&["export"]).json();
    let begun = |record: &Value| record["parameters"]["message"] == 3_000_000 && whole(record) > 0;
    assert!(before["records"].as_array().expect("records").iter().any(begun), "{before}");
    harness.kill().expect("it is there");
    harness.wait().expect("it ends");
    let said = folder.run(&["run", "--resume", "--quiet", "--worker", &moves, "--json", "-"]);
    // On a busy machine little of the budget may be left: then cells keep what they have, and a note says so.
    let is_late = said.code == Some(5) && said.json()["run"]["notes"].to_string().contains("get no more");
    assert!(matches!(said.code, Some(0 | 5)), "exit code {:?}: {} {}", said.code, said.json()["run"], said.err);
    let (after, before) = (records(&said), before["records"].as_array().expect("records").clone());
    for (now, then) in after.iter().zip(before) {
        assert!((is_late || whole(now) >= 6) && whole(now) >= whole(&then), "{now}");
        assert_eq!(
            now["samples"][0]["ns"],
            then["samples"][0]["ns"].as_array().map_or(now["samples"][0]["ns"].clone(), |ns| ns.clone().into())
        );
    }
    wait_until("its workers are gone", || folder.processes().is_empty());
}

#[test]
fn too_little_time_is_reported() {
    let said = run(&folder(), "slow", &["--budget", "1s", "--json", "-"]);
    assert_eq!(said.code, Some(4), "{said:?}");
    let why = records(&said)[0]["outcome"]["why"].as_str().map(String::from).unwrap_or_default();
    assert!(why.contains("six forks") && why.contains("use --budget "), "{why}");
}

#[test]
fn provider_of_another_sort_of_scenario_is_said_with_one_that_measures_it() {
    let folder = folder();
    for (arguments, why) in [
        (
            &["run", "--provider", "dm-crypt"][..],
            "dm-crypt is not measured: only scenarios of transfers measure it, `ciphermeter run kernel` ",
        ),
        (
            &["run", "messages", "--provider", "ktls,wireguard"],
            "wireguard is not measured: only scenarios of transfers measure it, `ciphermeter run tunnel` ",
        ),
        (
            &["run", "transfer", "--provider", "aws-lc"],
            "aws-lc is not measured: only scenarios of calls measure it, `ciphermeter run messages` ",
        ),
    ] {
        let said = folder.run(arguments);
        assert_eq!((said.code, said.err.lines().count()), (Some(4), 1), "{arguments:?}: {said:?}");
        assert!(said.err.contains(why), "{arguments:?}: {said:?}");
    }
}

#[test]
fn invalid_transfer_is_refused() {
    let folder = folder();
    for (arguments, why) in [
        (&["run", "moves.toml"][..], "no provider here has what the scenario asks for"),
        (&["run", "moves.toml", "--operation", "seal"], "no operation but `transfer`"),
        (&["run", "moves.toml", "--threads", "2"], "neither `aad` nor `threads`"),
        (&["run", "messages", "--operation", "transfer"], "kind `transfer`"),
        (&["worker", "transfer", "--provider", "nobody"], "has no provider `nobody`"),
    ] {
        let said = folder.run(arguments);
        assert!(matches!(said.code, Some(2 | 4)) && said.err.contains(why), "{arguments:?}: {said:?}");
    }
}
