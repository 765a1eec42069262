//! Memory beside the CPU time of a call, and a CPU that lacks instructions.

use ciphermeter_core::{Algorithm, Mask, Memory, Metric, Operation, Record};

use super::tabled::at_80;
use crate::{TableOptions, ranking, table};
use ciphermeter_answer::fixtures::{self, cell};

/// Cells with memory: all known, a counter of their own, nothing counting, nothing known, an empty message, 4 MiB.
pub(super) fn with_memory() -> Vec<Record> {
    let open = |provider, algorithm, message, ns| cell(provider, algorithm, Operation::Open, message, ns);
    let large = 4 << 20;
    let mut records = fixtures::records(
        &[
            open("aws-lc", Algorithm::Aes256Gcm, large, 240_000.0),
            open("pyca", Algorithm::Aes256Gcm, large, 950_000.0),
            open("a-provider-whose-name-never-ends", Algorithm::XChaCha20Poly1305, large, 2_400_000.0),
            open("dark", Algorithm::Aes256Gcm, large, 500_000.0),
            open("without", Algorithm::Aes256Gcm, large, 700_000.0),
            open("ring", Algorithm::Aes256Gcm, 0, 52.0),
        ],
        6,
    );
    records[0].memory = fixtures::memory(large + 8192, 0, Some("malloc"));
    records[1].memory = fixtures::memory(3 * large, large + 52, Some("tracemalloc"));
    records[2].memory = fixtures::memory(2 * large, 0, None);
    records[3].memory = vec![Memory { iterations: 9, ..Memory::default() }];
    for sample in records[3].forks.iter_mut().flat_map(|fork| &mut fork.samples) {
        sample.counts.retain(|(metric, _)| *metric != Metric::CPU_NS);
    }
    records[5].memory = fixtures::memory(8192, 64, Some("malloc"));
    records
}

#[test]
fn memory_stands_below_the_blocks() {
    let (run, mut records) = (fixtures::head(), with_memory());
    insta::assert_snapshot!("memory_80", at_80(&run, &records));
    insta::assert_snapshot!("memory_120", table(&run, &records, TableOptions { width: 120, color: false }));
    insta::assert_snapshot!("memory_50", table(&run, &records, TableOptions { width: 50, color: false }));
    records.truncate(2);
    let text = at_80(&run, &records);
    assert!(text.contains("÷msg") && !text.contains("not known"), "{text}");
    records.iter_mut().for_each(|record| record.memory.clear());
    assert!(!at_80(&run, &records).contains("memory"), "cells without it have no block");
}

#[test]
fn absurd_memory_does_not_break_it() {
    let (run, mut records) = (fixtures::head(), with_memory());
    for (record, absurd) in records.iter_mut().zip([0, 1, u64::MAX, (1 << 53) - 1]) {
        let some = Some(absurd);
        let memory = Memory { idle_rss: some, peak_rss: some, peak_heap: some, allocated: some, ..Memory::default() };
        record.memory = vec![Memory { counter: Some("odd\u{1b}[2J\u{202e}".repeat(20)), ..memory }];
        record.summary.as_mut().unwrap().range.mid = f64::INFINITY;
    }
    at_80(&run, &records);
}

#[test]
fn a_masked_cpu_is_named_wherever_the_cpu_is() {
    let (mut run, records) = fixtures::run();
    run.mask = Some(Mask::NoAes);
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = "as on a CPU without AES and carry-less multiplication instructions (--cpu no-aes)";
    let table = at_80(&run, &records);
    assert!(words(&table).contains(&format!("complete, on Example EPYC 9, {said} ")), "{table}");
    let ranked = ranking(&run, &records, TableOptions::default()).unwrap().text;
    assert!(words(&ranked).contains(&format!("2026-11-21T12:00:00Z, {said} ")), "{ranked}");
}
