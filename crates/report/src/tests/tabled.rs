//! The table: what it shows, and that it fits.

use ciphermeter_core::{Algorithm, Interval, Operation, Outcome, Record, RunStatus, Setup};
use unicode_width::UnicodeWidthStr;

use crate::{TableOptions, table};
use ciphermeter_answer::fixtures::{self, cell};

/// The table at 80 columns; every width is checked on the way.
pub(super) fn at_80(run: &ciphermeter_core::Run, records: &[Record]) -> String {
    for width in [0, 40, 50, 60, 70, 79, 80, 81, 100, 132, 200] {
        for line in table(run, records, TableOptions { width, color: false }).lines() {
            assert!(line.width() <= width.max(40), "{width}: {line}");
            assert!(line.trim_end() == line, "blanks at the end of {line:?}");
        }
    }
    table(run, records, TableOptions::default())
}

#[test]
fn two_aeads_by_three_providers() {
    let (run, records) = fixtures::run();
    insta::assert_snapshot!("at_80", at_80(&run, &records));
    insta::assert_snapshot!("at_120", table(&run, &records, TableOptions { width: 120, color: false }));
    insta::assert_snapshot!("at_50", table(&run, &records, TableOptions { width: 50, color: false }));
}

#[test]
fn color_adds_nothing_but_color() {
    let (run, records) = fixtures::run();
    let colored = table(&run, &records, TableOptions { width: 80, color: true });
    let mut plain = colored.clone();
    for code in ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[2m", "\u{1b}[31m", "\u{1b}[32m", "\u{1b}[33m"] {
        plain = plain.replace(code, "");
    }
    assert_ne!(colored, plain);
    let trimmed: Vec<_> = plain.lines().map(str::trim_end).collect();
    assert_eq!(trimmed, at_80(&run, &records).lines().collect::<Vec<_>>());
}

#[test]
fn everything_that_can_happen_to_a_cell() {
    let seal = |provider, algorithm, ns| cell(provider, algorithm, Operation::Seal, 1024, ns);
    let mut records = fixtures::records(
        &[
            seal("reference-that-fell-out", Algorithm::Aes256Gcm, 200.0),
            seal("a-provider-whose-name-never-seems-to-end-at-all", Algorithm::Aes256Gcm, 180.0),
            seal("pyca", Algorithm::Aes128Gcm, 150.0),
            seal("wrong", Algorithm::Aes256Gcm, 1.0),
            seal("slow\u{1b}[31m", Algorithm::XChaCha20Poly1305, 400_000.0),
            seal("old", Algorithm::Aes256Siv, 900.0),
            seal("old", Algorithm::Aes256GcmSiv, 900.0),
            seal("ceiling", Algorithm::AesUnit, 100.0),
            seal("ceiling", Algorithm::ClmulUnit, 60.0),
            cell("old", Algorithm::Aes256Siv, Operation::Open, 1024, 900.0),
            cell("pyca", Algorithm::Aes256Gcm, Operation::KeySetup, 0, 310.0),
            cell("ring", Algorithm::Aes256Gcm, Operation::KeySetup, 0, 98.0),
            cell("ring", Algorithm::Aes256Gcm, Operation::Seal, 0, 45.0),
            cell("unsummed", Algorithm::Aes256Gcm, Operation::Seal, 0, 45.0),
        ],
        6,
    );
    records[0].outcome = Outcome::Failed {
        why: "the worker `reference` ended with signal 11 (segmentation fault) while it was sampled".into(),
    };
    records[2].provenance.as_mut().unwrap().setup = Setup::Inside;
    records[3].outcome =
        Outcome::WrongOutput { why: "expected 00ff, came 00fe\n\u{1b}[2Jfor a message of 17 B".into() };
    let wide = records[4].summary.as_mut().unwrap();
    wide.ratio = wide.ratio.map(|ratio| Interval { low: ratio.mid * 0.9, high: ratio.mid * 1.1, ..ratio });
    wide.converged = false;
    for old in [5, 9] {
        records[old].outcome = Outcome::Unsupported { why: "no SIV in this version".into() };
    }
    records[13].summary = None;
    let mut run = fixtures::head();
    run.status = RunStatus::Partial;
    insta::assert_snapshot!("everything_80", at_80(&run, &records));
}

#[test]
fn bare_ciphers_stand_above_xor_and_their_ceilings() {
    let mut cells = Vec::new();
    for operation in [Operation::Encrypt, Operation::Decrypt] {
        let bare = |provider, algorithm, ns| cell(provider, algorithm, operation, 1 << 20, ns);
        cells.extend([
            bare("openssl", Algorithm::ChaCha20, 300_000.0),
            bare("openssl", Algorithm::Aes256Ctr, 120_000.0),
            bare("openssl", Algorithm::Aes256Cbc, if operation == Operation::Encrypt { 800_000.0 } else { 125_000.0 }),
            bare("rustcrypto", Algorithm::Xor, 30_000.0),
            bare("ceiling", Algorithm::Memcpy, 20_000.0),
            bare("ceiling", Algorithm::AesUnit, 100_000.0),
        ]);
    }
    insta::assert_snapshot!("bare_80", at_80(&fixtures::head(), &fixtures::records(&cells, 6)));
}

#[test]
fn a_single_fork_has_no_intervals() {
    let seal = |provider, ns| cell(provider, Algorithm::Aes256Gcm, Operation::Seal, 16, ns);
    insta::assert_snapshot!(
        "one_fork_80",
        at_80(&fixtures::head(), &fixtures::records(&[seal("a", 50.0), seal("b", 60.0)], 1))
    );
}

#[test]
fn next_to_nothing() {
    let run = fixtures::head();
    insta::assert_snapshot!("no_records", at_80(&run, &[]));
    let mut records = fixtures::records(&[cell("a", Algorithm::Aes256Gcm, Operation::Seal, 16, 50.0)], 6);
    insta::assert_snapshot!("one_cell", at_80(&run, &records));
    records[0].forks.clear();
    at_80(&run, &records);
    records[0].outcome = Outcome::Failed { why: "gone".into() };
    insta::assert_snapshot!("all_failed", at_80(&run, &records));
}

#[test]
fn absurd_figures_do_not_break_it() {
    let (run, mut records) = fixtures::run();
    for (record, absurd) in
        records.iter_mut().zip([0.0, -1.0, 1e300, 1e-300, f64::INFINITY, f64::NAN, f64::MAX].into_iter().cycle())
    {
        let summary = record.summary.as_mut().unwrap();
        (summary.range.low, summary.range.mid, summary.range.high) = (absurd, absurd, absurd);
        summary.ratio = summary.ratio.map(|ratio| ciphermeter_core::Interval { mid: absurd, ..ratio });
    }
    at_80(&run, &records);
}
