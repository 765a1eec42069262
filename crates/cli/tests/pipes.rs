//! `send -` and `recv -` as processes.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};

use crate::common::ends::{bytes, names};
use crate::common::{CommandOutput, TestFolder, wait_until};

const INCOMPLETE: &str = "the stream is incomplete: do not use what was written";

/// A `recv -` whose output goes to a file or a process, and its ticket in a file.
fn receiver(folder: &TestFolder, to: impl Into<Stdio>, arguments: &[&str]) -> Child {
    let mut command = folder.ciphermeter(&["recv", "-", "--yes", "--ticket-file", "ticket"]);
    let child = command.args(arguments).stdout(to).stderr(Stdio::piped()).spawn().expect("the harness starts");
    wait_until("the ticket", || fs::read_to_string(folder.path("ticket")).is_ok_and(|text| text.ends_with('\n')));
    child
}

fn sender(folder: &TestFolder, from: impl Into<Stdio>, arguments: &[&str]) -> Command {
    let mut command = folder.ciphermeter(&["send", "-", "--ticket-file", "ticket"]);
    command.args(arguments).stdin(from).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn ended(child: Child) -> CommandOutput {
    CommandOutput::of(child.wait_with_output().expect("its output"))
}

fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn tar_goes_through() {
    let folder = TestFolder::new();
    folder.write("from/deep/a", bytes(1, 700_000));
    folder.write("from/b", "text");
    fs::create_dir(folder.path("to")).expect("a folder");
    let tar = |arguments: &[&str]| {
        let mut command = Command::new("tar");
        command.args(arguments).current_dir(folder.path("."));
        command
    };
    let mut unpack = tar(&["x", "-C", "to"]).stdin(Stdio::piped()).spawn().expect("tar");
    let receive = receiver(&folder, unpack.stdin.take().expect("its input"), &[]);
    let mut pack = tar(&["c", "-C", "from", "."]).stdout(Stdio::piped()).spawn().expect("tar");
    let sent = ended(sender(&folder, pack.stdout.take().expect("its output"), &[]).spawn().expect("the harness"));
    let received = ended(receive);
    assert!(pack.wait().expect("its end").success() && unpack.wait().expect("its end").success());
    assert_eq!((sent.code, received.code), (Some(0), Some(0)), "{sent:?} {received:?}");
    assert!(sent.out.starts_with("sent a stream, "), "{}", sent.out);
    assert!(!unwrapped(&sent.out).contains("on disk"), "{}", sent.out);
    let said = unwrapped(&received.err);
    assert!(said.contains("Receiving a stream of unknown length, for standard output. received a stream, "), "{said}");
    assert_eq!(fs::read(folder.path("to/deep/a")).expect("a file"), bytes(1, 700_000));
    assert_eq!(names(&folder.path("to")), ["b", "deep"]);
    assert!(names(&folder.path("state/ciphermeter/sending")).is_empty());
}

/// Standard output has the data and nothing else, also with `--json`, and where the ticket is printed.
#[test]
fn standard_output_has_only_the_data() {
    let folder = TestFolder::new();
    folder.write("data", bytes(2, 3_000_000));
    let out = File::create(folder.path("out")).expect("a file");
    let err = File::create(folder.path("err")).expect("a file");
    let mut command = folder.ciphermeter(&["recv", "-", "--yes", "--json"]);
    let mut receive = command.stdout(out).stderr(err).spawn().expect("the harness starts");
    let said = || fs::read_to_string(folder.path("err")).expect("UTF-8");
    let ticket = || said().lines().find(|line| line.starts_with("cm1.")).map(str::to_owned);
    wait_until("the ticket", || ticket().is_some() && said().ends_with('\n'));
    let mut send = folder.ciphermeter(&["send", "data", "--json", &ticket().expect("a ticket")]);
    let sent = CommandOutput::of(send.output().expect("its output"));
    assert_eq!((sent.code, receive.wait().expect("its end").code()), (Some(0), Some(0)), "{sent:?} {}", said());
    assert!(fs::read(folder.path("out")).expect("a file") == bytes(2, 3_000_000));
    let summary = said().lines().last().expect("a line").to_owned();
    assert!(summary.starts_with(r#"{"is":"received","files":1,"bytes":3000000,"#), "{summary}");
}

#[test]
fn killed_sender_leaves_no_success() {
    let folder = TestFolder::new();
    let out = File::create(folder.path("out")).expect("a file");
    let receive = receiver(&folder, out, &["--quiet"]);
    let mut send = sender(&folder, Stdio::piped(), &["--quiet"]).spawn().expect("the harness starts");
    let mut input = send.stdin.take().expect("its input");
    input.write_all(b"the beginning").expect("room");
    wait_until("the beginning", || fs::read(folder.path("out")).is_ok_and(|text| text == b"the beginning"));
    send.kill().expect("it runs");
    send.wait().expect("its end");
    let received = ended(receive);
    assert_eq!(received.code, Some(5), "{received:?}");
    assert!(unwrapped(&received.err).ends_with(INCOMPLETE), "{received:?}");
    assert!(!received.err.contains("--resume"), "{received:?}");
}

#[test]
fn killed_receiver_ends_a_sender_that_waits_for_its_input() {
    let folder = TestFolder::new();
    let mut receive = receiver(&folder, Stdio::piped(), &["--quiet"]);
    let mut send = sender(&folder, Stdio::piped(), &["--quiet"]).spawn().expect("the harness starts");
    let mut input = send.stdin.take().expect("its input");
    input.write_all(b"x").expect("room");
    std::io::Read::read_exact(receive.stdout.as_mut().expect("its output"), &mut [0]).expect("a byte");
    receive.kill().expect("it runs");
    receive.wait().expect("its end");
    let sent = ended(send);
    assert_eq!(sent.code, Some(5), "{sent:?}");
    assert!(unwrapped(&sent.err).ends_with("a stream is not resumed: begin again at both ends"), "{sent:?}");
    drop(input);
}

#[test]
fn reader_that_has_heard_enough_ends_both() {
    let folder = TestFolder::new();
    let mut head =
        Command::new("head").args(["-c", "3"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("head");
    let receive = receiver(&folder, head.stdin.take().expect("its input"), &["--quiet"]);
    let sent = ended(sender(&folder, File::open("/dev/zero").expect("it"), &["--quiet"]).spawn().expect("the harness"));
    let received = ended(receive);
    assert_eq!(ended(head).out, "\0\0\0");
    assert_eq!((sent.code, received.code), (Some(5), Some(5)), "{sent:?} {received:?}");
    assert!(unwrapped(&received.err).contains("standard output was closed"), "{received:?}");
    assert!(!received.err.contains("panicked"), "{received:?}");
    assert!(sent.err.contains("the program that reads from the receiver has ended"), "{sent:?}");
}

#[test]
fn what_goes_nowhere_is_refused_on_both_ends() {
    let folder = TestFolder::new();
    folder.write("file", "text");
    let receive = receiver(&folder, Stdio::piped(), &["--quiet"]);
    let sent = folder.run(&["send", "--quiet", "file", "tiny.toml", "--ticket-file", "ticket"]);
    let received = ended(receive);
    for said in [&sent, &received] {
        assert_eq!((said.code, said.out.as_str()), (Some(5), ""), "{said:?}");
        assert!(unwrapped(&said.err).contains("takes one stream or one file"), "{said:?}");
    }
    let mut command = folder.ciphermeter(&["recv", "--yes", "--quiet", "--ticket-file", "ticket", "--into", "."]);
    let receive = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the harness starts");
    wait_until("the ticket", || fs::read_to_string(folder.path("ticket")).is_ok_and(|text| text.ends_with('\n')));
    let input = File::open(folder.path("file")).expect("a file");
    let sent = ended(sender(&folder, input, &["--quiet"]).spawn().expect("the harness"));
    // A command that the other end names does not look like one of ours.
    let (ours, theirs) =
        ("receive it with `ciphermeter recv - > FILE`", "receive it with 'ciphermeter recv - > FILE'\"");
    for (said, words) in [(ended(receive), ours), (sent, theirs)] {
        assert_eq!((said.code, said.out.as_str()), (Some(5), ""), "{said:?}");
        assert!(unwrapped(&said.err).contains(words), "{said:?}");
    }
}

#[test]
fn arguments_that_mean_nothing_for_a_pipe_are_refused() {
    let folder = TestFolder::new();
    folder.write("ticket", format!("cm1.{}@127.0.0.1:1\n", "A".repeat(64)));
    fs::set_permissions(folder.path("ticket"), fs::Permissions::from_mode(0o600)).expect("chmod");
    for (arguments, words) in [
        (&["send", "-", "host:inbox"][..], ["not through ssh", "ciphermeter recv - > FILE"]),
        (&["send", "-", "tiny.toml"], ["is sent alone", "./-"]),
        (&["send", "tiny.toml", "-", "--ticket-file", "ticket"], ["is sent alone", "./-"]),
        (&["send", "-", "-"], ["is sent alone", "./-"]),
        (&["send", "-", "--ticket-file", "ticket", "--exclude", "x"], ["--exclude", "`send -`"]),
        (&["send", "-", "--ticket-file", "ticket", "--streams", "2"], ["--streams", "`send -`"]),
        (&["recv", "-"], ["without a terminal", "use --yes"]),
        (&["recv", "-", "--yes", "--resume"], ["a stream is not resumed", "without --resume"]),
        (&["recv", "-", "--yes", "--into", "x"], ["--into", "`recv -`"]),
        (&["recv", "-", "--yes", "--discard"], ["--discard", "`recv -`"]),
        (&["recv", "-", "--yes", "--exclude", "x"], ["--exclude", "`recv -`"]),
        (&["recv", "-", "--yes", "--streams", "2"], ["--streams", "`recv -`"]),
        (&["recv", "-", "host:x"], ["from a sender that comes", "nothing else"]),
        (&["recv", "host:x", "-"], ["from a sender that comes", "nothing else"]),
    ] {
        let said = folder.run(arguments);
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{arguments:?}: {said:?}");
        for word in words {
            assert!(said.err.contains(word), "{arguments:?}: no {word:?} in {}", said.err);
        }
    }
}

#[test]
fn help_says_that_a_stream_is_not_resumed() {
    let folder = TestFolder::new();
    let send = unwrapped(&folder.run(&["send", "--help"]).out);
    assert!(send.contains("tar c . | ciphermeter send -") && send.contains("A stream is not resumed"), "{send}");
    let recv = unwrapped(&folder.run(&["recv", "--help"]).out);
    assert!(recv.contains("writes it to standard output") && recv.contains("only if the exit code is 0"), "{recv}");
}
