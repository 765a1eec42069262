//! Which cipher is the answer, and when there is none.

use ciphermeter_answer::basis::Basis;
use ciphermeter_core::{Algorithm, Fact, Operation, Run};

use super::{AES, CHACHA20, advised, both, pair, question, records, told, waver};
use crate::tests::sustained;
use crate::{Advice, Evidence, advise, joules, program};
use ciphermeter_answer::fixtures::{self, Made, cell};

#[test]
fn winner_flips_when_the_records_do() {
    let times = [(64, 60.0, 90.0), (1024, 200.0, 500.0)];
    let swapped = times.map(|(message, aes, chacha20)| (message, chacha20, aes));
    let ((aes, document), (chacha20, other)) =
        (advised(&pair(&times), None, None), advised(&pair(&swapped), None, None));
    let words = "Use AES-256-GCM from openssl. It is 1.50× to 2.50× as fast as ChaCha20-Poly1305 from openssl at sealing and opening \
                 together, by size (1.94× ±0.1 % if all sizes weigh the same).";
    assert!(aes.contains(words), "{aes}");
    assert!(chacha20.contains("Use ChaCha20-Poly1305 from openssl. It is 1.50× to 2.50× as fast"), "{chacha20}");
    assert!(aes.contains("It holds at every size measured, 64 B to 1 KiB."), "{aes}");
    assert_eq!(
        [&document, &other].map(|one| one["answer"]["about"]["algorithm"].as_str()),
        [Some("aes-256-gcm"), Some("chacha20-poly1305")]
    );
    let lead = document["answer"]["about"]["lead"]["ratio"]["mid"].as_f64().unwrap();
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
    waver(&mut records, CHACHA20, 1.3);
    let (said, document) = advised(&records, None, Some("nginx"));
    assert!(
        said.contains(
            "The measurements do not decide between AES-256-GCM and ChaCha20-Poly1305; they differ by at most"
        ),
        "{said}"
    );
    assert!(said.contains("Why: the intervals are too wide. Try `ciphermeter advise tls --budget 240s`, or"), "{said}");
    assert_eq!(
        (document["answer"]["about"]["verdict"].as_str(), document["setting"].is_null()),
        (Some("unknown"), true),
        "no lines"
    );
    let percents = pair(&[(64, 100.0, 106.0), (1024, 500.0, 530.0)]);
    let (sure, document) = advised(&percents, None, Some("nginx"));
    assert!(sure.contains("Use AES-256-GCM (openssl 1.2.3). It is 1.06× as fast (±0.1 %)"), "{sure}");
    assert!(!document["setting"].is_null(), "a sure 6 % is not equal");
    let (equal, document) = advised(&pair(&[(64, 100.0, 100.5), (1024, 500.0, 502.0)]), None, Some("nginx"));
    assert!(
        equal.contains("AES-256-GCM and ChaCha20-Poly1305 are equal here, within 0.5 %: keep what you have."),
        "{equal}"
    );
    assert!(document["setting"].is_null(), "{document}");
}

/// One cipher at some sizes, and nothing of the others: that much is said.
#[test]
fn what_is_decided_at_single_sizes_stands_beside_what_is_not() {
    let mut records = pair(&[(1024, 500.0, 1000.0)]);
    let mut open = pair(&[(64, 100.0, 104.0)]);
    waver(&mut open, CHACHA20, 6.0);
    records.extend(open);
    let (said, document) = advised(&records, None, None);
    let words = "At 1 KiB they do: AES-256-GCM is the fastest there.";
    assert!(said.contains("The measurements do not decide between") && said.contains(words), "{said}");
    assert!(!said.contains("By size: AES"), "it is said once: {said}");
    assert!(
        document["answer"]["about"]["undecided"][0].as_str().is_some_and(|why| why.contains("--budget 240s")),
        "{document}"
    );
    let (_, document) = advised(&pair(&[(1024, 500.0, 1000.0)]), None, None);
    assert!(document["answer"]["about"]["undecided"].as_array().is_some_and(Vec::is_empty), "{document}");
}

#[test]
fn equal_is_an_interval_within_the_threshold_and_ignorance_is_not() {
    // About 1, and up to 9 % from it.
    let mut records = pair(&[(64, 100.0, 100.2), (1024, 500.0, 501.0)]);
    waver(&mut records, CHACHA20, 1.08);
    let (said, document) = advised(&records, None, Some("nginx"));
    assert!(said.contains("The measurements do not decide between AES-256-GCM and ChaCha20-Poly1305; they"), "{said}");
    assert_eq!(document["answer"]["about"]["verdict"].as_str(), Some("unknown"));
    let far = document["answer"]["about"]["at_most"].as_f64().unwrap();
    assert!(far > 0.05 && far < 0.2, "{far}");
    // Surely above 1, and surely by 5 % at most.
    let (said, document) = advised(&pair(&[(64, 100.0, 104.2)]), None, Some("nginx"));
    assert!(said.contains("are equal here, within 4."), "{said}");
    assert_eq!(document["answer"]["about"]["verdict"].as_str(), Some("equal"));
}

#[test]
fn sizes_that_differ_each_way_are_not_equal() {
    let records = pair(&[(64, 200.0, 100.0), (1370, 800.0, 500.0), (4230, 1000.0, 1600.0), (16_385, 3000.0, 6000.0)]);
    let (said, document) = advised(&records, None, Some("nginx"));
    assert!(
        said.contains(
            "It depends on the size: ChaCha20-Poly1305 up to 1370 B, AES-256-GCM from 4230 B. Give yours with --mix to decide."
        ),
        "{said}"
    );
    assert_eq!(document["answer"]["about"]["verdict"].as_str(), Some("by-size"));
    assert_eq!(document["answer"]["about"]["among"].as_array().map(Vec::len), Some(2));
    let (said, document) = advised(&records, Some("64:1000,1370:1,4230:1,16385:33"), Some("nginx"));
    assert!(!said.contains("It depends on the size"), "the mix decides: {said}");
    assert_ne!(document["answer"]["about"]["verdict"].as_str(), Some("by-size"));
}

#[test]
fn shorter_key_that_is_faster_is_named_beside_equal_ciphers() {
    let cells =
        [("openssl", AES, 64, 100.0), ("openssl", CHACHA20, 64, 100.2), ("openssl", Algorithm::Aes128Gcm, 64, 80.0)];
    let (said, _) = advised(&records(&cells, 8), None, Some("nginx"));
    assert!(said.contains("are equal here, within") && said.contains("AES-128-GCM would be 1.25× as fast"), "{said}");
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
    let ring = document["answer"]["about"]["contenders"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["provider"] == "ring")
        .unwrap();
    assert!(ring["ratio"].is_null() && ring["may_be_fastest"].is_null(), "{ring}");
}

/// The other library's ChaCha20 is slow; that of the third may be faster than anything.
#[test]
fn library_with_too_few_forks_is_named_beside_the_recommendation() {
    let mut all = records(&[("openssl", AES, 64, 60.0), ("rustcrypto", CHACHA20, 64, 180.0)], 8);
    all.extend(fixtures::records(&both("aws-lc", CHACHA20, 64, 50.0), 5));
    let (said, _) = advised(&all, None, None);
    let words = "Use AES-256-GCM from openssl. It is 3.00× as fast";
    assert!(said.contains(words), "{said}");
    assert!(said.contains("Not compared, for lack of forks: ChaCha20-Poly1305 from aws-lc."), "{said}");
}

#[test]
fn wide_lead_that_begins_near_1_decides_nothing() {
    let mut all = pair(&[(64, 60.0, 110.0)]);
    waver(&mut all, CHACHA20, 1.304);
    let (said, document) = advised(&all, None, None);
    let ratio = &document["answer"]["about"]["contenders"][1]["ratio"];
    let low = ratio["low"].as_f64().unwrap();
    assert!(low > 1.0 && low < 1.05, "{ratio}");
    assert!(said.contains("The measurements do not decide between AES-256-GCM and ChaCha20-Poly1305."), "{said}");
}

#[test]
fn lead_over_another_library_stands_beside_that_within_its_own() {
    let cells = [("ring", AES, 64, 50.0), ("ring", CHACHA20, 64, 150.0), ("openssl", CHACHA20, 64, 100.0)];
    let (said, document) = advised(&records(&cells, 8), None, None);
    let words = "It is 2.00× as fast (±0.1 %) as ChaCha20-Poly1305 from openssl. Within ring: 3.00× (±0.1 %).";
    assert!(said.contains(words), "{said}");
    let within = &document["answer"]["about"]["within_library"];
    assert_eq!((within["provider"].as_str(), within["algorithm"].as_str()), (Some("ring"), Some("chacha20-poly1305")));
    assert!(advised(&pair(&[(64, 50.0, 90.0)]), None, None).1["answer"]["about"]["within_library"].is_null());
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
    let one = Basis::of(&records(&cells, 1), (0, 1)).sentence((0, 0));
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
    assert!(said.contains("Whether another size flips it is not known: this is of 64 B alone."), "{said}");
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
    let shorter = &document["answer"]["about"]["shorter_key"];
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
    assert_eq!(document["answer"]["about"]["sizes"][0]["is"].as_str(), Some("unknown"));
}

#[test]
fn one_cipher_is_no_choice_between_ciphers() {
    let records = records(&[("openssl", AES, 64, 200.0)], 8);
    let none = "Only AES-256-GCM from openssl was measured for this, so there is no choice between ciphers.";
    assert!(advised(&records, None, None).0.contains(none));
    let (said, document) = advised(&records, None, Some("nginx"));
    let lacks = "the run has no figures of ChaCha20-Poly1305, so there is no cipher to compare AES-256-GCM with.";
    assert!(said.contains(lacks), "{said}");
    assert_eq!((document["answer"]["about"]["verdict"].as_str(), document["setting"].is_null()), (Some("alone"), true));
    assert_eq!(
        document["answer"]["about"]["undecided"], document["answer"]["sentences"],
        "nothing else is known of it"
    );
}

#[test]
fn cpu_without_aes_instructions_is_a_run_of_its_own() {
    let (run, masked) = (fixtures::head(), Run { id: 9, ..fixtures::head() });
    let (own, other) =
        (pair(&[(64, 50.0, 90.0), (1024, 100.0, 300.0)]), pair(&[(64, 500.0, 90.0), (1024, 900.0, 300.0)]));
    let newer = ["run 10 is newer and has no figures at 1 KiB".to_owned()];
    let masked = Evidence { newer: &newer, ..Evidence::of(&masked, &other) };
    let evidence = Evidence { without_aes: Some(&masked), ..Evidence::of(&run, &own) };
    let (said, document) = told(&advise(question(Some("tls"), None, program("nginx")), evidence));
    assert!(
        said.contains(
            "Without AES instructions (run 9): ChaCha20-Poly1305, 3.00× to 5.55× as fast as AES-256-GCM at sealing and opening together, by size (4.08×"
        ),
        "{said}"
    );
    assert!(said.contains("if all sizes weigh the same). Another chip has other speeds."), "{said}");
    assert!(said.contains("other speeds. Run 10 is newer and has no figures at 1 KiB."), "{said}");
    assert!(
        said.contains("TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256:TLS_CHACHA20"),
        "the lines are for this machine: {said}"
    );
    assert_eq!(document["without_aes"]["answer"]["about"]["algorithm"].as_str(), Some("chacha20-poly1305"));
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
    let (said, document) = told(&Advice { joules: joules(&with, &load), ..advise(asked, evidence) });
    assert!(said.contains("The CPU takes 6.52 J/GB, 5.22 above what the idle one draws (run 9, sustained, "), "{said}");
    assert!((document["joules"]["j_per_gb"].as_f64().unwrap() - 6.52).abs() < 0.01);
    let unknown = sustained::record(60, |_| sustained::CALM);
    assert!(
        !told(&Advice { joules: joules(&with, &unknown), ..advise(asked, evidence) }).0.contains("J/GB"),
        "absent is absent"
    );
}

/// Seal and open of one size, each with a time of its own.
fn apart(message: u64, algorithm: Algorithm, seal: f64, open: f64) -> [Made; 2] {
    [(Operation::Seal, seal), (Operation::Open, open)]
        .map(|(operation, ns)| cell("openssl", algorithm, operation, message, ns))
}

#[test]
fn operations_that_differ_are_not_equal() {
    let of = |open: f64| {
        let made = [64, 1024]
            .into_iter()
            .flat_map(|message| [apart(message, AES, 100.0, open), apart(message, CHACHA20, 300.0, 100.0)].concat());
        fixtures::records(&made.collect::<Vec<_>>(), 8)
    };
    let (said, document) = advised(&of(300.0), None, None);
    let words = "It depends on what is done: AES-256-GCM to seal (3.00× as fast) and ChaCha20-Poly1305 to open (3.00× as fast). \
                 Choose by what this machine does more.";
    assert!(said.contains(words), "{said}");
    assert_eq!(document["answer"]["about"]["verdict"].as_str(), Some("by-operation"));
    let (said, document) = advised(&of(200.0), None, None);
    assert!(said.contains("Use AES-256-GCM from openssl."), "{said}");
    assert!(said.contains("To open, ChaCha20-Poly1305 from openssl is 2.00× as fast."), "{said}");
    assert_eq!(
        document["answer"]["about"]["operations"][1]["algorithm"].as_str(),
        Some("chacha20-poly1305"),
        "{document}"
    );
}
