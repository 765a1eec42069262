//! What `lab` says of its arguments. That a test starts the program also makes `cargo test` build it, for the tests of
//! `tests/system`.

use std::process::{Command, Output};

fn lab(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lab")).args(arguments).output().unwrap()
}

#[test]
fn help_names_the_parts() {
    let said = lab(&["--help"]);
    let text = String::from_utf8(said.stdout).unwrap();
    assert!(said.status.success(), "{text}");
    for part in ["plain", "cost", "copies", "against", "transfer"] {
        assert!(text.lines().any(|line| line.trim_start().starts_with(part)), "{part}: {text}");
    }
}

#[test]
fn missing_binary_is_named() {
    let said = lab(&["--binary", "/nonexistent/ciphermeter", "split"]);
    let text = String::from_utf8(said.stderr).unwrap();
    assert_eq!(said.status.code(), Some(1), "{text}");
    assert!(text.starts_with("lab: ") && text.contains("/nonexistent/ciphermeter"), "{text}");
}

#[test]
fn unknown_part_is_refused() {
    assert_eq!(lab(&["everything"]).status.code(), Some(2));
}
