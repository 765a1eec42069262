//! Sizes and their weights.

use ciphermeter_core::SizeCounts;
use serde_json::Value;

use super::{AES, CHACHA20, advised, asked, pair, question, records, scenario, told};
use crate::{Evidence, advise};
use ciphermeter_answer::fixtures::{self};

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
        small.contains(
            "1 GB of these takes 0.70 ±1.8 % CPU-s to seal and 0.70 ±1.8 % CPU-s to open; AES-256-GCM 1.28 ±1.8 %"
        ),
        "{small}"
    );
    assert_eq!(document["question"]["mix"]["16384"].as_f64(), Some(1.0));
    let (large, _) = advised(&records, Some("64:1000,16KiB:100"), None);
    // 300 to 650 µs.
    assert!(large.contains("Use AES-256-GCM from openssl. It is 2.17× as fast"), "{large}");
    assert!(large.contains("It flips at 64 B: ChaCha20-Poly1305 from openssl is 2.00× as fast there."), "{large}");
    let (missing, document) = asked(&records, &scenario(&[64, 1024], 0), Some("64:1000,1KiB:1"));
    assert!(
        document["answer"]["about"]["undecided"][0].as_str().is_some_and(|why| why.contains("Not compared at 1 KiB: ")),
        "{document}"
    );
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
    let answer = &document["answer"]["about"]["by_size"];
    assert_eq!([&answer["lowest"], &answer["highest"]].map(|end| end["message"].as_u64()), [Some(64), Some(1024)]);
    assert!((answer["highest"]["ratio"]["mid"].as_f64().unwrap() - 3.0).abs() < 0.01, "{answer}");
    let weights = |document: &Value| {
        document["answer"]["about"]["sizes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|size| size["weight"].as_f64().unwrap())
            .collect::<Vec<_>>()
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
