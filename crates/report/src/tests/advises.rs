//! What to use: the records decide, with their weights and intervals, and nothing else does.

use boon::{Compiler, Schemas};
use ciphermeter_core::{
    Algorithm, Bytes, Fact, Metric, Operation, Outcome, Parameters, Record, Run, Scenario, SizeCounts,
};
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use super::{screened, sustained};
use crate::fixtures::{self, Made, cell};
use crate::{
    ADVICE_SCHEMA, Advice, Evidence, PROGRAMS, Program, Question, Screen, Shortfall, TableOptions, WithoutAes,
    advice_json, advice_screen, advise, program,
};

const AES: Algorithm = Algorithm::Aes256Gcm;
const CHACHA20: Algorithm = Algorithm::ChaCha20Poly1305;

/// Seal and open of one size.
fn both(provider: &'static str, algorithm: Algorithm, message: u64, ns: f64) -> [Made; 2] {
    [Operation::Seal, Operation::Open].map(|operation| cell(provider, algorithm, operation, message, ns))
}

/// Cells of (provider, algorithm, message, nanoseconds), in so many forks.
fn records(cells: &[(&'static str, Algorithm, u64, f64)], forks: u32) -> Vec<Record> {
    let made: Vec<Made> =
        cells.iter().flat_map(|(provider, algorithm, message, ns)| both(provider, *algorithm, *message, *ns)).collect();
    fixtures::records(&made, forks)
}

/// AES and ChaCha20 of one library, the two times at each of these sizes.
fn pair(times: &[(u64, f64, f64)]) -> Vec<Record> {
    let cells: Vec<_> = times
        .iter()
        .flat_map(|(message, aes, chacha20)| {
            [("openssl", AES, *message, *aes), ("openssl", CHACHA20, *message, *chacha20)]
        })
        .collect();
    records(&cells, 8)
}

/// Another time of a cipher in every other fork: by so large a factor, up and down.
fn waver(records: &mut [Record], algorithm: Algorithm, factor: f64) {
    for fork in
        records.iter_mut().filter(|record| record.cell.algorithm == algorithm).flat_map(|record| &mut record.forks)
    {
        let factor = if fork.number % 2 == 0 { factor } else { 1.0 / factor };
        for (_, count) in fork.samples.iter_mut().flat_map(|sample| &mut sample.counts) {
            *count = (*count as f64 * factor) as u64;
        }
    }
}

fn question<'a>(
    workload: Option<&'a str>,
    mix: Option<&'a SizeCounts>,
    program: Option<&'static Program>,
) -> Question<'a> {
    let (measure, measure_without_aes) = ("ciphermeter run tls", "ciphermeter run tls --cpu no-aes");
    Question { workload, mix, program, scenario: None, measure, measure_without_aes, again: "ciphermeter advise tls" }
}

/// The screen as one line, and the JSON document, which fits its schema.
fn told(advice: &Advice) -> (String, Value) {
    let Screen { text, is_answered } = advice_screen(advice, TableOptions::default());
    assert_eq!(is_answered, advice.is_answered());
    let document: Value = serde_json::from_str(&advice_json(advice)).unwrap();
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    compiler.add_resource("advice.schema.json", serde_json::from_str(ADVICE_SCHEMA).unwrap()).unwrap();
    let index = compiler.compile("advice.schema.json", &mut schemas).unwrap();
    schemas.validate(&document, index).unwrap_or_else(|error| panic!("{error:#}"));
    (text.split_whitespace().collect::<Vec<_>>().join(" "), document)
}

#[track_caller]
fn advised(records: &[Record], mix: Option<&str>, program: Option<&str>) -> (String, Value) {
    let run = fixtures::head();
    let mix = mix.map(|mix| mix.parse::<SizeCounts>().unwrap());
    let program = program.map(|name| crate::program(name).unwrap());
    let evidence = Evidence::of(&run, records);
    told(&advise(question(Some("messages").filter(|_| mix.is_none()), mix.as_ref(), program), evidence))
}

#[test]
fn winner_flips_when_the_records_do() {
    let times = [(64, 60.0, 90.0), (1024, 200.0, 500.0)];
    let swapped = times.map(|(message, aes, chacha20)| (message, chacha20, aes));
    let ((aes, document), (chacha20, other)) =
        (advised(&pair(&times), None, None), advised(&pair(&swapped), None, None));
    let words = "Use AES-256-GCM from openssl. It is 1.50× to 2.50× as fast as ChaCha20-Poly1305 from openssl, by size (1.94× ±0.1 % if all \
                 sizes weigh the same).";
    assert!(aes.contains(words), "{aes}");
    assert!(chacha20.contains("Use ChaCha20-Poly1305 from openssl. It is 1.50× to 2.50× as fast"), "{chacha20}");
    assert!(aes.contains("It holds at every size measured, 64 B to 1 KiB."), "{aes}");
    assert_eq!(
        [&document, &other].map(|one| one["answer"]["algorithm"].as_str()),
        [Some("aes-256-gcm"), Some("chacha20-poly1305")]
    );
    let lead = document["answer"]["lead"]["ratio"]["mid"].as_f64().unwrap();
    assert!((lead - (1.5_f64 * 2.5).sqrt()).abs() < 0.01, "all sizes weigh the same: {lead}");
}

#[test]
fn flags_of_the_cpu_decide_nothing() {
    let records = pair(&[(64, 60.0, 90.0)]);
    for features in ["aes vaes", "none of those that matter to symmetric encryption"] {
        let run = Run {
            host: vec![Fact::present("cpu", "Example"), Fact::present("features", features)],
            ..fixtures::head()
        };
        let evidence = Evidence::of(&run, &records);
        let (said, _) = told(&advise(question(Some("messages"), None, None), evidence));
        assert!(said.contains("Use AES-256-GCM"), "{said}");
        assert_eq!(said.contains("To see the answer for a CPU without AES"), features.starts_with("aes"), "{said}");
    }
}

#[test]
fn interval_that_contains_both_answers_decides_nothing() {
    let mut records = pair(&[(64, 100.0, 104.0), (1024, 500.0, 510.0)]);
    waver(&mut records, CHACHA20, 1.15);
    let (said, document) = advised(&records, None, Some("nginx"));
    assert!(
        said.contains(
            "The measurements do not decide between AES-256-GCM and ChaCha20-Poly1305; they differ by at most"
        ),
        "{said}"
    );
    assert!(said.contains("Why: the intervals are too wide. Try ciphermeter advise tls --budget 240s, or"), "{said}");
    assert_eq!((document["answer"]["is"].as_str(), document["setting"].is_null()), (Some("unknown"), true), "no lines");
    let percent = pair(&[(64, 100.0, 102.0), (1024, 500.0, 510.0)]);
    let (sure, document) = advised(&percent, None, Some("nginx"));
    assert!(sure.contains("Use AES-256-GCM (openssl 1.2.3). It is 1.02× as fast (±0.1 %)"), "{sure}");
    assert!(!document["setting"].is_null(), "a sure 2 % is no level");
    let (level, document) = advised(&pair(&[(64, 100.0, 100.5), (1024, 500.0, 502.0)]), None, Some("nginx"));
    assert!(
        level.contains("AES-256-GCM and ChaCha20-Poly1305 are level here, within 0.5 %: keep what you have."),
        "{level}"
    );
    assert!(document["setting"].is_null(), "{document}");
}

#[test]
fn level_is_an_interval_within_one_percent_and_ignorance_is_no_level() {
    // About 1, and up to 3 % from it.
    let mut records = pair(&[(64, 100.0, 100.2), (1024, 500.0, 501.0)]);
    waver(&mut records, CHACHA20, 1.02);
    let (said, document) = advised(&records, None, Some("nginx"));
    assert!(said.contains("The measurements do not decide between AES-256-GCM and ChaCha20-Poly1305; they"), "{said}");
    assert_eq!(document["answer"]["is"].as_str(), Some("unknown"));
    let far = document["answer"]["at_most"].as_f64().unwrap();
    assert!(far > 0.01 && far < 0.05, "less than 5 %: {far}");
    // Surely above 1, and surely by more than 1 % at most.
    let (said, document) = advised(&pair(&[(64, 100.0, 101.2)]), None, Some("nginx"));
    assert!(said.contains("Use AES-256-GCM (openssl 1.2.3). It is 1.01× as fast (±0.1 %)"), "{said}");
    assert_eq!(document["answer"]["is"].as_str(), Some("use"));
}

#[test]
fn sizes_that_differ_each_way_are_no_level() {
    let records = pair(&[(64, 200.0, 100.0), (1370, 800.0, 500.0), (4230, 1000.0, 1600.0), (16_385, 3000.0, 6000.0)]);
    let (said, document) = advised(&records, None, Some("nginx"));
    assert!(
        said.contains(
            "It depends on the size: ChaCha20-Poly1305 up to 1370 B, AES-256-GCM from 4230 B. Give yours with --mix to decide."
        ),
        "{said}"
    );
    assert_eq!(document["answer"]["is"].as_str(), Some("by-size"));
    assert_eq!(document["answer"]["among"].as_array().map(Vec::len), Some(2));
    let (said, document) = advised(&records, Some("64:1000,1370:1,4230:1,16385:33"), Some("nginx"));
    assert!(!said.contains("It depends on the size"), "the mix decides: {said}");
    assert_ne!(document["answer"]["is"].as_str(), Some("by-size"));
}

#[test]
fn lead_of_a_cipher_that_the_program_has_slower_decides_nothing() {
    let (said, document) = advised(&pair(&[(64, 90.0, 60.0), (1024, 500.0, 250.0)]), None, Some("ssh"));
    assert!(
        said.contains(
            "The measurements do not decide: ChaCha20-Poly1305 is 1.50× to 2.00× as fast as AES-256-GCM, by size (1.73× ±0.1 % if \
             all sizes weigh the same), but OpenSSH's own is slower than the one measured, so that is an upper bound."
        ),
        "{said}"
    );
    assert!(said.contains("Time both: `ssh -c CIPHER HOST") && !said.contains("Again:"), "{said}");
    assert_eq!((document["answer"]["is"].as_str(), document["setting"].is_null()), (Some("unknown"), true));
    assert!(document["sizes"].as_array().unwrap().iter().all(|size| size["is"] == "unknown"), "{document}");
    let (said, _) = advised(&pair(&[(64, 60.0, 90.0), (1024, 250.0, 500.0)]), None, Some("ssh"));
    assert!(said.contains("Use AES-256-GCM (openssl 1.2.3).") && said.contains("The lead is a lower bound:"), "{said}");
    let (said, _) = advised(&pair(&[(64, 100.0, 100.3)]), None, Some("ssh"));
    assert!(said.contains("AES-256-GCM loses nothing, as OpenSSH's own ChaCha20-Poly1305 is slower."), "{said}");
}

#[test]
fn shorter_key_that_is_faster_is_named_beside_level_ciphers() {
    let cells =
        [("openssl", AES, 64, 100.0), ("openssl", CHACHA20, 64, 100.2), ("openssl", Algorithm::Aes128Gcm, 64, 80.0)];
    let (said, _) = advised(&records(&cells, 8), None, Some("nginx"));
    assert!(said.contains("are level here, within") && said.contains("AES-128-GCM would be 1.25× as fast"), "{said}");
}

#[test]
fn records_of_tls_hold_no_larger_message() {
    let records = pair(&[(64, 60.0, 90.0), (65_536, 8000.0, 20_000.0)]);
    for (program, is_said) in [("nginx", true), ("go", true), ("ssh", false)] {
        let provider = crate::program(program).unwrap().providers[0];
        let mut own = records.clone();
        own.iter_mut().for_each(|record| record.cell.provider = provider.into());
        let (said, document) = advised(&own, Some("64:5,64KiB:1"), Some(program));
        assert_eq!(said.contains("A TLS record holds at most 16 KiB"), is_said, "{said}");
        assert_eq!(document["notes"].to_string().contains("at most 16 KiB"), is_said, "{document}");
    }
    assert!(!advised(&pair(&[(64, 60.0, 90.0)]), Some("64:5"), Some("nginx")).0.contains("A TLS record holds"));
}

#[test]
fn node_has_a_check_that_works_as_pasted_and_rustls_a_library_for_each_provider() {
    let cells = |provider| records(&[(provider, AES, 64, 60.0), (provider, CHACHA20, 64, 90.0)], 8);
    let (node, document) = advised(&cells("node-crypto"), None, Some("node"));
    let check = document["setting"]["check"].as_str().unwrap();
    assert!(node.contains(check) && check.starts_with("node --tls-cipher-list=TLS_AES_256_GCM_SHA384:"), "{check}");
    assert!(check.ends_with(" -p tls.DEFAULT_CIPHERS"), "{check}");
    for (provider, add, links) in [
        ("ring", "cargo add rustls --no-default-features --features ring,std,tls12,logging", "ring"),
        ("aws-lc", "cargo add rustls --features aws_lc_rs", "aws-lc-rs"),
    ] {
        let (said, _) = advised(&cells(provider), None, Some("rustls"));
        assert!(said.contains(add) && said.contains(&format!("cargo tree -e normal -i {links}")), "{said}");
    }
}

#[test]
fn five_forks_are_no_answer() {
    let cells = [("openssl", AES, 64, 60.0), ("openssl", CHACHA20, 64, 90.0)];
    let (said, _) = advised(&records(&cells, 5), None, None);
    assert!(said.contains("The measurements do not decide between AES-256-GCM and ChaCha20-Poly1305."), "{said}");
    assert!(said.contains("A comparison needs 6 forks"), "{said}");
    assert!(!said.contains("CPU-s"), "they would have no interval: {said}");
    let mut records = pair(&[(64, 60.0, 90.0)]);
    let ring = fixtures::records(&both("ring", AES, 64, 70.0), 5);
    records.extend(ring);
    let (_, document) = advised(&records, None, None);
    let ring = document["contenders"].as_array().unwrap().iter().find(|one| one["provider"] == "ring").unwrap();
    assert!(ring["ratio"].is_null() && ring["may_be_fastest"].is_null(), "{ring}");
}

#[test]
fn weights_of_a_histogram_decide() {
    // ChaCha20 is ahead at 64 bytes, AES at 16 KiB.
    let records = pair(&[(64, 100.0, 50.0), (16_384, 2000.0, 6000.0)]);
    let (small, document) = advised(&records, Some("64:1000,16KiB:1"), None);
    assert!(small.contains("Which cipher for messages of 64 B (99.9 %) and 16 KiB (0.1 %)?"), "{small}");
    // 102 to 56 µs.
    assert!(small.contains("Use ChaCha20-Poly1305 from openssl. It is 1.82× as fast"), "{small}");
    assert!(small.contains("It flips at 16 KiB: AES-256-GCM from openssl is 3.00× as fast there."), "{small}");
    assert!(
        small.contains("1 GB of these takes 0.71 CPU-s to seal and 0.71 CPU-s to open; AES-256-GCM 1.29 and 1.29."),
        "{small}"
    );
    assert_eq!(document["question"]["mix"]["16384"].as_f64(), Some(1.0));
    let (large, _) = advised(&records, Some("64:1000,16KiB:100"), None);
    // 300 to 650 µs.
    assert!(large.contains("Use AES-256-GCM from openssl. It is 2.17× as fast"), "{large}");
    assert!(large.contains("It flips at 64 B: ChaCha20-Poly1305 from openssl is 2.00× as fast there."), "{large}");
    let (missing, _) = asked(&records, &scenario(&[64, 1024], 0), Some("64:1000,1KiB:1"));
    assert!(
        missing.contains(
            "No answer: the run has no figures for this. Not compared at 1 KiB: AES-256-GCM has no figure there."
        ),
        "{missing}"
    );
    assert!(missing.contains("Measure it: ciphermeter run tls"), "{missing}");
}

#[test]
fn range_over_sizes_leads_and_a_mix_leads_before_it() {
    let times = [(64, 60.0, 90.0), (1024, 200.0, 600.0)];
    let (_, document) = advised(&pair(&times), None, None);
    let answer = &document["answer"]["by_size"];
    assert_eq!([&answer["lowest"], &answer["highest"]].map(|end| end["message"].as_u64()), [Some(64), Some(1024)]);
    assert!((answer["highest"]["ratio"]["mid"].as_f64().unwrap() - 3.0).abs() < 0.01, "{answer}");
    let weights = |document: &Value| {
        document["sizes"].as_array().unwrap().iter().map(|size| size["weight"].as_f64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(weights(&document), [0.5, 0.5]);
    let (said, document) = advised(&pair(&times), Some("64:3,1KiB:1"), None);
    // 380 to 870 ns.
    let words = "It is 2.29× as fast (±0.1 %) as ChaCha20-Poly1305 from openssl (1.50× to 3.00× by size).";
    assert!(said.contains(words) && said.contains("sizes are weighted by their numbers of messages"), "{said}");
    assert_eq!(weights(&document), [0.75, 0.25]);
}

#[test]
fn size_at_which_the_library_is_behind_is_named() {
    let cells = [
        ("ring", AES, 64, 100.0),
        ("ring", AES, 1024, 200.0),
        ("aws-lc", AES, 64, 80.0),
        ("aws-lc", AES, 1024, 260.0),
        ("openssl", CHACHA20, 64, 90.0),
        ("openssl", CHACHA20, 1024, 600.0),
    ];
    let (said, _) = advised(&records(&cells, 8), None, None);
    let words = "ChaCha20-Poly1305 from openssl if all sizes weigh the same, but slower at 64 B: 0.90× to 3.00×.";
    assert!(said.contains("Use AES-256-GCM from ring.") && said.contains(words), "{said}");
}

#[test]
fn sizes_in_groups_are_said_to_be_so() {
    let mix: SizeCounts = (1..=40).map(|size| format!("{size}:1,")).collect::<String>().parse().unwrap();
    let times: Vec<_> = mix.sizes().into_iter().map(|size| (size.0, 60.0, 90.0)).collect();
    let (said, _) = advised(&pair(&times), Some(&mix.to_string()), None);
    assert!(said.contains("Which cipher for messages of 16 sizes, "), "{said}");
    let (run, records) = (fixtures::head(), pair(&times));
    let (said, document) = told(&advise(question(None, Some(&mix), None), Evidence::of(&run, &records)));
    assert!(said.contains("Which cipher for messages of 40 sizes in 16 groups, "), "{said}");
    assert_eq!(document["question"]["mix"].as_object().map(serde_json::Map::len), Some(16));
}

#[test]
fn lead_over_another_library_stands_beside_that_within_its_own() {
    let cells = [("ring", AES, 64, 50.0), ("ring", CHACHA20, 64, 150.0), ("openssl", CHACHA20, 64, 100.0)];
    let (said, document) = advised(&records(&cells, 8), None, None);
    let words = "It is 2.00× as fast (±0.1 %) as ChaCha20-Poly1305 from openssl. Within ring: 3.00× (±0.1 %).";
    assert!(said.contains(words), "{said}");
    let within = &document["answer"]["within_library"];
    assert_eq!((within["provider"].as_str(), within["algorithm"].as_str()), (Some("ring"), Some("chacha20-poly1305")));
    assert!(advised(&pair(&[(64, 50.0, 90.0)]), None, None).1["answer"]["within_library"].is_null());
}

#[test]
fn what_stands_in_for_what_is_asked_is_said_before_the_answer() {
    let (run, records) = (fixtures::head(), pair(&[(64, 50.0, 90.0)]));
    let asked = |workload, mix, program| told(&advise(question(workload, mix, program), Evidence::of(&run, &records)));
    let mix: SizeCounts = "64:1".parse().unwrap();
    for (workload, mix, program, words) in [
        (None, None, program("ssh"), "OpenSSH? OpenSSL's ciphers at TLS's sizes stand in for OpenSSH's. run 7 "),
        (None, Some(&mix), program("ssh"), "64 B (100 %)? OpenSSL's ciphers stand in for OpenSSH's. run 7 "),
        (
            Some("disk"),
            None,
            None,
            "disk sectors? Most disks use AES-XTS, which is not measured here: cryptsetup benchmark run 7 ",
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
fn command_that_measures_has_the_budget_that_a_reason_names() {
    let mut records = pair(&[(64, 50.0, 90.0), (1024, 200.0, 500.0)]);
    records.iter_mut().filter(|record| record.cell.parameters.message() == 1024).for_each(|record| {
        let why = "setting its messages up takes 9.000 s a sample: use a smaller --working-set, or --budget 299s";
        record.outcome = Outcome::Unsupported { why: why.into() };
    });
    let (said, _) = asked(&records, &scenario(&[64, 1024], 0), Some("64:1,1KiB:1"));
    assert!(said.contains("or --budget 299s. Measure it: ciphermeter advise tls --budget 299s"), "{said}");
}

#[test]
fn other_library_at_some_sizes_and_a_single_disturbed_fork_are_said() {
    let cells = [
        ("aws-lc", AES, 64, 50.0),
        ("aws-lc", CHACHA20, 64, 150.0),
        ("aws-lc", AES, 1370, 150.0),
        ("aws-lc", CHACHA20, 1370, 500.0),
        ("ring", AES, 64, 100.0),
        ("ring", AES, 1370, 120.0),
    ];
    let (said, _) = advised(&records(&cells, 8), None, None);
    assert!(said.contains("AES-256-GCM wins at every size; at 1370 B ring is faster than aws-lc."), "{said}");
    let one = crate::screen::basis(&records(&cells, 1), (0, 1), (0, 0));
    assert_eq!(one, "1 fork, which has too few undisturbed samples at some sizes.");
}

#[test]
fn library_that_is_not_told_apart_is_named_beside_the_first() {
    let cells =
        [("ring", AES, 64, 60.0), ("aws-lc", AES, 64, 60.02), ("go", AES, 64, 80.0), ("go", CHACHA20, 64, 150.0)];
    let (said, _) = advised(&records(&cells, 8), None, None);
    let names = ["from ring or aws-lc, which", "from aws-lc or ring, which"];
    assert!(names.iter().any(|both| said.contains(both)) && said.contains("cannot be told apart"), "{said}");
    assert!(said.contains("The next library, go, takes 1.33× as long"), "{said}");
    assert!(said.contains("Whether another size flips it is not known: only 64 B was measured."), "{said}");
}

#[test]
fn shorter_keys_and_ciphers_without_a_tag_are_not_recommended() {
    let mut cells = vec![
        ("openssl", AES, 64, 100.0),
        ("openssl", CHACHA20, 64, 200.0),
        ("openssl", Algorithm::Aes128Gcm, 64, 80.0),
    ];
    cells.push(("ceiling", Algorithm::Memcpy, 64, 2.0));
    let mut made: Vec<Made> =
        cells.iter().flat_map(|(provider, algorithm, message, ns)| both(provider, *algorithm, *message, *ns)).collect();
    made.push(cell("openssl", Algorithm::Aes256Ctr, Operation::Encrypt, 64, 20.0));
    let (said, document) = advised(&fixtures::records(&made, 8), None, None);
    assert!(said.contains("Use AES-256-GCM from openssl. It is 2.00× as fast"), "{said}");
    let shorter = &document["answer"]["shorter_key"];
    assert_eq!((shorter["algorithm"].as_str(), shorter["key_bits"].as_u64()), (Some("aes-128-gcm"), Some(128)));
    assert!((shorter["ratio"]["mid"].as_f64().unwrap() - 1.25).abs() < 0.01, "{shorter}");
    assert!(
        said.contains("AES-128-GCM from openssl would be 1.25× as fast (±0.1 %), with a key of 128 bits."),
        "{said}"
    );
    assert!(!said.contains("CTR") && !said.contains("memcpy"), "{said}");
}

#[test]
fn size_that_is_not_decided_is_said() {
    let mut records = pair(&[(64, 100.0, 101.0), (16_384, 2000.0, 6000.0)]);
    let small: Vec<_> = records.iter_mut().filter(|record| record.cell.parameters.message() == 64).collect();
    for record in small {
        waver(std::slice::from_mut(record), CHACHA20, 1.1);
    }
    let (said, document) = advised(&records, None, None);
    assert!(said.contains("Use AES-256-GCM") && said.contains("Not decided at 64 B."), "{said}");
    assert_eq!(document["sizes"][0]["is"].as_str(), Some("unknown"));
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
    assert!(document["contenders"].as_array().unwrap().is_empty());
}

#[test]
fn library_that_was_not_measured_is_named_with_its_reason() {
    let mut records = records(&[("openssl", AES, 64, 200.0), ("sunjce", AES, 64, 200.0)], 8);
    records.iter_mut().filter(|record| record.cell.provider == "sunjce").for_each(|record| {
        record.outcome = Outcome::Failed { why: "its worker\u{1b}[2J crashed".into() };
    });
    let (said, _) = advised(&records, None, Some("java"));
    assert!(said.contains("Missing: sunjce: its worker\\u{1b}[2J crashed. Measure it: ciphermeter run tls"), "{said}");
    let note = "node-crypto and noble-ciphers are not measured: the worker node is not built; `ciphermeter workers build node` does it";
    let run = Run { notes: vec![note.into()], ..fixtures::head() };
    let evidence = Evidence::of(&run, &records);
    let (said, document) = told(&advise(question(None, None, program("node")), evidence));
    assert!(said.contains("`ciphermeter workers build node` does it. Measure it: "), "{said}");
    assert_eq!(document["rests_on"]["missing"][0].as_str(), Some(note));
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
    let wrong = &document["wrong_output"][0];
    assert_eq!((wrong["provider"].as_str(), wrong["messages"][0].as_u64()), (Some("aws-lc"), Some(64)));
    assert!(!document["contenders"].to_string().contains("aws-lc"), "{document}");
    spoil(&mut records, "openssl", AES, 1024);
    let (said, document) = advised(&records, None, None);
    assert!(said.contains("Only ChaCha20-Poly1305 from go is left, so there is no choice between ciphers."), "{said}");
    assert!(said.contains("aws-lc's AES-256-GCM, whose output was wrong at 64 B; openssl's AES-256-GCM"), "{said}");
    assert_eq!(document["answer"]["is"].as_str(), Some("alone"));
    spoil(&mut records, "go", CHACHA20, 64);
    let (said, document) = advised(&records, None, None);
    assert!(said.contains("No answer: all output was wrong. Left out: "), "{said}");
    assert_eq!(document["wrong_output"].as_array().map(Vec::len), Some(3));
}

/// A scenario of these sizes and aads, sealing and opening with AES and ChaCha20.
fn scenario(messages: &[u64], aad: u64) -> Scenario {
    let messages: Vec<String> = messages.iter().map(|size| format!("\"{size}\"")).collect();
    let text = format!(
        "name = \"messages\"\ntitle = \"t\"\nbudget = \"60s\"\nprecision = \"2%\"\n[[cells]]\n\
         algorithms = [\"aes-256-gcm\", \"chacha20-poly1305\"]\noperations = [\"seal\", \"open\"]\n\
         messages = [{}]\naad = [\"{aad}\"]\n",
        messages.join(", ")
    );
    Scenario::parse(&text).unwrap()
}

fn asked(records: &[Record], scenario: &Scenario, mix: Option<&str>) -> (String, Value) {
    let run = fixtures::head();
    let mix = mix.map(|mix| mix.parse::<SizeCounts>().unwrap());
    let question = Question { scenario: Some(scenario), ..question(None, mix.as_ref(), None) };
    told(&advise(question, Evidence::of(&run, records)))
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
        assert_eq!(document["sizes"].as_array().map(Vec::len), Some(1), "{document}");
    }
}

#[test]
fn size_without_common_cells_is_named_with_the_reason() {
    let mut records = pair(&[(64, 50.0, 90.0), (1024, 200.0, 500.0), (16_384, 2000.0, 6000.0)]);
    let scenario = scenario(&[64, 1024, 16_384, 65_536], 0);
    records.iter_mut().filter(|record| record.cell.parameters.message() == 16_384).for_each(|record| {
        record.outcome = Outcome::Unsupported { why: Outcome::NOT_REACHED.into() };
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
    assert_eq!(document["not_compared"][0]["messages"][0].as_u64(), Some(16_384));
    let (said, document) = asked(&records, &scenario, Some("64:1,16KiB:1"));
    assert!(said.contains("No answer: the run has no figures for this. Not compared at 16 KiB: AES"), "{said}");
    assert!(said.contains("Measure it: ciphermeter advise tls --budget 240s"), "{said}");
    assert_eq!(document["not_compared"][0]["messages"][0].as_u64(), Some(16_384));
}

#[test]
fn run_says_what_it_lacks_for_an_answer() {
    let run = fixtures::head();
    let shortfall = |records: &[Record], sizes: &[u64]| {
        let scenario = scenario(sizes, 0);
        let question = Question { scenario: Some(&scenario), ..question(None, None, None) };
        let advice = advise(question, Evidence::of(&run, records));
        (advice.shortfall(), advice.is_helped_by_time())
    };
    let mut records = pair(&[(64, 50.0, 90.0), (1024, 200.0, 500.0)]);
    assert_eq!(shortfall(&records, &[64, 1024]), (None, false));
    let lacks = Shortfall::Lacks("has no figures at 16 KiB".into());
    assert_eq!(shortfall(&records, &[64, 1024, 16_384]), (Some(lacks), false));
    waver(&mut records, CHACHA20, 4.0);
    assert_eq!(shortfall(&records, &[64, 1024]), (Some(Shortfall::Undecided), true));
}

#[test]
fn library_that_is_here_now_and_not_in_the_run_is_named_with_the_command() {
    let (run, records) = (fixtures::head(), pair(&[(64, 50.0, 90.0)]));
    let available = ["openssl".to_owned(), "go".into(), "ring".into()];
    let newer = ["run 8 is newer and did not decide".to_owned()];
    let evidence = Evidence { available: &available, newer: &newer, ..Evidence::of(&run, &records) };
    let (said, document) = told(&advise(question(Some("tls"), None, None), evidence));
    let words = "go and ring were not measured in run 7: `ciphermeter run tls` adds them";
    assert!(said.contains(&format!("{words}.")) && said.contains("Use AES-256-GCM from openssl."), "{said}");
    assert_eq!(document["rests_on"]["missing"][0].as_str(), Some(words));
    assert!(said.contains("Run 8 is newer and did not decide."), "{said}");
    assert_eq!(document["rests_on"]["newer"][0].as_str(), Some("run 8 is newer and did not decide"));
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
fn mix_that_no_library_has_as_a_whole_says_so() {
    let cells = [
        ("openssl", AES, 64, 50.0),
        ("openssl", CHACHA20, 64, 90.0),
        ("go", AES, 1024, 200.0),
        ("go", CHACHA20, 1024, 500.0),
    ];
    let (said, _) = asked(&records(&cells, 8), &scenario(&[64, 1024], 0), Some("64:1,1KiB:1"));
    assert!(
        said.contains("Not compared at 64 B and 1 KiB: no cipher of a library has figures at all of them."),
        "{said}"
    );
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
    assert_eq!(document["contenders"].as_array().map(Vec::len), Some(2), "{document}");
}

#[test]
fn one_cipher_is_no_choice_between_ciphers() {
    let (said, document) = advised(&records(&[("openssl", AES, 64, 200.0)], 8), None, Some("nginx"));
    assert!(
        said.contains("Only AES-256-GCM from openssl was measured for this, so there is no choice between ciphers."),
        "{said}"
    );
    assert_eq!((document["answer"]["is"].as_str(), document["setting"].is_null()), (Some("alone"), true));
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

#[test]
fn cpu_without_aes_instructions_is_a_run_of_its_own() {
    let (run, masked) = (fixtures::head(), Run { id: 9, ..fixtures::head() });
    let (own, other) =
        (pair(&[(64, 50.0, 90.0), (1024, 100.0, 300.0)]), pair(&[(64, 500.0, 90.0), (1024, 900.0, 300.0)]));
    let masked = WithoutAes { run: &masked, records: &other, newer: &["run 10 is newer and did not decide".into()] };
    let evidence = Evidence { without_aes: Some(masked), ..Evidence::of(&run, &own) };
    let (said, document) = told(&advise(question(Some("tls"), None, program("nginx")), evidence));
    assert!(
        said.contains(
            "Without AES instructions (run 9): ChaCha20-Poly1305, 3.00× to 5.55× as fast as AES-256-GCM, by size (4.08×"
        ),
        "{said}"
    );
    assert!(said.contains("if all sizes weigh the same). Run 10 is newer and did not decide."), "{said}");
    assert!(
        said.contains("TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256:TLS_CHACHA20"),
        "the lines are for this machine: {said}"
    );
    assert_eq!(document["without_aes"]["answer"]["algorithm"].as_str(), Some("chacha20-poly1305"));
}

#[test]
fn energy_is_that_of_a_sustained_run() {
    let (run, records) = (fixtures::head(), pair(&[(64, 50.0, 90.0)]));
    let evidence = Evidence::of(&run, &records);
    let asked = question(Some("messages"), None, None);
    assert_eq!(advise(asked, evidence).recommended(), Some((AES, "openssl")));
    let load = sustained::record(60, |_| sustained::Second { watts: Some(10), ..sustained::CALM });
    let with = Run {
        id: 9,
        ..sustained::run(&[Fact::present("idle power of the CPU", "2.000 W ± 0.010 (powercap: package-0)")])
    };
    let (said, document) = told(&advise(asked, evidence).with_energy(&with, &load));
    assert!(said.contains("The CPU takes 6.52 J/GB, 5.22 above what the idle one draws (run 9, sustained, "), "{said}");
    assert!((document["joules"]["j_per_gb"].as_f64().unwrap() - 6.52).abs() < 0.01);
    let unknown = sustained::record(60, |_| sustained::CALM);
    assert!(!told(&advise(asked, evidence).with_energy(&with, &unknown)).0.contains("J/GB"), "absent is absent");
}

/// A run whose scenario is that one, with records for all libraries that a test has.
fn measured(scenario: Scenario) -> (Run, Vec<Record>) {
    let mut records = screened::records(&scenario, 6);
    // Half of a transfer's CPU time is the other end's.
    for sample in records.iter_mut().flat_map(|record| &mut record.forks).flat_map(|fork| &mut fork.samples) {
        let cpu = sample.count(Metric::CPU_NS).unwrap_or(0);
        sample.counts.push((Metric::PEER_CPU_NS, cpu));
    }
    (Run { scenario, ..fixtures::head() }, records)
}

#[test]
fn each_workload_is_answered() {
    let mut screens = String::new();
    for name in ["tls", "packet", "iot", "disk", "transfer", "bulk", "messages"] {
        let scenario = screened::scenarios().into_iter().find(|scenario| scenario.name == name).unwrap();
        let (run, records) = measured(scenario);
        let evidence = Evidence::of(&run, &records);
        let advice = advise(question(Some(name), None, None), evidence);
        assert!(told(&advice).0.contains("Use AES-256-GCM"), "{}", told(&advice).0);
        screens += &format!("{}\n", advice_screen(&advice, TableOptions::default()).text);
    }
    insta::assert_snapshot!(screens);
}

#[test]
fn each_program_has_one_screen_for_either_answer() {
    let mut screens = String::new();
    let host = vec![Fact::present("cpu", "Example EPYC 9"), Fact::present("features", "aes vaes")];
    let run = Run { id: 12, store: Some("a/longer/name/of/runs.db".into()), host, ..fixtures::head() };
    let changed =
        ["kernel Linux 6.1.0-28-amd64 ≠ Linux 6.1.0-31-amd64".to_owned(), "governor powersave ≠ performance".into()];
    for program in PROGRAMS {
        let asked = question(None, None, Some(program));
        if let Some(advice) = Advice::without_measuring(asked) {
            assert!(advice.is_answered());
            told(&advice);
            screens += &one_screen(&advice);
            continue;
        }
        for (aes, chacha20) in [(100.0, 300.0), (300.0, 100.0)] {
            let of = |provider: &'static str, n: u64, at: f64| {
                let rate = n as f64 / 64.0;
                [
                    (provider, AES, n, aes * at * rate),
                    (provider, CHACHA20, n, chacha20 * at * rate),
                    (provider, Algorithm::Aes128Gcm, n, 90.0 * at * rate),
                ]
            };
            let providers: &[&'static str] =
                if program.providers.is_empty() { &["openssl", "go"] } else { program.providers };
            let cells: Vec<_> = providers
                .iter()
                .zip([1.0, 1.2])
                .flat_map(|(name, at)| [of(name, 64, at), of(name, 16_385, at)].concat())
                .collect();
            let records = records(&cells, 8);
            let masked = WithoutAes { run: &run, records: &records, newer: &[] };
            let evidence = Evidence { changed: &changed, without_aes: Some(masked), ..Evidence::of(&run, &records) };
            let advice = advise(asked, evidence);
            told(&advice);
            screens += &one_screen(&advice);
        }
    }
    insta::assert_snapshot!(screens);
}

/// 80 columns, but for lines that are copied whole, and all notes.
#[track_caller]
fn one_screen(advice: &Advice) -> String {
    let text = advice_screen(advice, TableOptions::default()).text;
    let is_copied =
        |line: &str| ["--tls-cipher-list=", "ssl-default-bind", "https://"].iter().any(|word| line.contains(word));
    assert!(text.lines().all(|line| line.width() <= 80 || is_copied(line)), "{text}");
    let (said, document) = told(advice);
    for note in document["notes"].as_array().unwrap() {
        assert!(said.contains(note["text"].as_str().unwrap()), "{note} is not in {said}");
    }
    format!("{text}\n")
}
