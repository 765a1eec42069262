//! `send` and `recv` whose standard streams are closed or cannot be written.

use std::fs::{self, File, OpenOptions};
use std::process::{Command, Stdio};

use crate::common::{BINARY, CommandOutput, TestFolder, wait_until};

fn full() -> File {
    OpenOptions::new().write(true).open("/dev/full").expect("/dev/full")
}

/// `/dev/full` refuses every byte.
#[test]
fn remarks_that_cannot_be_written_end_nothing() {
    if !cfg!(target_os = "linux") {
        return println!("skipped: this system has no /dev/full");
    }
    let folder = TestFolder::new();
    folder.write("file", "text");
    let ticket = folder.path("ticket");
    let mut receiver = folder.ciphermeter(&["recv", "--yes", "--into", "in", "--ticket-file", "ticket"]);
    let receiver = receiver.stdout(Stdio::piped()).stderr(full()).spawn().expect("the harness starts");
    wait_until("the ticket", || fs::read_to_string(&ticket).is_ok_and(|text| text.ends_with('\n')));
    let mut sender = folder.ciphermeter(&["send", "file", "--ticket-file", "ticket"]);
    let sent = sender.stdout(Stdio::null()).stderr(full()).status().expect("its end");
    let received = CommandOutput::of(receiver.wait_with_output().expect("its output"));
    assert_eq!((sent.code(), received.code), (Some(0), Some(0)), "{received:?}");
    assert_eq!(fs::read_to_string(folder.path("in/file")).expect("the file"), "text");
    let wrong = folder.ciphermeter(&["send", "--wrong"]).stderr(full()).status().expect("its end");
    assert_eq!(wrong.code(), Some(2));
}

#[test]
fn signal_ends_a_receiver_whose_remarks_cannot_be_written() {
    if !cfg!(target_os = "linux") {
        return println!("skipped: this system has no /dev/full");
    }
    for signal in ["-INT", "-TERM"] {
        let folder = TestFolder::new();
        let mut receiver = folder.ciphermeter(&["recv", "--yes", "--ticket-file", "ticket"]);
        let mut receiver = receiver.stdout(Stdio::null()).stderr(full()).spawn().expect("the harness starts");
        wait_until("the ticket", || folder.path("ticket").exists());
        assert!(Command::new("kill").args([signal, &receiver.id().to_string()]).status().expect("kill").success());
        assert_eq!(receiver.wait().expect("its end").code(), Some(130));
        assert!(!folder.path("ticket").exists(), "nobody listens for it any more");
    }
}

/// Rust opens /dev/null in place of a closed stream: what was written there would be lost, and called received.
#[test]
fn closed_stream_is_no_pipe() {
    let folder = TestFolder::new();
    for (line, words) in [
        ("recv - --yes --ticket-file t >&-", "standard output is closed"),
        ("send - --ticket-file t <&-", "standard input is closed"),
    ] {
        let mut shell = Command::new("sh");
        let ended = shell.args(["-c", &format!("exec {BINARY} {line}")]).current_dir(folder.path(".")).output();
        let said = CommandOutput::of(ended.expect("its output"));
        assert_eq!(said.code, Some(2), "{line}: {said:?}");
        assert!(said.err.contains(words), "{line}: {said:?}");
    }
    let mut shell = Command::new("sh");
    let ended =
        shell.args(["-c", &format!("exec {BINARY} send - --ticket-file t </dev/null")]).current_dir(folder.path("."));
    let said = CommandOutput::of(ended.output().expect("its output"));
    assert!(said.err.contains("cannot read the ticket"), "an empty input is one: {said:?}");
}
