//! Several threads and single calls: what the table and the sentences make of them.

use ciphermeter_core::{Algorithm, Operation, Outcome, Record};

use super::tabled::at_80;
use crate::{TableOptions, answer, self_check, table};
use ciphermeter_answer::fixtures::{self, Made, cell};

fn seal(provider: &'static str, algorithm: Algorithm, ns: f64) -> Made {
    cell(provider, algorithm, Operation::Seal, 16_384, ns)
}

/// One thread and four on four CPUs, the four slower by so much.
fn both(provider: &'static str, algorithm: Algorithm, ns: f64, slower: f64) -> [Made; 2] {
    [seal(provider, algorithm, ns).threads(1, 4), seal(provider, algorithm, ns * slower).threads(4, 4)]
}

fn cells() -> Vec<Made> {
    let threads = [
        both("aws-lc", Algorithm::Aes256Gcm, 900.0, 1.04),
        both("rustcrypto", Algorithm::Aes256Gcm, 3000.0, 1.6),
        both("aws-lc", Algorithm::XChaCha20Poly1305, 5000.0, 1.01),
        both("ceiling", Algorithm::Memcpy, 250.0, 3.2),
    ];
    let mut cells = vec![seal("aws-lc", Algorithm::Aes256Gcm, 870.0), seal("ring", Algorithm::Aes256Gcm, 1900.0)];
    cells.extend(threads.into_iter().flatten());
    cells
}

#[test]
fn threads_have_groups_of_their_own() {
    let (run, records) = (fixtures::head(), fixtures::records(&cells(), 6));
    insta::assert_snapshot!("threads_80", at_80(&run, &records));
    insta::assert_snapshot!("threads_50", table(&run, &records, TableOptions { width: 50, color: false }));
}

#[test]
fn one_thread_of_several_is_shown_where_there_is_nothing_else() {
    let mut records = fixtures::records(&both("ring", Algorithm::Aes256Gcm, 900.0, 1.1), 6);
    records[1].outcome = Outcome::Failed { why: "gone".into() };
    let table = at_80(&fixtures::head(), &records);
    assert!(table.contains("seal in-place, 16 KiB message, 1 thread on 4 CPUs"), "{table}");
    assert!(!table.contains("speed-up"), "{table}");
}

#[test]
fn a_speed_up_wants_its_one_thread() {
    let mut records = fixtures::records(&cells(), 1);
    let table = at_80(&fixtures::head(), &records);
    assert!(table.contains(" 3.8") && !table.contains('±'), "{table}");
    records.iter_mut().filter(|record| record.cell.parameters.cpus().is_some()).step_by(2).for_each(|one| {
        one.outcome = Outcome::Failed { why: "gone".into() };
    });
    let table = at_80(&fixtures::head(), &records);
    assert!(table.contains("4 threads on 4 CPUs") && !table.contains("effic."), "{table}");
}

#[test]
fn nothing_mixes_them_with_others() {
    let run = fixtures::head();
    let records = fixtures::records(&cells(), 6);
    let (on_several, in_turn): (Vec<Record>, Vec<Record>) =
        records.iter().cloned().partition(|record| record.cell.parameters.cpus().is_some());
    let sentences = |records: &[Record]| answer(&run, records).sentences;
    assert_eq!(sentences(&records), sentences(&in_turn));
    assert!(sentences(&on_several)[0].contains("each of several threads compared with one thread"));
    let mut run = run.clone();
    run.scenario.copies = Some(ciphermeter_core::Copies { names: 2, ..Default::default() });
    assert_eq!(self_check(&run, &records), self_check(&run, &in_turn));
}

/// Cells with single calls: all percentiles, calls too few, a clock that costs too much, one fork, calls of milliseconds.
pub(super) fn with_latency() -> Vec<Record> {
    let small = |provider, algorithm, ns| cell(provider, algorithm, Operation::Open, 64, ns);
    let mut records = fixtures::records(
        &[
            small("aws-lc", Algorithm::Aes256Gcm, 240.0),
            small("ring", Algorithm::Aes256Gcm, 150.0),
            small("a-provider-whose-name-never-ends", Algorithm::XChaCha20Poly1305, 400.0),
            small("few", Algorithm::Aes256Gcm, 500.0),
            cell("go", Algorithm::Aes256Gcm, Operation::Open, 1 << 20, 2e6),
            small("without", Algorithm::Aes256Gcm, 700.0),
        ],
        6,
    );
    records[0].latency = fixtures::latency(240, 23, 160_000, 8);
    records[1].latency = fixtures::latency(150, 23, 160_000, 8);
    records[2].latency = fixtures::latency(400, 40, 160_000, 8);
    records[3].latency = fixtures::latency(500, 23, 4_000, 2);
    records[4].latency = fixtures::latency(2_000_000, 23, 20_000, 8);
    records
}

#[test]
fn single_calls_stand_below_the_blocks() {
    let (run, mut records) = (fixtures::head(), with_latency());
    insta::assert_snapshot!("latency_80", at_80(&run, &records));
    insta::assert_snapshot!("latency_50", table(&run, &records, TableOptions { width: 50, color: false }));
    records.truncate(1);
    records[0].latency.truncate(1);
    let words = at_80(&run, &records).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("included; an interval needs two forks; clock:"), "{words}");
    records[0].latency[0].short = true;
    assert!(!at_80(&run, &records).contains("single calls"), "short forks are excluded");
}
