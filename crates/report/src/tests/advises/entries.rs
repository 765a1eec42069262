//! Which records of a run count, and what it lacks.

use ciphermeter_core::{Algorithm, Bytes, Cell, LeftOut, Operation, Outcome, Parameters, Record};

use super::{AES, CHACHA20, advised, asked, both, pair, question, records, scenario, told, waver};
use crate::{Evidence, Question, advise};
use ciphermeter_answer::fixtures::{self, Made};
use serde_json::Value;

#[test]
fn command_that_measures_has_the_budget_that_a_reason_names() {
    let mut records = pair(&[(64, 50.0, 90.0), (1024, 200.0, 500.0)]);
    records.iter_mut().filter(|record| record.cell.parameters.message() == 1024).for_each(|record| {
        record.outcome = Outcome::LeftOut(LeftOut::SlowSetUp { sample_ms: 9000, timed: true, budget_s: 299 });
    });
    let (said, document) = asked(&records, &scenario(&[64, 1024], 0), Some("64:1,1KiB:1"));
    assert!(said.contains("or --budget 299s. Measure it: ciphermeter advise tls --budget 299s"), "{said}");
    assert_eq!(next(&document, "longer").as_deref(), Some("ciphermeter advise tls --budget 299s"));
}

/// The command that goes on to that.
fn next(document: &Value, to: &str) -> Option<String> {
    let all = document["answer"]["next"].as_array().unwrap();
    let command = all.iter().find(|next| next["to"] == to)?["command"].as_array()?;
    Some(command.iter().map(|word| word.as_str().unwrap()).collect::<Vec<_>>().join(" "))
}

/// An advice is an answer like that of a run: same keys, same conditions, what it rests on and what
/// to do next.
#[test]
fn advice_has_the_shape_of_every_answer() {
    let mut records = pair(&[(64, 50.0, 90.0), (1024, 200.0, 500.0)]);
    let keys = |answer: &Value| answer.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let run = serde_json::to_value(crate::answer(&fixtures::head(), &records)).unwrap();
    let (_, document) = advised(&records, None, Some("nginx"));
    assert_eq!(keys(&document["answer"]), keys(&run));
    assert_eq!(document["answer"]["rests_on"], run["rests_on"]);
    assert_eq!(document["answer"]["question"], "Which cipher for nginx?");
    assert!(document["answer"]["config"].to_string().contains("ssl_ciphers"), "{document}");
    assert_eq!(next(&document, "all-rows").as_deref(), Some("ciphermeter show 7 --all"));
    assert_eq!((next(&document, "longer"), next(&document, "measure")), (None, None));
    waver(&mut records, CHACHA20, 6.0);
    let (said, document) = advised(&records, None, None);
    let longer = next(&document, "longer").unwrap();
    assert!(said.contains(&format!("Try `{longer}`, or a quieter machine")), "{longer}: {said}");
}

/// A wrong output of a cipher of a library at that size.
fn spoil(records: &mut [Record], provider: &str, algorithm: Algorithm, message: u64) {
    let is_it = |record: &&mut Record| {
        let cell = &record.cell;
        (cell.provider.as_str(), cell.algorithm, cell.parameters.message()) == (provider, algorithm, message)
    };
    for record in records.iter_mut().filter(is_it) {
        record.outcome = Outcome::WrongOutput { why: "expected 00, came 01".into() };
    }
}

#[test]
fn cipher_with_wrong_output_is_left_out_and_named() {
    let mut records = records(
        &[
            ("aws-lc", AES, 64, 20.0),
            ("aws-lc", AES, 1024, 90.0),
            ("openssl", AES, 64, 50.0),
            ("openssl", AES, 1024, 200.0),
            ("go", CHACHA20, 64, 90.0),
            ("go", CHACHA20, 1024, 600.0),
        ],
        8,
    );
    assert!(advised(&records, None, None).0.contains("Use AES-256-GCM from aws-lc."));
    spoil(&mut records, "aws-lc", AES, 64);
    let (said, document) = advised(&records, None, None);
    assert!(said.contains("Use AES-256-GCM from openssl."), "{said}");
    assert!(said.contains("Left out: aws-lc's AES-256-GCM, whose output was wrong at 64 B."), "{said}");
    let wrong = &document["answer"]["about"]["wrong_output"][0];
    assert_eq!((wrong["provider"].as_str(), wrong["messages"][0].as_u64()), (Some("aws-lc"), Some(64)));
    assert!(!document["answer"]["about"]["contenders"].to_string().contains("aws-lc"), "{document}");
    spoil(&mut records, "openssl", AES, 1024);
    let (said, document) = advised(&records, None, None);
    assert!(said.contains("Only ChaCha20-Poly1305 from go is left, so there is no choice between ciphers."), "{said}");
    assert!(said.contains("aws-lc's AES-256-GCM, whose output was wrong at 64 B; openssl's AES-256-GCM"), "{said}");
    assert_eq!(document["answer"]["about"]["verdict"].as_str(), Some("alone"));
    spoil(&mut records, "go", CHACHA20, 64);
    let (said, document) = advised(&records, None, None);
    assert!(said.contains("No answer: all output was wrong. Left out: "), "{said}");
    assert_eq!(document["answer"]["about"]["wrong_output"].as_array().map(Vec::len), Some(3));
    assert!(
        document["answer"]["about"]["undecided"][0]
            .as_str()
            .is_some_and(|why| why.starts_with("Left out: aws-lc's AES")),
        "{document}"
    );
}

#[test]
fn only_cells_of_the_question_count() {
    let with = |message, aad, working_set, keys, aes: f64, chacha20: f64| {
        [(AES, aes), (CHACHA20, chacha20)].into_iter().flat_map(move |(algorithm, ns)| {
            both("openssl", algorithm, message, ns).map(|made| {
                let parameters = Parameters::message_cell(message, aad, 1);
                Made { parameters: parameters.with_working_set(Bytes(working_set)).with_keys(keys), ..made }
            })
        })
    };
    let own = || with(64, 0, 0, 1, 50.0, 90.0);
    // All others say the opposite, and more.
    let others = [(64, 16_384, 0, 1), (64, 0, 1 << 20, 1), (64, 0, 0, 1000), (1024, 0, 0, 1)];
    let others = others.into_iter().flat_map(|(message, aad, set, keys)| with(message, aad, set, keys, 9e4, 1e3));
    let records = fixtures::records(&own().chain(others).collect::<Vec<_>>(), 8);
    for mix in [None, Some("64:1")] {
        let (said, document) = asked(&records, &scenario(&[64], 0), mix);
        assert!(said.contains("Use AES-256-GCM from openssl. It is 1.80× as fast"), "{said}");
        assert_eq!(document["answer"]["about"]["sizes"].as_array().map(Vec::len), Some(1), "{document}");
    }
}

#[test]
fn size_without_common_cells_is_named_with_the_reason() {
    let mut records = pair(&[(64, 50.0, 90.0), (1024, 200.0, 500.0), (16_384, 2000.0, 6000.0)]);
    let scenario = scenario(&[64, 1024, 16_384, 65_536], 0);
    records.iter_mut().filter(|record| record.cell.parameters.message() == 16_384).for_each(|record| {
        record.outcome = Outcome::LeftOut(LeftOut::NotReached);
    });
    let (said, document) = asked(&records, &scenario, None);
    assert!(
        said.contains("Use AES-256-GCM from openssl.") && said.contains("It holds at every size measured"),
        "{said}"
    );
    assert!(
        said.contains("Not compared at 16 KiB: AES-256-GCM has no figure there: the run ended before it was measured"),
        "{said}"
    );
    assert!(said.contains("Not compared at 64 KiB: AES-256-GCM has no figure there."), "{said}");
    assert!(said.contains("Measure it: ciphermeter run tls --budget 240s"), "{said}");
    assert_eq!(document["answer"]["about"]["not_compared"][0]["messages"][0].as_u64(), Some(16_384));
    let (said, document) = asked(&records, &scenario, Some("64:1,16KiB:1"));
    assert!(said.contains("No answer: the run has no figures for this. Not compared at 16 KiB: AES"), "{said}");
    assert!(said.contains("Measure it: ciphermeter advise tls --budget 240s"), "{said}");
    assert_eq!(document["answer"]["about"]["not_compared"][0]["messages"][0].as_u64(), Some(16_384));
}

/// Whoever cannot open has no use for what is sealed.
#[test]
fn operation_that_is_compared_nowhere_leaves_no_answer() {
    let mut records = pair(&[(64, 50.0, 90.0), (1024, 200.0, 500.0)]);
    let fail = |records: &mut [Record], message| {
        let is_it = |cell: &Cell| {
            (cell.operation, cell.algorithm, cell.parameters.message()) == (Operation::Open, AES, message)
        };
        for record in records.iter_mut().filter(|record| is_it(&record.cell)) {
            record.outcome = Outcome::Failed { why: "the worker died".into() };
        }
    };
    fail(&mut records, 64);
    let (said, document) = asked(&records, &scenario(&[64, 1024], 0), None);
    assert!(said.contains("Use AES-256-GCM from openssl."), "{said}");
    let words = "Opening is not compared at 64 B: AES-256-GCM has no figure there: the worker died.";
    assert!(said.contains(words), "{said}");
    assert_eq!(document["answer"]["about"]["not_compared"][0]["operation"].as_str(), Some("open"));
    fail(&mut records, 1024);
    let (said, document) = asked(&records, &scenario(&[64, 1024], 0), None);
    assert!(said.contains("No answer: opening is not compared. Without it: Use AES-256-GCM from openssl."), "{said}");
    assert!(
        said.contains("Opening is not compared at every size: AES-256-GCM has no figure there: the worker"),
        "{said}"
    );
    assert_eq!(
        (document["answer"]["about"]["verdict"].as_str(), document["setting"].is_null()),
        (Some("unknown"), true)
    );
    assert!(
        document["answer"]["about"]["undecided"][0]
            .as_str()
            .is_some_and(|why| why.starts_with("Opening is not compared")),
        "{document}"
    );
}

#[test]
fn cipher_without_figures_is_named_beside_the_only_one() {
    let mut records = records(&[("openssl", AES, 64, 50.0), ("ring", AES, 64, 40.0), ("go", CHACHA20, 64, 90.0)], 8);
    records.iter_mut().filter(|record| record.cell.algorithm == CHACHA20).for_each(|record| {
        record.outcome = Outcome::Unsupported { why: "not in this build".into() };
    });
    let (said, _) = advised(&records, None, None);
    assert!(said.contains("Only AES-256-GCM from ring and openssl was measured for this"), "{said}");
    assert!(said.contains("Not compared at 64 B: ChaCha20-Poly1305 has no figure there: not in this build."), "{said}");
    assert!(!said.contains("flips") && !said.contains("By size:"), "{said}");
}

#[test]
fn run_says_what_it_lacks() {
    let run = fixtures::head();
    let lacks = |records: &[Record], sizes: &[u64]| {
        let scenario = scenario(sizes, 0);
        let question = Question { scenario: Some(&scenario), ..question(None, None, None) };
        let advice = advise(question, Evidence::of(&run, records));
        (advice.lacks(), advice.is_helped_by_time())
    };
    let mut records = pair(&[(64, 50.0, 90.0), (1024, 200.0, 500.0)]);
    assert_eq!(lacks(&records, &[64, 1024]), (None, false));
    assert_eq!(lacks(&records, &[64, 1024, 16_384]), (Some("has no figures at 16 KiB".into()), false));
    waver(&mut records, CHACHA20, 4.0);
    assert_eq!(lacks(&records, &[64, 1024]), (None, true), "that it decides nothing is no reason to look for another");
}

#[test]
fn library_that_is_here_now_and_not_in_the_run_is_named_with_the_command() {
    let (run, records) = (fixtures::head(), pair(&[(64, 50.0, 90.0)]));
    let available = ["openssl".to_owned(), "go".into(), "ring".into()];
    let newer = ["run 8 is newer and has no figures at 16 KiB".to_owned()];
    let evidence = Evidence { available: &available, newer: &newer, ..Evidence::of(&run, &records) };
    let (said, document) = told(&advise(question(Some("tls"), None, None), evidence));
    let words = "go and ring were not measured in run 7: `ciphermeter run tls` adds them";
    assert!(said.contains(&format!("{words}.")) && said.contains("Use AES-256-GCM from openssl."), "{said}");
    assert_eq!(document["rests_on"]["missing"][0].as_str(), Some(words));
    assert!(said.contains("Run 8 is newer and has no figures at 16 KiB."), "{said}");
    assert_eq!(document["rests_on"]["newer"][0].as_str(), Some("run 8 is newer and has no figures at 16 KiB"));
}

#[test]
fn library_that_lacks_a_size_is_named_with_it() {
    let sizes = [16, 64, 256, 1024, 4096, 16_384];
    let of = |provider: &'static str, factor: f64, sizes: &[u64]| -> Vec<(&'static str, Algorithm, u64, f64)> {
        let each = sizes.iter().flat_map(|size| [(AES, *size, 1.0), (CHACHA20, *size, 2.0)]);
        each.map(|(algorithm, size, times)| (provider, algorithm, size, times * factor * (50.0 + size as f64)))
            .collect()
    };
    let records = records(&[of("openssl", 1.0, &sizes), of("ring", 1.5, &sizes[..5])].concat(), 8);
    let (said, _) = asked(&records, &scenario(&sizes, 0), None);
    assert!(said.contains("Not compared at 16 KiB: ring's AES-256-GCM has no figure there."), "{said}");
}

#[test]
fn contender_that_lacks_a_size_is_left_out_by_name() {
    let mut cells: Vec<_> =
        [16, 64, 256, 1024].into_iter().flat_map(|n| [("go", AES, n, 50.0), ("go", CHACHA20, n, 90.0)]).collect();
    cells.push(("ring", CHACHA20, 16, 1.0));
    let (said, _) = advised(&records(&cells, 8), None, None);
    assert!(said.contains("Use AES-256-GCM from go."), "{said}");
    assert!(said.contains("Left out, for lack of sizes: ChaCha20-Poly1305 from ring."), "{said}");
}
