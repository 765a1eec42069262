//! Files that move: the table, what it advises, the exports.

use ciphermeter_core::{
    Algorithm, Form, Metric, Operation, Outcome, Parameters, Record, Run, Sample, Scenario, Series,
};

use super::schema::check;
use super::tabled::at_80;
use crate::{TableOptions, answer, notes, table, write_json, write_study_csv};
use ciphermeter_answer::About;
use ciphermeter_answer::fixtures::{self, Made, cell};

const MIB: u64 = 1 << 20;

/// Nanoseconds a byte: sealing, and everything else.
fn costs(provider: &str, algorithm: Algorithm) -> (f64, f64) {
    let seal = match (provider, algorithm) {
        (_, Algorithm::TcpPlain) => 0.0,
        ("study", Algorithm::Aes256Gcm) => 0.30,
        (_, Algorithm::Aes256Gcm) => 0.26,
        _ => 0.55,
    };
    let rest = match provider {
        "ceiling" => 0.34,
        "ciphermeter" => 0.40,
        "rustls" => 0.62,
        _ => 1.9,
    };
    (seal, rest)
}

pub(crate) fn moved() -> (Run, Vec<Record>) {
    let mut cells = Vec::new();
    for bytes in [10_240, 500 * MIB, 50 * MIB] {
        let mut add = |provider, algorithm| {
            let (seal, rest) = costs(provider, algorithm);
            let made = cell(provider, algorithm, Operation::Transfer, bytes, 50_000.0 + bytes as f64 * (seal + rest));
            cells.push(Made { parameters: Parameters::transfer_cell(bytes, 2), ..made });
        };
        for algorithm in [Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305] {
            ["ciphermeter", "rustls", "study"].into_iter().for_each(|provider| add(provider, algorithm));
        }
        add("ceiling", Algorithm::TcpPlain);
    }
    let mut records = fixtures::records(&cells, 6);
    for record in &mut records {
        let into = if record.cell.parameters.message() == 50 * MIB { Form::File } else { Form::Discard };
        record.cell.form = into;
        let cell = record.cell.clone();
        let samples = record.forks.iter_mut().flat_map(|fork| &mut fork.samples);
        samples.for_each(|sample| count(sample, &cell));
    }
    (head(), records)
}

fn head() -> Run {
    let scenario = "name = 'transfer'\nkind = 'transfer'\ntitle = 't'\nbudget = '8min'\nprecision = '2%'\n[[cells]]\n\
                    algorithms = ['aes-256-gcm']\noperations = ['transfer']\nmessages = ['10KiB']\nforms = ['discard']\n";
    Run { scenario: Scenario::parse(scenario).unwrap(), ..fixtures::head() }
}

/// What a worker counts of a transfer: TLS can't tell its sealing apart, and there is nothing to sync in what is thrown away.
fn count(sample: &mut Sample, cell: &ciphermeter_core::Cell) {
    let bytes = cell.parameters.message();
    let (seal, rest) = costs(&cell.provider, cell.algorithm);
    let ns = sample.ns();
    let seals = (ns as f64 * seal / (seal + rest)) as u64;
    let mut add = |metric, count| sample.counts.push((metric, count));
    add(Metric::HANDSHAKE, 2_100_000 * sample.iterations);
    add(Metric::PEER_CPU_NS, ns * 3 / 4);
    add(Metric::PEAK_RSS, 9 * MIB);
    add(Metric::PEER_PEAK_RSS, 9 * MIB + 300_000);
    if cell.form == Form::File {
        add(Metric::DURABLE, ns + 100_000_000);
    }
    if matches!(cell.provider.as_str(), "ciphermeter" | "study") {
        add(Metric::SEAL, seals);
        add(Metric::OPEN, seals + seals / 10);
    }
    let entries = (ns / sample.iterations / 50_000_000).min(3) as usize;
    let followed = if bytes > MIB { entries } else { 0 };
    sample.series = Series::ALL.iter().map(|series| (*series, vec![48_000; followed])).collect();
}

#[test]
fn the_table_of_a_study_and_more() {
    let (run, records) = moved();
    insta::assert_snapshot!("transfer_80", at_80(&run, &records));
    insta::assert_snapshot!("transfer_50", table(&run, &records, TableOptions { width: 50, color: false }));
    assert!(notes(&run, &records, true).is_empty());
}

/// The bound of a suite is one for all its providers, from the one that seals it fastest.
#[test]
fn shares_of_the_bound_are_right() {
    let (run, records) = moved();
    let table = at_80(&run, &records);
    let (_, large) = table.split_once("transfer discard, 500 MiB").unwrap();
    let share = |provider: &str, seal: f64, own: f64| {
        let line = large.lines().find(|line| line.starts_with("aes-256-gcm") && line.contains(provider)).unwrap();
        let truth = format!(" {:.0} % ", 100.0 * (seal + 0.34) / own);
        assert!(line.contains(&truth), "{truth} in {line}");
    };
    share("ciphermeter", 0.26, 0.66);
    share("rustls", 0.26, 0.88);
    share("study", 0.26, 2.2);
}

#[test]
fn three_forks_recommend_no_suite() {
    let (run, mut records) = moved();
    records.iter_mut().for_each(|record| record.forks.truncate(3));
    let said = answer(&run, &records);
    assert!(!said.answered && said.sentences[0].starts_with("No answer yet"), "{said:?}");
}

#[test]
fn one_size_of_three_recommends_no_suite() {
    let (run, mut records) = moved();
    // At two sizes every suite takes as long as the fastest.
    for group in records.chunks_mut(7).take(2) {
        let fastest = group[0].forks.clone();
        group.iter_mut().for_each(|record| record.forks = fastest.clone());
    }
    let said = answer(&run, &records);
    let Some(About::Ciphers(pair)) = &said.about else { panic!("{said:?}") };
    assert_eq!(pair.recommended, None, "{said:?}");
}

#[test]
fn what_is_missing_leaves_its_place_empty() {
    let (run, mut records) = moved();
    // No ceiling, no bound; a provider that fell out, a suite alone.
    records.retain(|record| record.cell.algorithm == Algorithm::Aes256Gcm);
    for (number, record) in (0..).zip(&mut records) {
        record.id.0 = number;
        record.summary.as_mut().unwrap().reference.0 = number - number % 3;
    }
    records[1].outcome = Outcome::WrongOutput { why: "of a file of 16 bytes the receiver had another".into() };
    insta::assert_snapshot!("transfer_lacking", at_80(&run, &records));
    assert_eq!(answer(&run, &[]).sentences[0], "No answer: nothing was measured.");
}

#[test]
fn exports_hold_everything() {
    let (run, mut records) = moved();
    let mut json = Vec::new();
    write_json(&mut json, &run, &records).unwrap();
    let document = serde_json::from_slice(&json).unwrap();
    check(&document).unwrap();
    assert_eq!(document["records"][7]["samples"][0]["series_peer_rss"][0], serde_json::json!([48_000, 48_000, 48_000]));
    let mut long = document.clone();
    long["records"][7]["samples"][0]["series_rss"][0] = serde_json::json!(vec![1; 1001]);
    assert!(check(&long).is_err());

    // What estimates pass over, so does the study's CSV.
    records[0].forks[0].short = true;
    let mut csv = Vec::new();
    write_study_csv(&mut csv, &records).unwrap();
    let csv = String::from_utf8(csv).unwrap();
    assert_eq!(csv.lines().count(), 1 + (21 * 6 - 1) * 15 * 2);
    let of = |start: &str| csv.lines().filter(|line| line.starts_with(start)).take(2).collect::<Vec<_>>().join("\n");
    let some = ["Cipher", "aes-256-gcm,524.288", "tcp-plain,52.4288"].map(of).join("\n");
    insta::assert_snapshot!("study_csv", some);
}
