//! Instructions of a call, counted by valgrind's callgrind.

use std::path::PathBuf;

use ciphermeter_core::{Algorithm, Cell, Form, Operation, Parameters};
use ciphermeter_meter::{Callgrind, Source};
use ciphermeter_protocol::Command;

use crate::common::BINARY;

fn count(message: u64) -> u64 {
    let worker = ["worker", "native", "--provider", "rustcrypto"].map(String::from).to_vec();
    let source = Source::new("rustcrypto", "rustcrypto", Command::new(PathBuf::from(BINARY), worker));
    let cell = Cell {
        provider: "rustcrypto".into(),
        algorithm: Algorithm::ChaCha20Poly1305,
        operation: Operation::Seal,
        form: Form::InPlace,
        parameters: Parameters::message_cell(message, 0, 1),
    };
    Callgrind::new("valgrind".into()).count(&source, &cell, 1000.0, 7).expect("a count").instructions
}

#[test]
#[ignore = "deep: twenty seconds under valgrind"]
fn same_calls_count_the_same_and_longer_messages_more() {
    if std::process::Command::new("valgrind").arg("--version").output().is_err() {
        println!("skipped: there is no valgrind");
        return;
    }
    let short = count(64);
    assert_eq!(count(64), short, "it counts the same twice");
    assert!(count(16_384) > 2 * short, "{short}");
}
