//! `send FILE… HOST:FOLDER` that is cut off: nothing stays behind, and it can be resumed.

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::common::ends::{End, bytes, commands, each, names, pasted, state};
use crate::common::ssh::Machines;
use crate::common::wait_until;

/// Some seconds at 1 MiB/s.
const SIZE: usize = 8 << 20;

fn with_file() -> (Machines, Vec<u8>) {
    let (machines, content) = (Machines::new(), bytes(1, SIZE));
    machines.0.write("file", &content);
    (machines, content)
}

/// A sender whose first bytes are on the other machine's disk.
fn half_way(machines: &Machines, name: &str, adapt: impl FnOnce(&mut Command)) -> End {
    let mut command = machines.sends(&["--quiet", "--limit", "1MiB", "--patience", "5s", "file", "host:in"]);
    adapt(&mut command);
    let mut sender = End::start(&machines.0, name, command);
    wait_until("something is recorded", || {
        assert!(!sender.is_over(), "{:?}", sender.said());
        let journal =
            |folder: std::path::PathBuf| fs::metadata(folder.join("journal")).is_ok_and(|about| about.len() > 0);
        state(&machines.0.path("there/in")).is_some_and(journal)
    });
    sender
}

fn nobody_is_left(machines: &Machines) {
    wait_until("no process is left", || machines.0.processes().is_empty());
}

fn has_arrived(machines: &Machines, content: &[u8]) {
    assert!(fs::read(machines.0.path("there/in/file")).expect("the file") == content);
    assert_eq!(names(&machines.0.path("there/in")), ["file"]);
    assert!(names(&machines.0.path("state/ciphermeter/sending")).is_empty());
    nobody_is_left(machines);
}

#[test]
fn killed_sender_resumes_through_ssh_once_the_other_end_is_gone() {
    let (machines, content) = with_file();
    half_way(&machines, "send", |_| {}).kill();
    nobody_is_left(&machines);
    let kept = machines.0.run(&["recv", "--unfinished", "--into", "there/in"]);
    let (_, command) = kept.out.split_once("  resume, on the sender: ").expect("a command");
    let command = pasted(command.lines().next().expect("a line"));
    let said = machines.0.run(&[&each(&command)[..], &["--quiet"]].concat());
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
    assert!(said.out.starts_with("sent 1 file, "), "{said:?}");
    assert_eq!(machines.calls(), ["host", "host"], "the stored command was run again");
    has_arrived(&machines, &content);
}

#[test]
fn killed_sender_resumes_while_the_other_end_waits() {
    let (machines, content) = with_file();
    half_way(&machines, "send", |_| {}).kill();
    let said = machines.0.run(&["send", "--resume", "--quiet"]);
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
    assert!(machines.calls().len() <= 2);
    has_arrived(&machines, &content);
}

/// The terminal's Ctrl-C goes to all processes of its group. The program here carries bytes, as ssh does, and would end.
#[test]
fn interrupt_ends_both_ends_at_once() {
    let (machines, content) = with_file();
    let machines = machines.with_ssh(r#"cat | setsid sh -c "$*""#);
    // With a patience that no test has.
    let sender = half_way(&machines, "send", |command| {
        *command = machines.sends(&["--quiet", "--limit", "1MiB", "--patience", "10min", "file", "host:in"]);
        command.process_group(0);
    });
    let group = format!("-{}", sender.id());
    assert!(Command::new("kill").args(["-INT", "--", &group]).status().expect("kill").success());
    let said = sender.ended();
    assert_eq!((said.code, said.out.as_str()), (Some(130), ""), "{said:?}");
    let [again] = &commands(&said.err)[..] else { panic!("{}", said.err) };
    nobody_is_left(&machines);
    let said = machines.with_ssh(r#"exec sh -c "$*""#);
    let again = said.0.run(&each(again));
    assert_eq!(again.code, Some(0), "{again:?}");
    has_arrived(&said, &content);
}

/// ssh may wait for a password, and nothing can be sent then.
#[test]
fn interrupt_before_there_is_an_answer_ends_ssh() {
    let (machines, _) = with_file();
    let machines = machines.with_ssh("exec sleep 1000");
    let sender = End::start(&machines.0, "send", machines.sends(&["--quiet", "file", "host:in"]));
    wait_until("ssh is called", || !machines.calls().is_empty());
    assert!(Command::new("kill").args(["-INT", &sender.id().to_string()]).status().expect("kill").success());
    let said = sender.ended();
    assert_eq!((said.code, said.err.matches("ciphermeter: ").count()), (Some(130), 1), "{said:?}");
    assert!(said.err.contains("interrupted"), "{said:?}");
    nobody_is_left(&machines);
}

/// Neither in one direction nor in the other.
#[test]
fn ssh_that_says_nothing_is_named_and_has_an_end() {
    let (machines, _) = with_file();
    let machines = machines.with_ssh("exec sleep 1000");
    for command in [
        machines.sends(&["--patience", "1s", "file", "host:in"]),
        machines.fetches(&["--patience", "1s", "host:file", "--into", "."]),
    ] {
        let said = End::start(&machines.0, "silent", command).ended();
        assert_eq!((said.code, said.out.as_str()), (Some(5), ""), "{said:?}");
        let [waits, ends] = said.err.lines().collect::<Vec<_>>()[..] else { panic!("{}", said.err) };
        assert!(waits.contains("waiting for ssh host to answer"), "{waits}");
        assert!(ends.contains("host did not answer within 1s") && ends.contains("--patience"), "{ends}");
    }
    nobody_is_left(&machines);
}

#[test]
fn transfer_that_lacked_only_names_is_done() {
    let (machines, _) = with_file();
    half_way(&machines, "send", |_| {}).kill();
    nobody_is_left(&machines);
    let machines = machines.with_ssh(r#"echo 'ciphermeter-ssh 1 {"done":{"files":1,"failed":0}}'"#);
    let said = machines.0.run(&["send", "--resume", "--quiet"]);
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
    assert_eq!(said.out, "sent 1 file: all had arrived before, and are in their places now\n");
    assert!(names(&machines.0.path("state/ciphermeter/sending")).is_empty());
}

#[test]
fn several_unfinished_sends_are_listed_by_their_places() {
    let (machines, _) = with_file();
    half_way(&machines, "send", |_| {}).kill();
    nobody_is_left(&machines);
    fs::rename(machines.0.path("there/in"), machines.0.path("there/first")).expect("rename");
    half_way(&machines, "again", |_| {}).kill();
    nobody_is_left(&machines);
    let said = machines.0.run(&["send", "--resume"]);
    let listed = |words: &str| said.err.matches(words).count();
    assert_eq!((said.code, listed(", to host:in: \""), listed("/file\"\n")), (Some(2), 2, 2), "{said:?}");
    // Both are in one folder now, and each resumes its own.
    for name in names(&machines.0.path("there/first")) {
        fs::rename(machines.0.path("there/first").join(&name), machines.0.path("there/in").join(&name))
            .expect("rename");
    }
    let number = said.err.split("--resume=").nth(1).expect("a number")[..8].to_owned();
    let other = said.err.split("--resume=").nth(2).expect("a number")[..8].to_owned();
    let one = machines.0.run(&["send", "--quiet", &format!("--resume={number}")]);
    assert_eq!(one.code, Some(0), "{one:?}");
    // The name is taken now.
    let two = machines.0.run(&["send", "--quiet", &format!("--resume={other}")]);
    assert!(two.code == Some(5) && two.out.contains("NOT sent") || two.err.contains("exists"), "{two:?}");
}

#[test]
fn transfer_that_is_not_there_any_more_is_refused() {
    let (machines, _) = with_file();
    half_way(&machines, "send", |_| {}).kill();
    nobody_is_left(&machines);
    fs::remove_dir_all(state(&machines.0.path("there/in")).expect("its state")).expect("removed");
    let said = machines.0.run(&["send", "--resume", "--quiet"]);
    assert_eq!(said.code, Some(5), "{said:?}");
    assert!(said.err.contains("host refuses: \"there is no such unfinished transfer"), "{}", said.err);
    nobody_is_left(&machines);
}

#[test]
fn connection_that_ssh_loses_is_no_end_of_the_transfer() {
    let (machines, content) = with_file();
    // It carries the request, and ends while the data goes its own way.
    let carries = r#"read -r blank; read -r line; { echo "$line"; sleep 1; } | sh -c "$*" & sleep 1; exit 255"#;
    let machines = machines.with_ssh(carries);
    let said = machines.send(&["--quiet", "--limit", "1MiB", "--patience", "5s", "file", "host:in"]);
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
    has_arrived(&machines, &content);
}
