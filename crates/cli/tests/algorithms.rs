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
fn message_longer_than_the_algorithm_has_is_refused_with_the_most() {
    let ask = ["--provider", "rustcrypto", "--operation", "seal", "--form", "in-place", "--message", "16MiB"];
    let said = TestFolder::new().run(&[&["run", "--algorithm", "aes-256-ccm", "--budget", "60s"], &ask[..]].concat());
    let most = "messages of aes-256-ccm have at most 16777215 bytes: with --message, name shorter ones";
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.code != Some(0) && words.contains(most), "{said:?}");
}

#[test]
fn message_that_is_no_sector_is_refused_with_those_that_are() {
    let ask = ["--provider", "rustcrypto", "--operation", "encrypt", "--form", "in-place", "--message", "100"];
    for cipher in ["aes-256-xts", "adiantum"] {
        let said = TestFolder::new().run(&[&["run", "--algorithm", cipher, "--budget", "60s"], &ask[..]].concat());
        let why = format!("messages of {cipher} are multiples of 16 bytes: with --message, name 512 or 4KiB, say");
        let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.code != Some(0) && words.contains(&why), "{said:?}");
    }
}

/// Files that may name a cipher: the table, providers, what a program or a file format has by its own design, and what the
/// method itself is made of.
const MAY_NAME_ONE: &[&str] = &[
    "crates/core/src/algorithm.rs",
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
