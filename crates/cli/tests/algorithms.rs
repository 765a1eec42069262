//! An algorithm is a row of one table: its export is committed, and little else names one.

use std::path::Path;

use crate::common::{TestFolder, source_files};

#[test]
fn committed_table_is_what_the_command_prints() {
    let said = TestFolder::new().run(&["list", "algorithms", "--json"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let committed = include_str!("../../../conformance/algorithms.json");
    assert!(said.out == committed, "ciphermeter list algorithms --json > conformance/algorithms.json");
}

#[test]
fn named_algorithm_is_listed_with_what_matters_to_a_choice() {
    let said = TestFolder::new().run(&["list", "algorithms", "AES-256-CCM", "adiantum"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "AES-256-CCM (aes-256-ccm): NIST SP 800-38C key of 32 bytes, nonce of 12, tag of 16, messages of at most 16777215 bytes.",
        "never reuse a nonce with the same key",
        "It does not commit to its key",
        "(Menda and others 2023)",
        "key of 32 bytes, nonce of 32, no tag: a change goes unnoticed, messages of whole blocks of 16 bytes, messages of at most 4096 bytes.",
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
    assert!(said.out.lines().all(|line| line.chars().count() <= 80), "{}", said.out);
    let unknown = TestFolder::new().run(&["list", "algorithms", "tea"]);
    assert!(unknown.code == Some(2) && unknown.err.contains("invalid value 'tea'"), "{unknown:?}");
}

#[test]
fn message_longer_than_the_algorithm_has_is_refused_with_the_most() {
    let ask = ["--provider", "rustcrypto", "--operation", "seal", "--form", "in-place", "--message", "16MiB"];
    let said = TestFolder::new().run(&[&["run", "--algorithm", "aes-256-ccm", "--budget", "60s"], &ask[..]].concat());
    let most = "messages of aes-256-ccm have at most 16777215 bytes: with --message, name shorter ones";
    assert!(said.code == Some(2) && said.err.contains(most), "{said:?}");
}

#[test]
fn message_that_is_no_sector_is_refused_with_those_that_are() {
    let ask = ["--provider", "rustcrypto", "--operation", "encrypt", "--form", "in-place", "--message", "100"];
    for cipher in ["aes-256-xts", "adiantum"] {
        let said = TestFolder::new().run(&[&["run", "--algorithm", cipher, "--budget", "60s"], &ask[..]].concat());
        let why = format!("messages of {cipher} are multiples of 16 bytes: with --message, name 512 or 4KiB, say");
        assert!(said.code == Some(2) && said.err.contains(&why), "{said:?}");
    }
}

/// Files that may name a cipher: the table, providers, what a program or a file format has by its own design, and what the
/// method itself is made of.
const MAY_NAME_ONE: &[&str] = &[
    "crates/core/src/algorithm.rs",
    "crates/core/src/algorithm/properties.rs",
    "crates/native/src/providers/",
    // Split messages are encrypted in counter mode.
    "crates/meter/src/kinds/parallel/",
    "crates/meter/src/truth.rs",
    "crates/native/src/split/",
    "crates/native/src/buffer_layout.rs",
    "crates/native/src/check.rs",
    "crates/native/src/stream.rs",
    "crates/native/src/ruler.rs",
    // The suites of transfers.
    "crates/transfer/src/suite.rs",
    // What the kernel encrypts disks and packets with.
    "crates/transfer-worker/src/disk/",
    "crates/transfer-worker/src/providers/mod.rs",
    "lab/src/",
];

#[test]
fn nothing_else_names_a_cipher() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let table = include_str!("../../core/src/algorithm.rs");
    let is_variant = |word: &str| {
        let row = format!("    {word} = \"");
        let found = table.find(&row).map(|at| &table[at..]);
        found.is_some_and(|row| !row.lines().next().unwrap_or_default().contains("CEILING")) && word != "Xor"
    };
    let mut found = Vec::new();
    for (file, text) in source_files(&root) {
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        let mut names = text
            .split("Algorithm::")
            .skip(1)
            .map(|rest| rest.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default());
        if !MAY_NAME_ONE.iter().any(|may| file.starts_with(may)) && names.any(is_variant) {
            found.push(file);
        }
    }
    assert!(found.is_empty(), "these files know a cipher that the table should: {found:?}");
}
