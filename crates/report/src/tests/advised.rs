//! The sentences: they claim what the intervals bear, and no more.

use ciphermeter_core::{Algorithm, Fact, Operation, Outcome, Record};

use crate::advice;
use ciphermeter_answer::fixtures::{self, Made, cell};

fn advised(records: &[Record]) -> String {
    advice(&fixtures::head(), records).join("\n")
}

/// Seal and open of one size.
fn both(provider: &'static str, algorithm: Algorithm, message: u64, ns: f64) -> [Made; 2] {
    [Operation::Seal, Operation::Open].map(|operation| cell(provider, algorithm, operation, message, ns))
}

#[test]
fn clear_winners() {
    let (run, records) = fixtures::run();
    insta::assert_snapshot!(advice(&run, &records).join("\n"));
}

#[test]
fn close_contenders_are_given_a_bound() {
    let cells: Vec<_> = [
        both("aws-lc", Algorithm::Aes256Gcm, 1024, 200.0),
        both("ring", Algorithm::Aes256Gcm, 1024, 200.01),
        both("ring", Algorithm::ChaCha20Poly1305, 1024, 208.0),
        both("aws-lc", Algorithm::Aes256Gcm, 65_536, 9000.0),
        both("ring", Algorithm::ChaCha20Poly1305, 65_536, 9000.1),
        both("ring", Algorithm::Aes256Gcm, 65_536, 20_000.0),
    ]
    .into_iter()
    .flatten()
    .collect();
    insta::assert_snapshot!(advised(&fixtures::records(&cells, 6)));
}

#[test]
fn a_single_fork_ranks_nothing() {
    let cells: Vec<_> = [both("a", Algorithm::Aes256Gcm, 16, 20.0), both("b", Algorithm::Aes256Gcm, 16, 90.0)]
        .into_iter()
        .flatten()
        .collect();
    insta::assert_snapshot!(advised(&fixtures::records(&cells, 1)));
}

#[test]
fn bare_ciphers_only_if_there_is_nothing_else() {
    let bare = |provider, algorithm, ns| cell(provider, algorithm, Operation::Encrypt, 1 << 20, ns);
    let cells = [
        bare("a", Algorithm::Aes256Ctr, 100_000.0),
        bare("a", Algorithm::ChaCha20, 300_000.0),
        bare("a", Algorithm::Xor, 20_000.0),
        cell("ceiling", Algorithm::Memcpy, Operation::Encrypt, 1 << 20, 10_000.0),
    ];
    insta::assert_snapshot!(advised(&fixtures::records(&cells, 6)));
    let mut cells = Vec::from(cells);
    cells.extend(both("a", Algorithm::Aes256Gcm, 1 << 20, 200_000.0));
    assert!(advised(&fixtures::records(&cells, 6)).contains("only AES-256-GCM by a was measured"));
}

#[test]
fn who_lacks_cells_is_not_ranked() {
    let mut cells: Vec<_> = [16, 32, 64].into_iter().flat_map(|n| both("a", Algorithm::Aes256Gcm, n, 50.0)).collect();
    cells.extend([16, 32, 64].into_iter().flat_map(|n| both("b", Algorithm::Aes256Gcm, n, 80.0)));
    cells.push(cell("sealer", Algorithm::Aes256Gcm, Operation::Seal, 16, 1.0));
    let advised = advised(&fixtures::records(&cells, 6));
    assert!(advised.contains("AES-256-GCM by a is 1.60×"), "{advised}");
    assert!(advised.contains("in common with the others: AES-256-GCM by sealer."), "{advised}");
}

#[test]
fn nothing_to_go_by() {
    assert_eq!(advised(&[]), "Nothing was measured, so there is nothing to advise.");
    let mut records = fixtures::records(&both("a", Algorithm::Aes256Gcm, 4096, 500.0), 6);
    records.iter_mut().flat_map(|record| &mut record.forks).for_each(|fork| fork.short = true);
    assert!(advised(&records).starts_with("No two ciphers have a whole fork in common"), "{}", advised(&records));
    records.iter_mut().for_each(|record| record.outcome = Outcome::Failed { why: "gone".into() });
    assert!(advised(&records).starts_with("Nothing was measured"));
}

#[test]
fn short_forks_do_not_count_and_a_nameless_cpu_is_said() {
    let cells: Vec<_> = [both("a", Algorithm::Aes256Gcm, 16, 20.0), both("b", Algorithm::Aes256Gcm, 16, 90.0)]
        .into_iter()
        .flatten()
        .collect();
    let mut records = fixtures::records(&cells, 7);
    records.iter_mut().for_each(|record| record.forks[6].short = true);
    let mut run = fixtures::head();
    run.host = vec![Fact::absent("cpu", "masked")];
    let advised = advice(&run, &records).join("\n");
    assert!(advised.contains("in 6 forks on this machine (CPU model unknown)"), "{advised}");
}
