//! `run transfer` with the built-in worker's own providers: real encryption, real processes, a file of 10 KiB. The
//! speed is not checked.

use std::collections::BTreeSet;

use crate::common::{CommandOutput, TestFolder, wait_until};
use serde_json::Value;

/// Enough for the six forks of five cells on a busy machine; elsewhere the precision ends the run
/// long before that.
const OPTIONS: [&str; 8] = ["--budget", "2min", "--precision", "100%", "--message", "10KiB", "--quiet", "--json"];

/// The folder has no workers in other languages, so these are the built-in ones.
fn run(folder: &TestFolder, form: &str, more: &[&str]) -> CommandOutput {
    folder.run(&[&["run", "transfer", "--form", form][..], &OPTIONS, &["-"], more].concat())
}

/// The columns of the paper's table of results, in its order.
const PAPER: &str = "Cipher,Payload (MB),Total Time (s),Throughput (MB/s),Avg. CPU (%),Peak Memory (MB),";

#[test]
fn small_files_are_measured_and_reported() {
    let folder = TestFolder::new();
    let said = run(&folder, "discard", &[]);
    assert!(matches!(said.code, Some(0 | 5)), "measured, whether or not it decides anything: {said:?}");
    let document = said.json();
    let records = document["records"].as_array().expect("records");
    let measured: BTreeSet<_> = records
        .iter()
        // A digest that differs from the harness's own gives a record with another outcome.
        .filter(|record| record["outcome"]["is"] == "measured" && record["operation"] == "transfer")
        .map(|record| [&record["provider"], &record["algorithm"]].map(|name| name.as_str().unwrap_or_default()))
        .collect();
    let expected = BTreeSet::from([
        ["ciphermeter", "aes-256-gcm"],
        ["ciphermeter", "chacha20-poly1305"],
        ["rustls", "aes-256-gcm"],
        ["rustls", "chacha20-poly1305"],
        ["ceiling", "tcp-plain"],
    ]);
    assert_eq!((measured, records.len()), (expected, 5), "{said:?}");
    for record in records {
        let fork = &record["samples"][0];
        let known = |key: &str| fork[key][0].is_u64();
        assert!(known("ns") && known("handshake_ns") && !known("durable_ns"), "{record}");
        // TLS seals inside its own calls, and the ceiling not at all.
        assert_eq!(known("seal_ns") && known("open_ns"), record["provider"] == "ciphermeter", "{record}");
    }
    wait_until("no process is left", || folder.processes().is_empty());

    let table = folder.run(&["show", "--all"]).out;
    let mut lines = table.lines();
    let header = lines.find(|line| line.contains("transfer discard, 10 KiB")).unwrap_or_default();
    assert!(["ms", "MB/s", "bound", "shake"].iter().all(|column| header.contains(column)), "{table}");
    assert!(table.contains("  aes-256-gcm       bound") && table.contains("  tcp-plain         ceiling"), "{table}");

    let csv = folder.run(&["export", "--format", "csv", "--columns", "study"]).out;
    assert!(csv.starts_with(PAPER), "{csv}");
    let count = |record: &Value| {
        let forks = record["samples"].as_array().into_iter().flatten().filter(|fork| fork["short"] == false);
        forks.map(|fork| fork["ns"].as_array().map_or(0, Vec::len)).sum::<usize>()
    };
    assert_eq!(csv.lines().count(), 1 + 2 * records.iter().map(count).sum::<usize>(), "one line per sample and side");
    for side in ["sender", "receiver"] {
        assert!(csv.lines().any(|line| line.starts_with("aes-256-gcm,0.01024,") && line.contains(side)), "{csv}");
    }
}

#[test]
fn received_files_are_synced() {
    let folder = TestFolder::new();
    let said = run(&folder, "file", &["--provider", "ciphermeter", "--algorithm", "aes-256-gcm"]);
    assert!(matches!(said.code, Some(0 | 5)), "measured, whether or not it decides anything: {said:?}");
    let document = said.json();
    let records = document["records"].as_array().expect("records");
    assert_eq!(records.len(), 2, "the suite and the ceiling: {said:?}");
    for record in records {
        let fork = &record["samples"][0];
        let [ns, durable] = ["ns", "durable_ns"].map(|key| fork[key][0].as_u64());
        assert!(record["outcome"]["is"] == "measured" && ns.is_some() && durable >= ns, "{record}");
    }
    assert!(folder.run(&["show", "--all"]).out.contains("durable"), "{said:?}");
}
