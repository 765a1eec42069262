//! What is particular to a program.

use ciphermeter_core::{Algorithm, Note, Outcome, Run, SizeCounts};

use super::{AES, CHACHA20, advised, pair, question, records, told};
use crate::tests::screened;
use crate::{Evidence, Question, advise, program};
use ciphermeter_answer::fixtures::{self};

#[test]
fn lead_of_a_cipher_that_the_program_has_slower_decides_nothing() {
    let (said, document) = advised(&pair(&[(64, 90.0, 60.0), (1024, 500.0, 250.0)]), None, Some("ssh"));
    assert!(
        said.contains(
            "The measurements do not decide: ChaCha20-Poly1305 is 1.50× to 2.00× as fast as AES-256-GCM at sealing and \
             opening together, by size (1.73× ±0.1 % if all sizes weigh the same), but OpenSSH's own is slower than the one measured, so that lead is an upper bound."
        ),
        "{said}"
    );
    assert!(said.contains("Time both: `ssh -c CIPHER HOST") && !said.contains("Again:"), "{said}");
    assert_eq!(
        (document["answer"]["about"]["verdict"].as_str(), document["setting"].is_null()),
        (Some("unknown"), true)
    );
    assert!(
        document["answer"]["about"]["sizes"].as_array().unwrap().iter().all(|size| size["is"] == "unknown"),
        "{document}"
    );
    let (said, _) = advised(&pair(&[(64, 60.0, 90.0), (1024, 250.0, 500.0)]), None, Some("ssh"));
    assert!(
        said.contains("Use AES-256-GCM (openssl 1.2.3).") && said.contains("The margin is a lower bound:"),
        "{said}"
    );
    let (said, _) = advised(&pair(&[(64, 100.0, 100.3)]), None, Some("ssh"));
    assert!(said.contains("AES-256-GCM loses nothing, as OpenSSH's own ChaCha20-Poly1305 is slower."), "{said}");
}

#[test]
fn lead_within_which_the_programs_own_cipher_may_be_faster_decides_nothing() {
    let disk =
        |cells: &[(&'static str, Algorithm, u64, f64)]| advised(&records(cells, 8), Some("4KiB:1"), Some("luks"));
    let both = |xts: f64, adiantum: f64| {
        disk(&[("aws-lc", Algorithm::Aes256Xts, 4096, xts), ("rustcrypto", Algorithm::Adiantum, 4096, adiantum)])
    };
    let (said, document) = both(500.0, 5000.0);
    let why = "The measurements do not decide: AES-256-XTS is 10.0× as fast (±0.1 %) as Adiantum from rustcrypto, but the kernel's \
               Adiantum is faster than the one measured, so that lead is an upper bound.";
    assert!(
        said.contains(why) && said.contains("The faster in the kernel is the answer: `cryptsetup benchmark"),
        "{said}"
    );
    assert_eq!(
        (document["answer"]["about"]["verdict"].as_str(), document["setting"].is_null()),
        (Some("unknown"), true)
    );
    let (said, _) = both(300.0, 7000.0);
    let answer = "Use AES-256-XTS (measured: aws-lc). It is faster than Adiantum even if the kernel's Adiantum were 18 times as fast as \
                  the one measured here. As libraries have them, it is 23.3× as fast";
    assert!(said.contains(answer) && said.contains("aes-xts-plain64"), "{said}");
    let (said, _) = both(7000.0, 5000.0);
    assert!(said.contains("Use Adiantum (measured: rustcrypto). It is 1.40× as fast"), "{said}");
    assert!(said.contains("--cipher xchacha12,aes-adiantum-plain64"), "{said}");
    let (said, _) = disk(&[("aws-lc", Algorithm::Aes256Xts, 4096, 500.0)]);
    let alone = "No answer: the run has no figures of Adiantum, so there is no cipher to compare AES-256-XTS with.";
    assert!(said.contains(alone), "{said}");
}

#[test]
fn records_of_tls_hold_no_larger_message() {
    let records = pair(&[(64, 60.0, 90.0), (65_536, 8000.0, 20_000.0)]);
    for (program, is_said) in [("nginx", true), ("go", true), ("ssh", false)] {
        let provider = crate::program(program).unwrap().providers[0].as_str();
        let mut own = records.clone();
        own.iter_mut().for_each(|record| record.cell.provider = provider.into());
        let (said, document) = advised(&own, Some("64:5,64KiB:1"), Some(program));
        assert_eq!(said.contains("A TLS record holds at most 16 KiB"), is_said, "{said}");
        assert_eq!(document["notes"].to_string().contains("at most 16 KiB"), is_said, "{document}");
    }
    assert!(!advised(&pair(&[(64, 60.0, 90.0)]), Some("64:5"), Some("nginx")).0.contains("A TLS record holds"));
}

#[test]
fn checks_show_the_effect_and_rustls_has_a_library_for_each_provider() {
    let cells = |provider| records(&[(provider, AES, 64, 60.0), (provider, CHACHA20, 64, 90.0)], 8);
    for (program, provider, effect) in [
        ("nginx", "openssl", "openssl s_client -brief -connect HOST:443 </dev/null"),
        ("haproxy", "openssl", "openssl s_client -brief -connect HOST:443 </dev/null"),
        ("node", "node-crypto", "openssl s_client -brief -connect HOST:PORT </dev/null"),
        ("ssh", "openssl", "sshd -T | grep ^ciphers; ssh -G HOST | grep ^ciphers"),
    ] {
        let (said, _) = advised(&cells(provider), None, Some(program));
        assert!(said.contains(effect), "{said}");
    }
    for (provider, add, links) in [
        ("ring", "cargo add rustls --no-default-features --features ring,std,tls12,logging", "ring"),
        ("aws-lc", "cargo add rustls --features aws_lc_rs", "aws-lc-rs"),
    ] {
        let (said, _) = advised(&cells(provider), None, Some("rustls"));
        assert!(said.contains(add) && said.contains(&format!("cargo tree -e normal -i {links}")), "{said}");
    }
}

#[test]
fn what_stands_in_for_what_is_asked_is_said_before_the_answer() {
    let (run, records) = (fixtures::head(), pair(&[(64, 50.0, 90.0)]));
    let scenarios = screened::scenarios();
    let asked = |workload: Option<&'static str>, mix, program| {
        let scenario = workload.and_then(|name| scenarios.iter().find(|scenario| scenario.name == name));
        let question = Question { scenario, ..question(workload, mix, program) };
        told(&advise(question, Evidence::of(&run, &records)))
    };
    let mix: SizeCounts = "64:1".parse().unwrap();
    for (workload, mix, program, words) in [
        (None, None, program("ssh"), "OpenSSH? OpenSSL's ciphers at TLS's sizes stand in for OpenSSH's. run 7 "),
        (None, Some(&mix), program("ssh"), "64 B (100 %)? OpenSSL's ciphers stand in for OpenSSH's. run 7 "),
        (
            Some("disk"),
            None,
            None,
            "disk sectors? Measured in user space; the kernel has code of its own, and a faster Adiantum: sudo \
             ciphermeter run kernel run 7 ",
        ),
        (
            Some("iot"),
            None,
            None,
            "this machine, not a board? A board answers for itself: ciphermeter run iot --device PORT run 7 ",
        ),
    ] {
        let (said, document) = asked(workload, mix, program);
        assert!(said.contains(words), "{said}");
        assert!(said.contains(document["question"]["premise"].as_str().unwrap()), "{document}");
    }
    assert!(asked(Some("tls"), None, None).1["question"]["premise"].is_null());
}

#[test]
fn program_is_answered_by_the_library_that_it_links() {
    let cells = [
        ("openssl", AES, 64, 200.0),
        ("openssl", CHACHA20, 64, 100.0),
        ("go", AES, 64, 50.0),
        ("go", CHACHA20, 64, 90.0),
    ];
    let all = records(&cells, 8);
    let (nginx, document) = advised(&all, None, Some("nginx"));
    assert!(nginx.contains("Use ChaCha20-Poly1305 (openssl 1.2.3). It is 2.00× as fast"), "{nginx}");
    assert!(nginx.contains("TLS_CHACHA20_POLY1305_SHA256:TLS_AES_256_GCM_SHA384"), "{nginx}");
    assert_eq!(document["setting"]["check"].as_str(), Some("nginx -t"));
    let (go, document) = advised(&all, None, Some("go"));
    assert!(go.contains("Use AES-256-GCM (go 1.2.3).") && go.contains("Leave CipherSuites unset."), "{go}");
    assert!(document["setting"]["sections"].as_array().unwrap().is_empty(), "{document}");
    let (java, document) = advised(&all, None, Some("java"));
    assert!(java.contains("No answer: the run has no figures for this. Missing: sunjce is not in it."), "{java}");
    assert!(document["answer"]["about"]["contenders"].as_array().unwrap().is_empty());
    assert_eq!(document["answer"]["about"]["undecided"][0].as_str(), Some("Missing: sunjce is not in it."));
}

#[test]
fn library_that_was_not_measured_is_named_with_its_reason() {
    let mut records = records(&[("openssl", AES, 64, 200.0), ("sunjce", AES, 64, 200.0)], 8);
    records.iter_mut().filter(|record| record.cell.provider == "sunjce").for_each(|record| {
        record.outcome = Outcome::Failed { why: "its worker\u{1b}[2J crashed".into() };
    });
    let (said, _) = advised(&records, None, Some("java"));
    assert!(said.contains("Missing: sunjce: its worker\\u{1b}[2J crashed. Measure it: ciphermeter run tls"), "{said}");
    let why = "the worker node is not built; `ciphermeter workers build node` does it";
    let note = Note::not_measured(&["node-crypto", "noble-ciphers"], why);
    let run = Run { notes: vec![note.clone()], ..fixtures::head() };
    let evidence = Evidence::of(&run, &records);
    let (said, document) = told(&advise(question(None, None, program("node")), evidence));
    assert!(said.contains("`ciphermeter workers build node` does it. Measure it: "), "{said}");
    assert_eq!(document["rests_on"]["missing"][0].as_str(), Some(note.to_string().as_str()));
}

#[test]
fn program_is_advised_of_suites_that_it_has() {
    let cells = [
        ("go", AES, 64, 90.0),
        ("go", CHACHA20, 64, 100.0),
        ("go", Algorithm::XChaCha20Poly1305, 64, 20.0),
        ("go", Algorithm::Aes256GcmSiv, 64, 20.0),
    ];
    let records = records(&cells, 8);
    let (said, document) = advised(&records, None, Some("go"));
    assert!(said.contains("Use AES-256-GCM (go 1.2.3)."), "{said}");
    assert_eq!(document["answer"]["about"]["contenders"].as_array().map(Vec::len), Some(2), "{document}");
}
