//! `show --costs`: what a call and what a byte cost, and where ciphers cross.

use ciphermeter_core::{Algorithm, Metric, Operation, Record};

use crate::{TableOptions, costs, table};
use ciphermeter_answer::fixtures::{self, Made, cell};

/// Cells of a provider that takes so many nanoseconds a call and a byte.
fn line(provider: &'static str, algorithm: Algorithm, call: f64, byte: f64) -> Vec<Made> {
    let seal = |bytes: u64| cell(provider, algorithm, Operation::Seal, bytes, call + byte * bytes as f64);
    [16, 256, 4096, 1 << 20].map(seal).into()
}

fn records() -> Vec<Record> {
    let cells = [
        line("a", Algorithm::Aes256Gcm, 200.0, 0.2),
        line("a", Algorithm::ChaCha20Poly1305, 100.0, 0.5),
        line("b", Algorithm::Aes256Gcm, 90.0, 0.15),
    ];
    fixtures::records(&cells.concat(), 8)
}

#[test]
fn lines_and_crossings() {
    let screen = costs(&fixtures::head(), &records(), TableOptions::default());
    assert!(screen.is_answered);
    assert!(screen.text.lines().all(|line| line.chars().count() <= 80), "{}", screen.text);
    insta::assert_snapshot!(screen.text);
    let narrow = costs(&fixtures::head(), &records(), TableOptions { width: 50, ..TableOptions::default() });
    assert!(narrow.text.lines().all(|line| line.chars().count() <= 50), "{}", narrow.text);
}

#[test]
fn what_has_no_line_is_named() {
    let mut cells = [line("a", Algorithm::Aes256Gcm, 200.0, 0.2)].concat();
    cells.extend(line("b", Algorithm::Aes256Gcm, 90.0, 0.15).into_iter().take(2));
    let text = costs(&fixtures::head(), &fixtures::records(&cells, 8), TableOptions { width: 200, color: false }).text;
    assert!(text.contains("so without a line: AES-256-GCM by b."), "{text}");
}

#[test]
fn two_sizes_and_few_forks_are_no_line() {
    for (cells, forks) in [
        (line("a", Algorithm::Aes256Gcm, 200.0, 0.2)[..2].to_vec(), 8),
        (line("a", Algorithm::Aes256Gcm, 200.0, 0.2), 5),
    ] {
        let screen = costs(&fixtures::head(), &fixtures::records(&cells, forks), TableOptions::default());
        assert!(!screen.is_answered && screen.text.contains("that takes three message"), "{}", screen.text);
    }
}

#[test]
fn a_column_shows_cycles_where_they_were_counted() {
    let mut records = records();
    let plain = table(&fixtures::head(), &records, TableOptions { width: 100, ..TableOptions::default() });
    assert!(!plain.contains("c/B"), "{plain}");
    for record in &mut records {
        for sample in record.forks.iter_mut().flat_map(|fork| &mut fork.samples) {
            let cycles = sample.ns() * 3;
            sample.counts.push((Metric::CYCLES, cycles));
        }
    }
    let shown = table(&fixtures::head(), &records, TableOptions { width: 100, ..TableOptions::default() });
    assert!(shown.contains("c/B: core"), "{shown}");
    insta::assert_snapshot!(shown);
}
