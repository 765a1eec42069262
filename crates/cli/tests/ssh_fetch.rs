//! `recv HOST:PATH…`: what is on another machine comes, and nothing else.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use crate::common::ends::{End, bytes, commands, each, names, pasted, state};
use crate::common::ssh::Machines;
use crate::common::wait_until;

/// Some seconds at 1 MiB/s.
const SIZE: usize = 8 << 20;

/// With a folder on the other machine, and an empty one here.
fn machines() -> Machines {
    let machines = Machines::new();
    fs::create_dir_all(machines.0.path("there/photos/old")).expect("a folder");
    machines.0.write("there/photos/a b.jpg", "a picture");
    machines.0.write("there/photos/old/c.jpg", "another");
    symlink("old/c.jpg", machines.0.path("there/photos/link")).expect("a link");
    machines.0.write("there/notes", "words");
    fs::create_dir(machines.0.path("in")).expect("a folder");
    machines
}

#[test]
fn folders_and_files_are_fetched_without_a_question() {
    let machines = machines();
    let fetched = machines.fetch(&["--into", "in", "host:photos", "host:notes"]);
    assert_eq!(fetched.code, Some(0), "{fetched:?}");
    assert!(fetched.out.starts_with("received 4 files, "), "{fetched:?}");
    let into = machines.0.path("in");
    assert_eq!(names(&into), ["notes", "photos"]);
    assert_eq!(fs::read_to_string(into.join("photos/a b.jpg")).expect("a file"), "a picture");
    assert_eq!(fs::read_link(into.join("photos/link")).expect("a link").to_str(), Some("old/c.jpg"));
    assert_eq!(machines.calls(), ["host"]);
    wait_until("no process is left", || machines.0.processes().is_empty());
}

#[test]
fn odd_paths_are_not_read_by_a_shell() {
    let machines = machines();
    for path in ["$(touch x)", "'; touch x; '", "a  b", "-n"] {
        machines.0.write(&format!("there/{path}"), path);
        let fetched = machines.fetch(&["--into", "in", "--quiet", &format!("host:{path}")]);
        assert_eq!(fetched.code, Some(0), "{path}: {fetched:?}");
        assert_eq!(fs::read_to_string(machines.0.path("in").join(path)).expect("a file"), path);
    }
    assert!(!machines.0.path("there/x").exists());
}

#[test]
fn what_cannot_be_fetched_is_said() {
    let machines = machines();
    machines.0.write("in/notes", "mine");
    for (arguments, code, words) in [
        (&["host:missing"][..], 5, &["host refuses", "missing", "No such file"][..]),
        (&["notes"], 2, &["is a path of this machine", "HOST:PATH"]),
        (&["host:notes", "other:notes"], 2, &["one host at a time"]),
        (&["host:notes", "--listen", "127.0.0.1"], 2, &["cannot be used with"]),
        (&["--port", "4100"], 2, &["HOST:PATH"]),
        (&["host:notes", "--into", "in"], 5, &["notes exists in the receiving folder", "--existing"]),
        (&["host:notes", "--into", "in", "--resume"], 2, &["no unfinished transfer in in"]),
    ] {
        let fetched = machines.fetch(arguments);
        let said = fetched.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(fetched.code, Some(code), "{arguments:?}: {fetched:?}");
        words.iter().for_each(|word| assert!(said.contains(word), "{arguments:?}: no {word} in {said}"));
    }
    assert_eq!(fs::read_to_string(machines.0.path("in/notes")).expect("a file"), "mine");
    let fetched = machines.fetch(&["host:notes", "--into", "in", "--existing", "rename", "--quiet"]);
    assert_eq!(fetched.code, Some(0), "{fetched:?}");
    assert_eq!(fs::read_to_string(machines.0.path("in/notes-1")).expect("a file"), "words");
}

#[test]
fn what_was_left_out_there_is_named_here() {
    let machines = machines();
    machines.0.write("there/photos/two\nlines", "x");
    machines.0.write("there/photos/a.tmp", "x");
    let fetched = machines.fetch(&["--into", "in", "--exclude", "*.tmp", "host:photos"]);
    assert_eq!(fetched.code, Some(5), "{fetched:?}");
    let said = fetched.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("NOT sent: ") && said.contains("two\\nlines") && said.contains("U+000A"), "{said}");
    assert_eq!(names(&machines.0.path("in/photos")), ["a b.jpg", "link", "old"]);
}

/// The other end answers with what was not asked for: without a terminal, nobody can accept it.
#[test]
fn other_names_than_those_asked_for_are_refused_where_they_are_hidden() {
    let machines = machines();
    fs::create_dir(machines.0.path("there/dots")).expect("a folder");
    machines.0.write("there/dots/.bashrc", "evil");
    // The sender there is asked for `dots/.bashrc` instead.
    let machines = machines.with_ssh(r#"exec sed -u 's/"notes"/"dots\/.bashrc"/' | sh -c "$*""#);
    let fetched = machines.fetch(&["--into", "in", "host:notes"]);
    assert_eq!(fetched.code, Some(5), "{fetched:?}");
    assert!(fetched.err.contains(".bashrc"), "{fetched:?}");
    assert!(names(&machines.0.path("in")).is_empty());
}

#[test]
fn killed_fetch_resumes_where_it_was() {
    let machines = machines();
    let content = bytes(1, SIZE);
    machines.0.write("there/big", &content);
    let fetch = machines.fetches(&["--into", "in", "--quiet", "--limit", "1MiB", "--patience", "5s", "host:big"]);
    let mut first = End::start(&machines.0, "first", fetch);
    wait_until("something is recorded", || {
        assert!(!first.is_over(), "{:?}", first.said());
        let is_recorded =
            |folder: std::path::PathBuf| fs::metadata(folder.join("journal")).is_ok_and(|about| about.len() > 0);
        state(&machines.0.path("in")).is_some_and(is_recorded)
    });
    first.kill();
    wait_until("no process is left", || machines.0.processes().is_empty());
    let alone = machines.0.run(&["recv", "--resume", "--yes", "--into", "in"]);
    assert!(alone.err.contains("came through ssh"), "{alone:?}");
    let kept = machines.0.run(&["recv", "--unfinished", "--into", "in"]);
    let (_, command) = kept.out.split_once("  resume, with the options for ssh that began it: ").expect("a command");
    let command = pasted(command.lines().next().expect("a line"));
    // Without its first word, `recv`, as that and the option for ssh are written here.
    let again = machines.fetch(&[&each(&command)[1..], &["--json"]].concat());
    assert_eq!(again.code, Some(0), "{again:?}");
    let sent: usize =
        again.out.split_once("\"bytes\":").and_then(|(_, rest)| rest.split(',').next()?.parse().ok()).expect("bytes");
    assert!(sent < SIZE, "{again:?}");
    assert!(fs::read(machines.0.path("in/big")).expect("the file") == content);
    assert_eq!(names(&machines.0.path("in")), ["big"]);
}

#[test]
fn interrupt_ends_both_ends_at_once() {
    let machines = machines();
    machines.0.write("there/big", bytes(1, SIZE));
    // With a patience that no test has.
    let fetch = ["--into", "in", "--limit", "1MiB", "--patience", "10min", "host:big"];
    let receiver = End::start(&machines.0, "recv", machines.fetches(&fetch));
    wait_until("it moves", || state(&machines.0.path("in")).is_some());
    assert!(Command::new("kill").args(["-INT", &receiver.id().to_string()]).status().expect("kill").success());
    let said = receiver.ended();
    assert_eq!(said.code, Some(130), "{said:?}");
    wait_until("no process is left", || machines.0.processes().is_empty());
    assert!(!said.err.contains("again"), "nothing is done again: {}", said.err);
    let [again] = &commands(&said.err)[..] else { panic!("{}", said.err) };
    let again = machines.0.run(&each(again));
    assert_eq!(again.code, Some(0), "{again:?}");
}
