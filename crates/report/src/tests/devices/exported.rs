//! What tables, rankings, exports and figures make of counts.

use ciphermeter_core::{Algorithm, Form, Metric, Outcome};

use super::made::{board, cores, counted};
use super::screened::run;
use crate::tests::schema::{check, fits};
use crate::{
    RANK_SCHEMA, TableOptions, answer, leader, notes, ranking, ranking_json, svg, table, whole_schema, write_benchstat,
    write_bmf, write_csv, write_json,
};
use ciphermeter_answer::fixtures;
use serde_json::{Value, json};

fn text(write: impl Fn(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn two() -> Vec<ciphermeter_core::Record> {
    counted(&cores().into_iter().filter(|core| ["cortex-m4", "avr"].contains(&core.name)).collect::<Vec<_>>())
}

#[test]
fn table_has_a_block_for_each_device_operation_and_size() {
    for width in [80, 120] {
        let text = table(&run(), &two(), TableOptions { width, color: false });
        assert!(!text.contains("not measured") && !text.contains("GB/s"), "{text}");
        insta::assert_snapshot!(format!("table_{width}"), text);
    }
    insta::assert_snapshot!("table_board", table(&run(), &board(8), TableOptions::default()));
}

#[test]
fn counts_that_differ_are_marked() {
    let mut records = two();
    records[1].forks[1].samples[0].counts[0].1 += 8;
    let text = table(&run(), &records, TableOptions::default());
    assert!(text.contains("~4,01") && text.contains("~ samples counted differently"), "{text}");
}

#[test]
fn each_device_has_a_ranking_and_this_machine_its_own() {
    let mut records = two();
    records.extend(fixtures::run().1);
    let screen = ranking(&run(), &records, TableOptions::default()).unwrap();
    assert!(screen.is_answered);
    insta::assert_snapshot!("ranking", screen.text);
    insta::assert_snapshot!("ranking_board", ranking(&run(), &board(8), TableOptions::default()).unwrap().text);
    let document: Value = serde_json::from_str(&ranking_json(&run(), &records).unwrap().text).unwrap();
    fits(&whole_schema(RANK_SCHEMA), &document).unwrap();
    assert_eq!(
        (&document["machines"][0]["on"], document["devices"].as_array().map(Vec::len)),
        (&json!("this machine"), Some(2))
    );
}

#[test]
fn cipher_with_another_form_beside_the_usual_does_not_empty_the_ranking() {
    let mut records = counted(&cores());
    let others = records.iter().filter(|record| record.cell.algorithm == Algorithm::AsconAead128);
    let others: Vec<_> = others
        .map(|record| {
            let mut record = record.clone();
            record.cell.form = Form::Into;
            record
        })
        .collect();
    let before = ranking(&run(), &records, TableOptions::default()).unwrap().text;
    records.extend(others);
    assert_eq!(ranking(&run(), &records, TableOptions::default()).unwrap().text, before);
}

#[test]
fn advice_has_all_that_the_screen_has_no_room_for() {
    let sentences = answer(&run(), &counted(&cores())).sentences;
    insta::assert_snapshot!("advice", sentences.join("\n"));
}

#[test]
fn json_fits_the_schema() {
    for records in [two(), board(8)] {
        let document = serde_json::from_str(&text(|out| write_json(out, &run(), &records))).unwrap();
        check(&document).unwrap();
    }
    let document: serde_json::Value = serde_json::from_str(&text(|out| write_json(out, &run(), &two()))).unwrap();
    assert_eq!(document["records"][1]["device"]["count_per_call"]["mid"], 4012.0);
    assert_eq!(document["records"][1]["summary"], serde_json::Value::Null);
    assert_eq!(document["records"][1]["samples"][0]["stack_bytes"][0], 312);
}

#[test]
fn csv_has_counts_and_no_times() {
    let text = text(|out| write_csv(out, &run(), &two()));
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let names = rows.headers().unwrap().clone();
    let row = rows.records().nth(1).unwrap().unwrap();
    let of = |name: &str| row[names.iter().position(|known| known == name).unwrap()].to_string();
    let names =
        ["device", "emulated", "counts", "count_per_call", "count_spread", "stack_bytes", "code_bytes", "median_ns"];
    assert_eq!(names.map(of), ["cortex-m4", "true", "instructions", "4012.000000", "0.000000", "312", "9640", ""]);
}

#[test]
fn formats_of_other_tools_have_counts_in_their_unit() {
    let records = two();
    let lines = text(|out| write_benchstat(out, &run(), &records));
    let line = "BenchmarkSeal/algorithm=aes-256-gcm/provider=mbedtls-3@cortex-m4/form=in-place/message=16/aad=0-1 8 4012.0000 instructions/op";
    assert_eq!(lines.lines().filter(|own| *own == line).count(), 2, "{lines}");
    assert!(lines.contains("cycles/op") && !lines.contains(" ns/op"), "{lines}");
    let bmf = text(|out| write_bmf(out, &run(), &records));
    let bmf: serde_json::Value = serde_json::from_str(&bmf).unwrap();
    let name = line.trim_start_matches("Benchmark").split(' ').next().unwrap();
    assert_eq!(bmf[name], serde_json::json!({"instructions": {"value": 4012.0}}));
}

#[test]
fn figure_has_a_panel_for_each_device_of_one_unit() {
    let figure = svg(&run(), &counted(&cores())).unwrap();
    for name in ["cortex-m3", "cortex-m4", "rv32imc", "lx106", "Not drawn: avr, which counts cycles", "instructions"] {
        assert!(figure.contains(name), "{name}");
    }
    assert!(svg(&run(), &board(8)).unwrap().contains("ns a message"));
}

#[test]
fn figure_of_one_size_is_refused_with_the_command_that_has_all() {
    let mut records = two();
    records.retain(|record| [0, 16].contains(&record.cell.parameters.message()));
    let why = svg(&run(), &records).unwrap_err().to_string();
    assert!(why.contains("ciphermeter export 7 --format csv"), "{why}");
}

#[test]
fn counts_have_no_notes_and_no_leader() {
    let records = two();
    assert!(notes(&run(), &records, true).is_empty());
    assert_eq!(leader(&records), None);
}

#[test]
fn device_that_did_not_answer_has_its_reason_in_the_table() {
    let mut records = two();
    for record in &mut records {
        (record.outcome, record.provenance) = (Outcome::Failed { why: "no worker answers".into() }, None);
        record.forks.clear();
    }
    let text = table(&run(), &records, TableOptions::default());
    assert!(text.contains("no worker answers") && text.contains("failed"), "{text}");
    assert!(records.iter().all(|record| ciphermeter_estimate::counted(record, Metric::INSTRUCTIONS).is_none()));
}
