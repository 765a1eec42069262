//! JSON and CSV, and what other tools read.

use ciphermeter_core::{Against, Algorithm, Mask, Memory, Metric, Operation, Outcome, Record, Run, Share};
use serde_json::Value;

use crate::{write_benchstat, write_bmf, write_csv, write_json};
use ciphermeter_answer::fixtures::{self, cell};

/// Everything that a record may hold.
pub(super) fn small() -> (Run, Vec<Record>) {
    let seal = |ns| cell("ring", Algorithm::Aes256Gcm, Operation::Seal, 1024, ns);
    let cells = [
        cell("aws-lc", Algorithm::Aes256Gcm, Operation::Seal, 1024, 200.0),
        cell("ring", Algorithm::Aes256Gcm, Operation::Seal, 1024, 250.0),
        cell("ring", Algorithm::Aes256Gcm, Operation::KeySetup, 0, 90.0),
        cell("odd, \"quoted\"", Algorithm::Aes256Gcm, Operation::Seal, 1024, 250.0),
        seal(260.0).threads(1, 4),
        seal(300.0).threads(4, 4),
        cell("lacking", Algorithm::Aes256GcmSiv, Operation::Seal, 1024, 1.0),
    ];
    let mut records = fixtures::records(&cells, 2);
    records[1].summary.as_mut().unwrap().warnings = vec!["runs on two levels".into(), "and more".into()];
    let odd = &mut records[3];
    odd.outcome = Outcome::WrongOutput { why: "expected 00\ncame 01".into() };
    (odd.provenance, odd.summary) = (None, None);
    odd.forks.clear();
    let lacking = &mut records[6];
    lacking.outcome = Outcome::Unsupported { why: "not in this version".into() };
    lacking.summary = None;
    lacking.forks.clear();
    records[0].latency = fixtures::latency(300, 23, 20_000, 4);
    records[1].latency = fixtures::latency(200, 23, 200_000, 1);
    records[0].memory = fixtures::memory(8192, 64, Some("tracemalloc"));
    records[1].memory = vec![Memory { fork: 9, iterations: 1, ..Memory::default() }];
    for sample in records[4].forks.iter_mut().flat_map(|fork| &mut fork.samples) {
        sample.counts.retain(|(metric, _)| *metric != Metric::CPU_NS);
    }
    let from = records[0].provenance.as_mut().unwrap();
    (from.library, from.sha256) = (Some("/usr/lib/libcrypto.so.3".into()), Some("0f".repeat(32)));
    from.program = Some("1e".repeat(32));
    records[0].forks[0].samples[2].counts.retain(|(metric, _)| *metric != Metric::CPU_NS);
    let mut run = fixtures::head();
    run.mask = Some(Mask::NoAvx512);
    run.against = Some(Against { old: "/opt/old/libcrypto.so.3".into(), threshold: Share(0.05), may_hide: None });
    (run, records)
}

fn text(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn names_are_no_formulas_in_csv() {
    for (name, shown) in [("=1+1", "'=1+1"), ("@x", "'@x"), ("-x", "'-x"), ("+x", "'+x"), ("x=", "x="), ("-5", "-5")] {
        let cells = [64, 1024].map(|size| cell(name, Algorithm::Aes256Gcm, Operation::Seal, size, size as f64));
        let records = fixtures::records(&cells, 8);
        let run = fixtures::head();
        let csv = text(|out| write_csv(out, &run, &records));
        assert!(csv.contains(&format!(",{shown},aes-256-gcm,")), "{csv}");
        let figures = crate::figures(&run, &records);
        let csv = text(|mut out| figures[0].write_csv(&mut out));
        assert!(csv.contains(&format!(",{shown},")) || csv.contains(&format!(",{shown} ")), "{csv}");
        assert!(!csv.contains(",=") && !csv.contains(",@"), "{csv}");
    }
}

#[test]
fn csv_has_a_row_for_each_record() {
    let (run, records) = small();
    insta::assert_snapshot!(text(|out| write_csv(out, &run, &records)));
}

#[test]
fn csv_has_the_length_of_a_key_of_xor() {
    let made = |algorithm, operation| cell("ceiling", algorithm, operation, 1024, 200.0);
    let xor = || made(Algorithm::Xor, Operation::Encrypt);
    let cells = [xor(), xor(), xor(), made(Algorithm::Aes256Gcm, Operation::Seal)];
    let mut records = fixtures::records(&cells, 2);
    for (record, key) in records.iter_mut().zip([1, 4096]) {
        record.cell.parameters = record.cell.parameters.clone().with_key(key);
    }
    let csv = text(|out| write_csv(out, &fixtures::head(), &records));
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let column = rows[0].iter().position(|name| *name == "key_bytes").unwrap();
    let keys: Vec<&str> = rows[1..].iter().map(|row| row[column]).collect();
    assert_eq!(keys, ["1", "4096", "32", ""]);
}

#[test]
fn json_holds_every_sample() {
    let (run, records) = small();
    let mut out = Vec::new();
    write_json(&mut out, &run, &records).unwrap();
    let document: Value = serde_json::from_slice(&out).unwrap();
    for (k, record) in records.iter().enumerate() {
        let forks = document["records"][k]["samples"].as_array().unwrap();
        assert_eq!(forks.len(), record.forks.len());
        for (written, fork) in forks.iter().zip(&record.forks) {
            let column = |name: &str| written[name].as_array().unwrap().clone();
            assert_eq!(column("round"), fork.rounds.iter().map(|round| Value::from(*round)).collect::<Vec<_>>());
            for (k, sample) in fork.samples.iter().enumerate() {
                assert_eq!(column("ns")[k], sample.ns());
                assert_eq!(column("iterations")[k], sample.iterations);
                assert_eq!(column("turn")[k], sample.turn);
                assert_eq!(column("after")[k], Value::from(sample.after.map(|after| after.0)));
                assert_eq!(written["cpu_ns"][k], Value::from(sample.count(Metric::CPU_NS)));
            }
        }
    }
}

#[test]
fn the_shape_of_the_json() {
    let (run, mut records) = small();
    for fork in records.iter_mut().flat_map(|record| &mut record.forks) {
        fork.rounds.truncate(3);
        fork.samples.truncate(3);
    }
    let mut out = Vec::new();
    write_json(&mut out, &run, &records).unwrap();
    // Its own order of keys, laid out for reading.
    let text = String::from_utf8(out).unwrap();
    insta::assert_snapshot!(
        text.replace("{\"id\"", "\n{\"id\"")
            .replace(",\"summary\"", ",\n \"summary\"")
            .replace(",\"percentiles\"", ",\n \"percentiles\"")
            .replace(",\"cpu\"", ",\n \"cpu\"")
            .replace(",\"samples\"", ",\n \"samples\"")
            .replace(",\"latency\":[{", ",\n \"latency\":[{")
            .replace(",\"memory\":[{", ",\n \"memory\":[{")
    );
}

/// For benchstat itself there is `tests/benchstat`.
#[test]
fn benchstat_has_a_line_for_each_whole_fork() {
    let (mut run, mut records) = small();
    records[0].forks[1].short = true;
    run.host.push(ciphermeter_core::Fact::present("kernel", "Linux 6.12\u{1b}[2J"));
    run.host.push(ciphermeter_core::Fact::present("architecture", "x86_64"));
    insta::assert_snapshot!(text(|out| write_benchstat(out, &run, &records)));
}

#[test]
fn bmf_has_a_member_for_each_record() {
    let (run, mut records) = small();
    records[0].forks[1].short = true;
    records[2].forks.iter_mut().for_each(|fork| fork.short = true);
    let document: Value = serde_json::from_str(&text(|out| write_bmf(out, &run, &records))).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&document).unwrap());
}

#[test]
fn an_empty_run() {
    let document: Value = serde_json::from_str(&text(|out| write_json(out, &fixtures::head(), &[]))).unwrap();
    assert_eq!(document["records"], Value::Array(vec![]));
    assert_eq!(document["host"]["absent"]["governor"], "no cpufreq on this machine");
    assert_eq!(text(|out| write_csv(out, &fixtures::head(), &[])).lines().count(), 1);
    assert_eq!(text(|out| write_bmf(out, &fixtures::head(), &[])), "{}\n");
    let benchstat = text(|out| write_benchstat(out, &fixtures::head(), &[]));
    assert_eq!(benchstat, "# ciphermeter 0.1.0, run 7: messages\ncpu: Example EPYC 9\n");
}

/// docs/columns.md has every column of every CSV, as the code has it.
#[test]
fn the_documents_list_every_column() {
    let documented = include_str!("../../../../docs/columns.md");
    for columns in [crate::csv_columns(), crate::study_csv_columns(), crate::course_csv_columns()] {
        assert!(documented.contains(&columns), "docs/columns.md lacks this table:\n{columns}");
    }
}
