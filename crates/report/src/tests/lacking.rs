//! Wrong output, failures and gaps: what the first screen and the page may say of ciphers that do not have all their figures.

use ciphermeter_core::{Algorithm, LeftOut, Operation, Outcome, Record};

use crate::Stored;
use crate::{TableOptions, html, screen};
use ciphermeter_answer::fixtures::{self, cell};

const SIZES: [u64; 3] = [64, 1024, 16_384];
const AES: Algorithm = Algorithm::Aes256Gcm;
const CHACHA20: Algorithm = Algorithm::ChaCha20Poly1305;

/// AES is twice as fast by openssl and by ring.
fn records() -> Vec<Record> {
    let mut cells = Vec::new();
    for (operation, message) in [Operation::Seal, Operation::Open].iter().flat_map(|one| SIZES.map(|size| (*one, size)))
    {
        for provider in ["openssl", "ring"] {
            cells.push(cell(provider, AES, operation, message, 50.0 + message as f64 / 4.0));
            cells.push(cell(provider, CHACHA20, operation, message, 100.0 + message as f64 / 2.0));
        }
    }
    fixtures::records(&cells, 8)
}

fn wrong() -> Outcome {
    Outcome::WrongOutput { why: "expected 00".into() }
}

fn failed() -> Outcome {
    Outcome::Failed { why: "gone".into() }
}

/// What the first screen says of records of which some did not end well, in one line.
fn said(outcome: &Outcome, is_it: impl Fn(&str, Algorithm, Operation, u64) -> bool) -> String {
    let mut records = records();
    for record in &mut records {
        let cell = &record.cell;
        if is_it(&cell.provider, cell.algorithm, cell.operation, cell.parameters.message()) {
            record.outcome = outcome.clone();
        }
    }
    shown(&records)
}

#[track_caller]
fn shown(records: &[Record]) -> String {
    let text = screen(&fixtures::head(), records, TableOptions::default()).text;
    assert!(text.lines().count() <= 24, "{text}");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let run = fixtures::head();
    let page = html(&[Stored { run: &run, records }]).unwrap();
    assert_eq!(text.contains("Use AES-256-GCM"), page.contains("Use AES-256-GCM"), "{text}");
    text
}

#[test]
fn all_figures_are_every_size() {
    let said = said(&failed(), |_, _, _, _| false);
    let answer = "Use AES-256-GCM. It is faster than ChaCha20-Poly1305 in both libraries at every size: ";
    assert!(said.contains(answer), "{said}");
}

#[test]
fn what_was_wrong_in_every_library_is_not_recommended() {
    let said = said(&wrong(), |_, algorithm, _, message| algorithm == AES && message == 64);
    assert!(!said.contains("Use ") && !said.contains("every size"), "{said}");
    let (warned, answer) =
        (said.find("WRONG OUTPUT"), said.find("No answer: AES-256-GCM gave wrong output with openssl and ring."));
    assert!(warned.is_some() && warned < answer, "the wrong output comes first: {said}");
    assert!(said.contains("Where both have a figure, AES-256-GCM is faster, 2.00×."), "{said}");
}

#[test]
fn what_was_wrong_in_one_library_is_recommended_from_the_other() {
    // The table is of the other one, too.
    let said = said(&wrong(), |provider, algorithm, operation, message| {
        (provider, algorithm, operation, message) == ("openssl", AES, Operation::Open, 64)
    });
    let answer = "Use AES-256-GCM with ring. It is faster than ChaCha20-Poly1305 at every size: 2.00×. \
                  Left out: AES-256-GCM gave wrong output with openssl.";
    assert!(said.contains(answer) && said.contains(" ring 1.2.3, GB/s"), "{said}");
    // What loses does not shut out what wins.
    let loses = self::said(&wrong(), |_, algorithm, _, message| algorithm == CHACHA20 && message == 64);
    assert!(loses.contains("Use AES-256-GCM. It is faster than ChaCha20-Poly1305 in 4 of 6 comparisons"), "{loses}");
}

#[test]
fn a_size_without_a_figure_is_named() {
    let late = Outcome::LeftOut(LeftOut::NotReached);
    for (outcome, what) in [(failed(), "failed"), (late, "was not measured")] {
        let said = said(&outcome, |provider, algorithm, operation, message| {
            (provider, algorithm, operation, message) == ("openssl", AES, Operation::Seal, 64)
        });
        let answer = format!(
            "Use AES-256-GCM. It is faster than ChaCha20-Poly1305 in 5 of 6 comparisons, 2.00×; 1 without a figure \
             (openssl's AES-256-GCM {what} at 64 B)."
        );
        assert!(said.contains(&answer) && !said.contains("libraries at every size"), "{said}");
    }
    let mut records = records();
    let is_it = |record: &&mut Record| record.cell.provider == "ring" && record.cell.parameters.message() == 1024;
    records.iter_mut().filter(is_it).for_each(|record| record.summary = None);
    let said = shown(&records);
    assert!(said.contains("in 5 of 6 comparisons") && said.contains("ring's AES-256-GCM has no samples"), "{said}");
}

#[test]
fn a_library_that_failed_throughout_still_counts() {
    let said = said(&failed(), |provider, algorithm, _, _| provider == "ring" && algorithm == AES);
    assert!(said.contains("in 3 of 6 comparisons, 2.00×; 3 without a figure"), "{said}");
    assert!(said.contains("(ring's AES-256-GCM failed at every size)"), "{said}");
    // What it refuses it does not have.
    let refused = Outcome::Unsupported { why: "no AES here".into() };
    let said = self::said(&refused, |provider, algorithm, _, _| provider == "ring" && algorithm == AES);
    assert!(said.contains("It is faster than ChaCha20-Poly1305 with openssl at every size"), "{said}");
}

#[test]
fn what_cannot_be_opened_is_not_recommended() {
    let all = said(&failed(), |_, algorithm, operation, _| (algorithm, operation) == (AES, Operation::Open));
    assert!(!all.contains("Use ") && !all.contains("every size"), "{all}");
    assert!(all.contains("No answer: AES-256-GCM could not be read again with openssl and ring."), "{all}");
    let one = said(&failed(), |provider, algorithm, operation, _| {
        (provider, algorithm, operation) == ("ring", AES, Operation::Open)
    });
    assert!(one.contains("Use AES-256-GCM with openssl. It is faster"), "{one}");
    let once = said(&failed(), |provider, algorithm, operation, message| {
        (provider, algorithm, operation, message) == ("ring", AES, Operation::Open, 64)
    });
    assert!(once.contains("in both libraries at every size of seal: 2.00×."), "{once}");
    assert!(once.contains("No figure of open: ring's AES-256-GCM failed at 64 B."), "{once}");
    let shown = said(&failed(), |provider, algorithm, operation, message| {
        (provider, algorithm, operation, message) == ("openssl", AES, Operation::Open, 64)
    });
    assert!(
        shown.contains(
            "open with openssl: AES-256-GCM is faster at 1 KiB and 16 KiB (2.00×) and there is no figure at 64 B."
        ),
        "{shown}"
    );
}

#[test]
fn a_single_library_with_wrong_output_is_no_winner() {
    let cells = SIZES.map(|size| {
        ["a", "b"].map(|name| cell(name, AES, Operation::Seal, size, if name == "a" { 50.0 } else { 90.0 }))
    });
    let mut records = fixtures::records(&cells.concat(), 8);
    records[0].outcome = wrong();
    let text = shown(&records);
    assert!(!text.contains("a is fastest") && text.contains("AES-256-GCM by a is missing: WRONG OUTPUT"), "{text}");
}

#[test]
fn libraries_that_agree_size_by_size_share_a_sentence() {
    let of = |provider, times: f64| {
        [(64, AES, 50.0), (64, CHACHA20, 100.0), (16_384, AES, 9000.0 * times), (16_384, CHACHA20, 3000.0)]
            .map(|(size, algorithm, ns)| cell(provider, algorithm, Operation::Seal, size, ns))
    };
    let one = shown(&fixtures::records(&of("openssl", 1.0), 8));
    assert!(one.contains("It depends on the size. With openssl, AES-256-GCM is faster at 64 B (2.00×)"), "{one}");
    let both = shown(&fixtures::records(&[of("openssl", 1.0), of("ring", 1.5)].concat(), 8));
    let answer = "It depends on the size. With openssl and ring, AES-256-GCM is faster at 64 B (2.00×) and \
                  ChaCha20-Poly1305 is faster at 16 KiB (3.00× to 4.50×).";
    assert!(both.contains(answer), "{both}");
}

/// The Markdown of these records, of which AES at 1 KiB was not reached.
fn tabled(mut records: Vec<Record>) -> String {
    let late = |record: &&mut Record| (record.cell.algorithm, record.cell.parameters.message()) == (AES, 1024);
    for record in records.iter_mut().filter(late) {
        record.outcome = Outcome::LeftOut(LeftOut::NotReached);
    }
    let mut out = Vec::new();
    crate::write_markdown(&mut out, &fixtures::head(), &records).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn size_without_an_answer_has_a_row_with_the_reason() {
    let both = tabled(records());
    assert!(both.contains(" | 1 KiB | not measured |  | – |"), "{both}");
    let libraries: Vec<Record> = records().into_iter().filter(|record| record.cell.algorithm == AES).collect();
    let libraries = tabled(libraries);
    assert!(libraries.contains("| at 1 KiB | left out: the run ended before it was measured; use"), "{libraries}");
}

#[test]
fn size_of_one_cipher_alone_is_no_part_of_every_size() {
    let of = |algorithm, message, ns| cell("openssl", algorithm, Operation::Seal, message, ns);
    let mut cells = [64, 1024].map(|size| [of(AES, size, 100.0), of(CHACHA20, size, 200.0)]).concat();
    cells.push(of(AES, 131_072, 9000.0));
    let said = shown(&fixtures::records(&cells, 8));
    let answer = "It is faster than ChaCha20-Poly1305 with openssl at 64 B and 1 KiB: 2.00×. Measured alone: AES-256-GCM \
                  at 128 KiB.";
    assert!(said.contains(answer), "{said}");
}

#[test]
fn size_that_a_cipher_cannot_have_is_said_with_the_reason() {
    let [xts, adiantum] = [Algorithm::Aes256Xts, Algorithm::Adiantum];
    let of = |algorithm, message, ns| cell("rustcrypto", algorithm, Operation::Encrypt, message, ns);
    let cells = [512, 4096, 16_384].map(|size| [of(xts, size, 100.0), of(adiantum, size, 900.0)]).concat();
    let mut records = fixtures::records(&cells, 8);
    let why = adiantum.refuses(16_384).unwrap();
    records[5].outcome = Outcome::Unsupported { why: why.clone() };
    let said = shown(&records);
    let lacks = format!("Not compared at 16 KiB: {why}.");
    assert!(said.contains("at 512 B and 4 KiB: 9.00×.") && said.matches(&lacks).count() == 1, "{said}");
    assert!(!said.contains("without a figure") && !said.contains("Measured alone"), "{said}");
    assert!(said.contains("Fastest at 4 KiB"), "of sizes that both have: {said}");
}

#[test]
fn what_has_no_answer_is_named_and_has_a_row() {
    let sizes: Vec<u64> = (4..16).map(|exponent| 1 << exponent).collect();
    let of = |algorithm, message, ns| cell("openssl", algorithm, Operation::Seal, message, ns);
    let cells = sizes.iter().flat_map(|size| [of(AES, *size, 100.0), of(CHACHA20, *size, 200.0)]);
    let mut records = fixtures::records(&cells.collect::<Vec<_>>(), 8);
    let is_open = |record: &&mut Record| [128, 512].contains(&record.cell.parameters.message());
    records.iter_mut().filter(is_open).for_each(|record| record.forks.truncate(4));
    let said = shown(&records);
    let answer = "in 10 of 12 comparisons, 2.00×; 2 without an answer yet (openssl at 128 B and 512 B).";
    assert!(said.contains(answer) && said.matches("no answer yet").count() == 2, "{said}");
}

#[test]
fn note_says_itself_that_a_provider_is_not_measured() {
    let mut run = fixtures::head();
    run.notes = vec![ciphermeter_core::Note::not_measured(&["go"], "the worker go is not built")];
    let mut out = Vec::new();
    crate::write_markdown(&mut out, &run, &records()).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("\ngo is not measured: the worker go is not built.\n"), "{text}");
    assert!(text.contains(", run 7 of 2026-11-21: messages"), "{text}");
}
