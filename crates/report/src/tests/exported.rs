//! JSON and CSV.

use ciphermeter_core::{Algorithm, Metric, Operation, Outcome};
use serde_json::Value;

use crate::made::{self, cell};
use crate::{write_csv, write_json};

fn small() -> (ciphermeter_core::Run, Vec<ciphermeter_core::Record>) {
    let cells = [
        cell("aws-lc", Algorithm::Aes256Gcm, Operation::Seal, 1024, 200.0),
        cell("ring", Algorithm::Aes256Gcm, Operation::Seal, 1024, 250.0),
        cell("ring", Algorithm::Aes256Gcm, Operation::KeySetup, 0, 90.0),
        cell("odd, \"quoted\"", Algorithm::Aes256Gcm, Operation::Seal, 1024, 250.0),
    ];
    let mut records = made::records(&cells, 2);
    records[1].summary.as_mut().unwrap().warnings = vec!["runs on two levels".into(), "and more".into()];
    let odd = &mut records[3];
    odd.outcome = Outcome::WrongOutput { why: "expected 00\ncame 01".into() };
    (odd.provenance, odd.summary) = (None, None);
    odd.sittings.clear();
    records[0].sittings[0].samples[2].counts.retain(|(metric, _)| *metric != Metric::CpuNs);
    (made::head(), records)
}

#[test]
fn csv_has_a_row_for_each_record() {
    let (run, records) = small();
    let mut out = Vec::new();
    write_csv(&mut out, &run, &records).unwrap();
    insta::assert_snapshot!(String::from_utf8(out).unwrap());
}

#[test]
fn json_holds_every_sample() {
    let (run, records) = small();
    let mut out = Vec::new();
    write_json(&mut out, &run, &records).unwrap();
    let document: Value = serde_json::from_slice(&out).unwrap();
    for (k, record) in records.iter().enumerate() {
        let sittings = document["records"][k]["samples"].as_array().unwrap();
        assert_eq!(sittings.len(), record.sittings.len());
        for (written, sitting) in sittings.iter().zip(&record.sittings) {
            let column = |name: &str| written[name].as_array().unwrap().clone();
            assert_eq!(column("round"), sitting.rounds.iter().map(|round| Value::from(*round)).collect::<Vec<_>>());
            for (k, sample) in sitting.samples.iter().enumerate() {
                assert_eq!(column("ns")[k], sample.ns());
                assert_eq!(column("iterations")[k], sample.iterations);
                assert_eq!(column("turn")[k], sample.turn);
                assert_eq!(column("after")[k], Value::from(sample.after.map(|after| after.0)));
                assert_eq!(column("cpu_ns")[k], Value::from(sample.count(Metric::CpuNs)));
            }
        }
    }
}

#[test]
fn the_shape_of_the_json() {
    let (run, mut records) = small();
    for sitting in records.iter_mut().flat_map(|record| &mut record.sittings) {
        sitting.rounds.truncate(3);
        sitting.samples.truncate(3);
    }
    let mut out = Vec::new();
    write_json(&mut out, &run, &records).unwrap();
    // Its own order of keys, laid out for reading.
    let text = String::from_utf8(out).unwrap();
    insta::assert_snapshot!(
        text.replace("{\"id\"", "\n{\"id\"")
            .replace(",\"summary\"", ",\n \"summary\"")
            .replace(",\"samples\"", ",\n \"samples\"")
    );
}

#[test]
fn an_empty_run() {
    let (mut json, mut csv) = (Vec::new(), Vec::new());
    write_json(&mut json, &made::head(), &[]).unwrap();
    write_csv(&mut csv, &made::head(), &[]).unwrap();
    let document: Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(document["records"], Value::Array(vec![]));
    assert_eq!(document["host"]["absent"]["governor"], "no cpufreq on this machine");
    assert_eq!(String::from_utf8(csv).unwrap().lines().count(), 1);
}
