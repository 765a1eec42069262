//! The first screen: one terminal, an answer or the lack of one in words, for every scenario that comes with Ciphermeter.

use std::fs;
use std::path::Path;

use ciphermeter_core::{Algorithm, Fact, Kind, Metric, Operation, Record, Run, RunStatus, Scenario, Setup};
use unicode_width::UnicodeWidthStr;

use crate::{Screen, TableOptions, leader, ranking, screen};
use ciphermeter_answer::fixtures::{self, Made, cell};

const PROVIDERS: [&str; 10] =
    ["openssl", "aws-lc", "ring", "rustcrypto", "graviola", "go", "pyca", "pycryptodome", "ciphermeter", "libaegis"];

/// Whatever it shows has to fit a terminal of 24 lines of 80 columns.
#[track_caller]
fn shown(run: &Run, records: &[Record]) -> Screen {
    let screen = screen(run, records, TableOptions::default());
    assert!(screen.text.lines().count() <= 24, "{}", screen.text);
    for line in screen.text.lines() {
        assert!(line.width() <= 80 && line.trim_end() == line, "{line:?}");
    }
    screen
}

/// Nanoseconds of a call: ciphers and libraries differ, and the order of libraries is another for each cipher.
fn time(provider: &str, algorithm: Algorithm, bytes: u64) -> f64 {
    let place = PROVIDERS.iter().position(|known| *known == provider).unwrap_or(0) as f64;
    let each = match algorithm {
        Algorithm::ChaCha20Poly1305 | Algorithm::XChaCha20Poly1305 | Algorithm::ChaCha20 => 0.5 + 0.02 * place,
        Algorithm::Aes256Cbc => 0.9 + 0.05 * place,
        Algorithm::Adiantum => 20.0,
        Algorithm::Aes256Ccm => 1.2 + 0.05 * place,
        Algorithm::Aegis128x2 => 0.05,
        _ => 0.1 + 0.06 * ((place + 3.0) % 8.0),
    };
    60.0 + 5.0 * place + each * bytes as f64
}

pub(crate) fn records(scenario: &Scenario, forks: u32) -> Vec<Record> {
    let mut made = Vec::new();
    let algorithms = Algorithm::ALL.iter().copied().filter(|algorithm| !algorithm.is_ceiling());
    for algorithm in algorithms {
        // libaegis has AEGIS alone, and no other library has it.
        let has = |provider: &&str| (*provider == "libaegis") == algorithm.as_str().starts_with("aegis");
        for provider in PROVIDERS.into_iter().filter(|provider| scenario.takes_provider(provider)).filter(has) {
            for cell in scenario.cells_for(provider, algorithm, 2) {
                let (message, threads) = (cell.parameters.message(), cell.parameters.threads() as f64);
                let split = if cell.is_split() { threads } else { 1.0 };
                let ns = time(provider, algorithm, message + cell.parameters.aad()) * (1.0 + 0.05 * threads) / split;
                made.push(Made {
                    provider,
                    algorithm,
                    operation: cell.operation,
                    message,
                    ns,
                    form: cell.form,
                    parameters: cell.parameters,
                });
            }
        }
    }
    fixtures::records(&made, forks)
}

pub(crate) fn scenarios() -> Vec<Scenario> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let files = fs::read_dir(folder).expect("the scenarios").map(|entry| entry.expect("an entry").path());
    let tomls = files.filter(|path| path.extension().is_some_and(|extension| extension == "toml"));
    let mut all: Vec<_> =
        tomls.map(|path| Scenario::parse(&fs::read_to_string(path).expect("a file")).expect("a scenario")).collect();
    all.retain(|scenario| scenario.copies.is_none() && scenario.kind != Kind::Sustained);
    // One of a study's own program has none of these libraries.
    all.retain(|scenario| PROVIDERS.iter().any(|provider| scenario.takes_provider(provider)));
    // One version has none to be compared with; the table of versions has a test of its own.
    all.retain(|scenario| scenario.name != "versions");
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

/// In a narrow terminal the answer is as long as in a wide one, up to the commands at its end.
#[track_caller]
fn narrow_ones_keep_what_is_said(run: &Run, records: &[Record], wide: &Screen) {
    for width in [40, 50] {
        let narrow = screen(run, records, TableOptions { width, color: false });
        assert!(narrow.text.lines().count() <= 24 * 80 / width, "{}", narrow.text);
        assert_eq!(narrow.is_answered, wide.is_answered);
        let last = |text: &str| text.split_whitespace().rev().take(4).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(last(&narrow.text), last(&wide.text), "{}", narrow.text);
        assert!(!narrow.text.contains("█…"), "{}", narrow.text);
        let has_column = |text: &str| text.split_whitespace().any(|word| word == "faster");
        assert!(has_column(&narrow.text) || !has_column(&wide.text), "{}", narrow.text);
    }
}

#[test]
fn every_scenario_is_answered_on_one_screen() {
    let mut texts = String::new();
    for scenario in scenarios() {
        let records = records(&scenario, 6);
        let run = Run { scenario, ..fixtures::head() };
        let screen = shown(&run, &records);
        narrow_ones_keep_what_is_said(&run, &records, &screen);
        let answer = match run.scenario.kind {
            Kind::Parallel => "one thread.",
            _ if ["aegis", "records"].contains(&run.scenario.name.as_str()) => "is fastest",
            _ => "Use ",
        };
        assert!(screen.is_answered && screen.text.contains(answer), "{}", screen.text);
        texts += &format!("{}\n", screen.text);
    }
    insta::assert_snapshot!(texts);
}

#[test]
fn five_forks_are_no_answer_and_no_figure() {
    for scenario in scenarios() {
        let records = records(&scenario, 5);
        let run = Run { scenario, ..fixtures::head() };
        let screen = shown(&run, &records);
        assert!(!screen.is_answered && screen.text.contains("No answer yet"), "{}", screen.text);
        assert!(screen.text.contains("needs 6 forks, and there was time for 5"), "{}", screen.text);
        assert!(!screen.text.contains('×') && !screen.text.contains('█'), "{}", screen.text);
    }
}

#[test]
fn a_faster_cipher_without_a_tag_is_not_recommended() {
    let bytes = 1 << 20;
    let of = |algorithm, operation, ns| cell("pyca", algorithm, operation, bytes, ns);
    let cells = [
        of(Algorithm::Aes256Cbc, Operation::Encrypt, 500_000.0),
        of(Algorithm::ChaCha20Poly1305, Operation::Seal, 900_000.0),
    ];
    let text = shown(&fixtures::head(), &fixtures::records(&cells, 8)).text;
    assert!(!text.contains("Use AES-256-CBC"), "{text}");
    let text = text.replace('\n', " ");
    assert!(
        text.contains("AES-256-CBC has no tag, so changed data goes unnoticed; ChaCha20-Poly1305 notices it."),
        "{text}"
    );
}

#[test]
fn libraries_that_differ_are_named() {
    let of = |provider, algorithm, ns| cell(provider, algorithm, Operation::Seal, 1024, ns);
    let cells = [
        of("openssl", Algorithm::Aes256Gcm, 300.0),
        of("openssl", Algorithm::ChaCha20Poly1305, 600.0),
        of("soft", Algorithm::Aes256Gcm, 9000.0),
        of("soft", Algorithm::ChaCha20Poly1305, 900.0),
    ];
    let text = shown(&fixtures::head(), &fixtures::records(&cells, 8)).text;
    assert!(text.contains("Use AES-256-GCM with openssl and ChaCha20-Poly1305 with soft."), "{text}");
}

/// So many times as long in every other fork, and in the others as much shorter.
fn waver(record: &mut Record, factor: f64) {
    for (place, fork) in record.forks.iter_mut().enumerate() {
        let counts = fork.samples.iter_mut().flat_map(|sample| &mut sample.counts);
        for (_, count) in counts.filter(|(metric, _)| *metric == Metric::NS) {
            *count = (*count as f64 * if place % 2 == 0 { factor } else { 1.0 / factor }) as u64;
        }
    }
}

/// `b` beside `a`, and `c` far behind both.
#[test]
fn screen_and_ranking_say_the_same_of_two() {
    let of = |provider, ns| cell(provider, Algorithm::Aes256Gcm, Operation::Seal, 1024, ns);
    for (ns, factor, said, place) in [
        // Surely slower, by less than counts.
        (306.0, 1.0, "a and b are equal, 30.0× as fast as c", "1"),
        (309.0, 1.04, "No answer yet: a and b cannot be told apart.", "1"),
        (309.0, 1.5, "No answer yet: too little is known of b.", "?"),
        (450.0, 1.0, "a is fastest: 1.50× as fast as b", "2"),
    ] {
        let mut records = fixtures::records(&[of("a", 300.0), of("b", ns), of("c", 9000.0)], 8);
        waver(&mut records[1], factor);
        let text = shown(&fixtures::head(), &records).text;
        assert!(text.contains(said), "{text}");
        let ranked = ranking(&fixtures::head(), &records, TableOptions::default()).unwrap().text;
        let row = ranked.lines().find(|line| line.contains(" b ")).unwrap();
        assert!(row.trim_start().starts_with(place), "{said}: {ranked}");
    }
}

/// AEGIS-128L leads at the smallest size alone, and its library sets the key up in each call.
#[test]
fn what_leads_at_a_size_and_what_sets_its_key_up_is_said() {
    let of = |provider, algorithm, times: [f64; 3]| {
        [64, 1024, 16_384]
            .into_iter()
            .zip(times)
            .map(move |(size, ns)| cell(provider, algorithm, Operation::Seal, size, ns))
    };
    let cells = of("libaegis", Algorithm::Aegis128x4, [100.0, 100.0, 1000.0])
        .chain(of("libaegis", Algorithm::Aegis128l, [70.0, 300.0, 3000.0]))
        .chain(of("aws-lc", Algorithm::Aes256Gcm, [150.0, 150.0, 1500.0]));
    let mut records = fixtures::records(&cells.collect::<Vec<_>>(), 8);
    let own = records.iter_mut().filter(|record| record.cell.provider == "libaegis");
    own.filter_map(|record| record.provenance.as_mut()).for_each(|from| from.setup = Setup::Inside);
    let said = joined(&shown(&fixtures::head(), &records).text);
    for part in [
        "AEGIS-128X4 by libaegis is fastest: 1.50× as fast as AES-256-GCM by aws-lc",
        "By size, AEGIS-128X4 by libaegis is faster at 1 KiB and 16 KiB, AEGIS-128L by libaegis at 64 B.",
        "AEGIS-128X4 and AES-256-GCM are not by the same library, which makes a difference, too.",
        "Each call of libaegis sets up its key.",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn ciphers_of_two_libraries_with_tags_of_two_lengths_are_said_to_be_so_once() {
    let of = |provider, algorithm, ns| cell(provider, algorithm, Operation::Seal, 1024, ns);
    let (gcm, ccm) = (Algorithm::Aes128Gcm, Algorithm::Aes128Ccm8);
    let said = |cells: &[Made]| joined(&shown(&fixtures::head(), &fixtures::records(cells, 8)).text);
    let apart = said(&[of("aws-lc", gcm, 100.0), of("nettle", ccm, 300.0)]);
    assert_eq!(apart.matches("AES-128-GCM and AES-128-CCM-8 are not by the same library").count(), 1, "{apart}");
    assert_eq!(apart.matches("Tags of AES-128-CCM-8 have 8 bytes, others 16.").count(), 1, "{apart}");
    let together = said(&[of("nettle", gcm, 100.0), of("nettle", ccm, 300.0)]);
    assert!(!together.contains("same library"), "{together}");
}

#[test]
fn hint_at_a_cpu_without_aes_needs_a_library_that_can_do_without() {
    let mut run = fixtures::head();
    run.host.extend([Fact::present("architecture", "x86_64"), Fact::present("features", "aes")]);
    let [aes, chacha20] = Algorithm::USUAL;
    let hints = |cells: &[(&'static str, Algorithm)]| {
        let cells: Vec<Made> = cells.iter().map(|(by, of)| cell(by, *of, Operation::Seal, 64, 90.0)).collect();
        shown(&run, &fixtures::records(&cells, 8)).text.contains("add --cpu no-aes")
    };
    assert!(hints(&[("aws-lc", aes), ("aws-lc", chacha20)]));
    assert!(hints(&[("openssl", aes), ("ring", chacha20)]), "of ring, ChaCha20 stays");
    assert!(!hints(&[("ring", aes), ("ring", chacha20)]));
    assert!(!hints(&[("libaegis", Algorithm::Aegis128l), ("libaegis", Algorithm::Aegis256)]));
    assert!(!hints(&[("libaegis", Algorithm::Aegis128l), ("aws-lc", aes)]), "one would be left");
}

#[test]
fn single_row_is_no_plural() {
    let one = [cell("a", Algorithm::Aes256Gcm, Operation::Seal, 64, 90.0)];
    let text = shown(&fixtures::head(), &fixtures::records(&one, 8)).text;
    assert!(text.contains("Its row: ciphermeter show 7 --all"), "{text}");
}

fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_is_equal_and_what_is_unknown_differ() {
    let of = |provider, ns| cell(provider, Algorithm::Aes256Gcm, Operation::Seal, 1024, ns);
    let records = fixtures::records(&[of("a", 300.0), of("b", 300.0)], 8);
    let equal = shown(&fixtures::head(), &records);
    assert!(equal.is_answered && equal.text.contains("a and b are equal."), "{}", equal.text);
    let mut unknown = fixtures::records(&[of("a", 300.0), of("b", 310.0)], 8);
    waver(&mut unknown[1], 2.0);
    let unknown = shown(&fixtures::head(), &unknown);
    assert!(!unknown.is_answered && !unknown.text.contains("equal"), "{}", unknown.text);
    assert!(unknown.text.contains("No answer yet"), "{}", unknown.text);
}

#[test]
fn nothing_measured_and_cut_off_say_what_to_do() {
    let mut run = fixtures::head();
    let text = shown(&run, &[]).text;
    assert!(text.contains("No answer: nothing was measured."), "{text}");
    run.status = RunStatus::Open;
    let records = records(&run.scenario, 1);
    let text = shown(&run, &records).text;
    assert!(text.contains("cut off") && text.contains("ciphermeter run --resume=7"), "{text}");
}

#[test]
fn names_from_a_store_are_harmless() {
    let of = |algorithm, ns| {
        cell("a-provider-whose-name-never-seems-to-end-at-all\u{1b}[2J", algorithm, Operation::Seal, 64, ns)
    };
    let cells = [of(Algorithm::Aes256Gcm, 50.0), of(Algorithm::ChaCha20Poly1305, 90.0)];
    let text = shown(&fixtures::head(), &fixtures::records(&cells, 6)).text;
    assert!(!text.contains('\u{1b}'), "{text:?}");
}

#[test]
fn the_leader_of_a_run_needs_no_samples() {
    let of = |provider, algorithm, ns| cell(provider, algorithm, Operation::Seal, 16_384, ns);
    let cells = [
        of("openssl", Algorithm::Aes256Gcm, 4000.0),
        of("openssl", Algorithm::ChaCha20Poly1305, 8192.0),
        of("ring", Algorithm::Aes256Gcm, 2048.0),
        of("ring", Algorithm::ChaCha20Poly1305, 9000.0),
    ];
    let mut records = fixtures::records(&cells, 1);
    records.iter_mut().for_each(|record| record.forks.clear());
    assert_eq!(leader(&records).as_deref(), Some("AES 7.40 GB/s (ring), ChaCha20 1.85 (openssl)"));
    records.iter_mut().for_each(|record| record.summary = None);
    assert_eq!(leader(&records), None);
    let of = |algorithm, ns| cell("rustcrypto", algorithm, Operation::Encrypt, 4096, ns);
    let disk = fixtures::records(&[of(Algorithm::Aes256Xts, 1024.0), of(Algorithm::Adiantum, 8192.0)], 1);
    assert_eq!(leader(&disk).as_deref(), Some("XTS 3.71 GB/s (rustcrypto), Adiantum 0.46 (rustcrypto)"));
}

#[test]
fn what_openssl_speed_shows_stands_beside_the_answer() {
    let mut run = fixtures::head();
    let records = records(&scenarios()[0], 8);
    assert!(!shown(&run, &records).text.contains("openssl speed"));
    run.host.push(Fact::present("openssl-speed-aes-256-gcm", "1.10 GB/s at 1 KiB"));
    run.host.push(Fact::present("openssl-speed-chacha20-poly1305", "2.66 GB/s at 1 KiB"));
    let text = shown(&run, &records).text;
    let line = "`openssl speed`: AES 1.10, ChaCha20 2.66 GB/s: ciphermeter help openssl-speed";
    assert!(text.lines().any(|shown| shown == line), "{text}");
}

/// `b` is surely behind, and of `c` too little is known: it may be the fastest.
#[test]
fn library_of_which_nothing_is_known_leaves_the_fastest_open() {
    let of = |provider, ns| cell(provider, Algorithm::Aes256Gcm, Operation::Seal, 1024, ns);
    let with = |forks: usize| {
        let mut records = fixtures::records(&[of("a", 300.0), of("b", 450.0), of("c", 300.5)], 8);
        records[2].forks.truncate(forks);
        shown(&fixtures::head(), &records)
    };
    let (known, open) = (with(8), with(5));
    assert!(known.is_answered && known.text.contains("a and c are equal, 1.50× as fast as b"), "{}", known.text);
    assert!(!open.is_answered && open.text.contains("5 of 8 forks had enough"), "{}", open.text);
    assert!(open.text.contains("No answer yet: too little is known of c."), "{}", open.text);
}

#[test]
fn a_program_that_lets_you_choose_gets_its_line() {
    let tls = scenarios().into_iter().find(|scenario| scenario.name == "tls").unwrap();
    for name in ["nginx", "ssh"] {
        let scenario = Scenario { name: name.into(), ..tls.clone() };
        let run = Run { scenario, ..fixtures::head() };
        let answered = shown(&run, &records(&run.scenario, 8));
        assert!(answered.text.contains("Ciphers") && answered.text.contains("\nFor "), "{}", answered.text);
        let unanswered = shown(&run, &records(&run.scenario, 5));
        assert!(!unanswered.text.contains("\nFor "), "{}", unanswered.text);
    }
}

/// `a` is 10 % faster at 16 B and 10 % slower at 1 MiB.
#[test]
fn libraries_that_trade_places_are_named_with_their_sizes() {
    let at = |provider, message, ns| cell(provider, Algorithm::Aes256Gcm, Operation::Seal, message, ns);
    let cells = [at("a", 16, 100.0), at("b", 16, 110.0), at("a", 1 << 20, 110_000.0), at("b", 1 << 20, 100_000.0)];
    let text = screen(&fixtures::head(), &fixtures::records(&cells, 8), TableOptions::default()).text;
    let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("are equal. That is the mean over 2 cells: seal, 16 B to 1 MiB. By size, "), "{said}");
    assert!(said.contains("a is faster at 16 B") && said.contains("b at 1 MiB"), "{said}");
}
