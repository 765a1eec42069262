//! `--cpu`: simulating a CPU that lacks instructions. The bad worker's folder gets a switch of its own, and built-in
//! providers have theirs.

use crate::common::TestFolder;
use std::fs;

/// A scenario with an AES mode, as the harness's own providers have switches for.
const AES: &str = r#"name = "aes"
title = "one AES mode"
budget = "2s"
precision = "50%"
[[cells]]
algorithms = ["aes-256-gcm", "chacha20-poly1305"]
operations = ["seal"]
messages = ["1KiB"]
"#;

#[test]
fn provider_without_a_switch_is_excluded_with_the_reason_and_chacha20_stays() {
    let folder = TestFolder::new();
    folder.write("aes.toml", AES);
    let said = folder.run(&["run", "aes.toml", "--cpu", "no-aes", "--provider", "aws-lc,ring", "--json", "-"]);
    assert!(matches!(said.code, Some(0 | 5)), "measured, but two seconds need not decide anything: {said:?}");
    let json = said.json();
    assert_eq!(json["run"]["mask"], "no-aes");
    let measured: Vec<String> = json["records"]
        .as_array()
        .expect("records")
        .iter()
        .map(|record| format!("{} {}", record["provider"], record["algorithm"]).replace('"', ""))
        .collect();
    assert!(measured.contains(&"ring chacha20-poly1305".to_string()), "{measured:?}");
    assert!(!measured.contains(&"ring aes-256-gcm".to_string()), "{measured:?}");
    assert!(measured.iter().all(|cell| !cell.starts_with("ceiling")), "{measured:?}");
    let notes = json["run"]["notes"].to_string();
    assert!(notes.contains("ring: aes-256-gcm excluded under --cpu no-aes: "), "{notes}");
    // On a CPU that lacks the instructions anyway, nothing changes and no provider is excluded.
    if cfg!(target_arch = "x86_64") {
        assert!(notes.contains("aws-lc does without AES and carry-less multiplication instructions: "), "{notes}");
        let path = |record: &serde_json::Value| record["path"].as_str().map(String::from);
        let gcm = |record: &&serde_json::Value| record["algorithm"] == "aes-256-gcm";
        let records = json["records"].as_array().expect("records");
        assert!(records.iter().filter(gcm).all(|record| path(record).is_some_and(|path| !path.contains("aes"))));
    }
}

#[test]
fn switch_without_effect_is_no_proof() {
    let folder = TestFolder::new().with_worker("honest");
    let manifest = fs::read_to_string(folder.path("workers/bad/worker.toml")).expect("the manifest");
    let switch = "[[cpu]]\nproviders = [\"bad\"]\nwithout = \"avx2\"\nenvironment = { NO_SUCH = \"1\" }\n";
    folder.write("workers/bad/worker.toml", format!("{manifest}{switch}"));
    // `soft` uses no vectors that could be disabled.
    let said = folder.run(&["run", "tiny.toml", "--cpu", "no-avx2", "--provider", "bad"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("AVX2"), "the table says for which CPU: {}", said.out);
}

#[test]
fn invalid_cpu_options_are_refused() {
    let folder = TestFolder::new();
    let said = folder.run(&["run", "tiny.toml", "--cpu", "no-math"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("no-aes, no-vaes, no-avx512, no-avx2"), "{said:?}");
    let said = folder.run(&["run", "tiny.toml", "--cpu", "no-aes", "--against", "x"]);
    assert_eq!(said.code, Some(2), "{said:?}");
}
