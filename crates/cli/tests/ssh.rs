//! `send FILE… HOST:FOLDER` as a user sees it, through a program that plays ssh: what arrives, and what is refused.

use std::fs;

use crate::common::ends::{bytes, names, own_address};
use crate::common::ssh::Machines;
use crate::common::{CommandOutput, wait_until};
use serde_json::Value;

/// It failed with this code and one error, which has all of these words; nothing on standard output.
#[track_caller]
fn fails(said: &CommandOutput, code: i32, words: &[&str]) {
    let own: Vec<_> = said.err.lines().filter(|line| line.starts_with("ciphermeter: ")).collect();
    assert_eq!((said.code, said.out.as_str(), own.len()), (Some(code), "", 1), "{said:?}");
    assert!(!said.err.contains("panicked"), "{}", said.err);
    for word in words {
        assert!(own[0].contains(word), "no {word:?} in {}", said.err);
    }
}

#[track_caller]
fn succeeds(machines: &Machines, said: &CommandOutput) {
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
    nothing_is_left(machines);
}

/// Here and there.
fn nothing_is_left(machines: &Machines) {
    wait_until("no process is left", || machines.0.processes().is_empty());
}

#[test]
fn folder_is_moved() {
    let machines = Machines::new();
    let content = bytes(1, 3_000_000);
    machines.0.write("photos/big", &content);
    machines.0.write("photos/.hidden", "text");
    machines.0.write("note", "text");
    fs::create_dir(machines.0.path("photos/empty")).expect("a folder");
    let said = machines.send(&["photos", "note", "me@host:in"]);
    succeeds(&machines, &said);
    assert_eq!(said.out.matches("sent 3 files").count(), 1, "{}", said.out);
    assert!(!said.out.contains("received"), "{}", said.out);
    assert_eq!(machines.calls(), ["me@host"]);
    assert_eq!(names(&machines.0.path("there/in")), ["note", "photos"]);
    assert_eq!(names(&machines.0.path("there/in/photos")), [".hidden", "big", "empty"]);
    assert!(fs::read(machines.0.path("there/in/photos/big")).expect("the file") == content);
    assert!(names(&machines.0.path("state/ciphermeter/sending")).is_empty());
}

#[test]
fn home_folder_absolute_folder_and_hidden_name() {
    let machines = Machines::new();
    machines.0.write(".bashrc", "mine");
    machines.0.write("a", "text");
    succeeds(&machines, &machines.send(&["--quiet", ".bashrc", "host:"]));
    assert_eq!(machines.there(".bashrc"), "mine");
    let absolute = format!("host:{}", machines.0.path("there/deep").display());
    succeeds(&machines, &machines.send(&["--quiet", "a", &absolute]));
    succeeds(&machines, &machines.send(&["--quiet", "a", "host:~/other"]));
    assert_eq!((machines.there("deep/a").as_str(), machines.there("other/a").as_str()), ("text", "text"));
}

#[test]
fn name_of_the_folder_reaches_no_shell() {
    let machines = Machines::new();
    machines.0.write("a", "text");
    for folder in
        ["two words", "$(touch x)", "it's", "a;touch x", "\"q\"", "-rf", "*", "a\\b", "`touch x`", "ü\u{202e}", "a:b"]
    {
        succeeds(&machines, &machines.send(&["--quiet", "a", &format!("host:{folder}")]));
        assert_eq!(fs::read_to_string(machines.0.path("there").join(folder).join("a")).expect(folder), "text");
    }
    assert!(!machines.0.path("there/x").exists() && !machines.0.path("x").exists());
}

#[test]
fn existing_folder_is_filled_only_where_it_is_said_and_existing_file_is_not_overwritten() {
    let machines = Machines::new();
    machines.0.write("d/a", "text");
    machines.0.write("there/in/d/b", "theirs");
    let said = machines.send(&["--quiet", "d", "host:in"]);
    fails(
        &said,
        5,
        &["the other end refuses", "d exists in the receiving folder, and nothing is added to it", "--existing"],
    );
    assert_eq!(names(&machines.0.path("there/in/d")), ["b"]);
    succeeds(&machines, &machines.send(&["--quiet", "--existing", "skip", "d", "host:in"]));
    assert_eq!(names(&machines.0.path("there/in/d")), ["a", "b"]);
    let said = machines.send(&["--quiet", "d/a", "host:in/d"]);
    fails(&said, 5, &["the other end refuses", "exists in the receiving folder and is not overwritten"]);
    assert_eq!(machines.there("in/d/a"), "text");
    nothing_is_left(&machines);
}

#[test]
fn summary_in_json_and_options_reach_the_other_end() {
    let machines = Machines::new();
    machines.0.write("a", "text");
    let address = own_address();
    let (_, port) = address.split_once(':').expect("a port");
    let said = machines.send(&[
        "--json", "--cipher", "chacha20-poly1305", "--port", port, "--remote-program", "env ciphermeter", "a",
        "host:in",
    ]);
    succeeds(&machines, &said);
    let line: Value = said.json();
    assert_eq!((line["is"].as_str(), line["suite"].as_str()), (Some("sent"), Some("chacha20-poly1305")), "{line}");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    fails(
        &machines.send(&["--port", &port, "a", "host:other"]),
        5,
        &["cannot listen on 127.0.0.1:", "free with --port"],
    );
    assert!(!machines.0.path("there/other").exists(), "a folder that was made in vain is removed");
}

#[test]
fn impossible_place_is_refused() {
    let machines = Machines::new();
    machines.0.write("a", "text");
    machines.0.write("b:c", "text");
    machines.0.write("there/file", "text");
    for (arguments, code, words) in [
        (&["a", "host:no/folder"][..], 5, ["host refuses: \"cannot make the folder", "create that one first"]),
        (&["a", "host:file"], 5, ["host refuses", "is there, and not a folder"]),
        (&["a", "host:~root/x"], 2, ["another user's home folder", "full path"]),
        (&["a", "@host:x"], 2, ["a host is missing", "HOST:FOLDER"]),
        (&["--", "a", "-oProxyCommand=touch x:in"], 2, ["begins with -", "no host"]),
        (&["host:in"], 2, ["no file to send", "before host:in"]),
        (&["b:c"], 2, ["no file to send", "write ./b:c"]),
        (&["missing", "host:in"], 2, ["cannot read \"missing\"", "check the name"]),
        (&["--port", "9", "a"], 2, ["--port", "HOST:FOLDER"]),
        (&["a", "host:in", "--port", "0"], 2, ["--port", "1..=65535"]),
        (&["a", "host:in", "--ticket-file", "x"], 2, ["cannot be used with", "--ticket-file"]),
    ] {
        fails(&machines.send(arguments), code, &words);
    }
    nothing_is_left(&machines);
    assert!(!machines.0.path("x").exists());
}

#[test]
fn file_with_a_colon_is_sent_by_its_path() {
    let machines = Machines::new();
    machines.0.write("b:c", "text");
    succeeds(&machines, &machines.send(&["--quiet", "./b:c", "host:in"]));
    assert_eq!(machines.there("in/b:c"), "text");
    let machines = machines.with_ssh("echo 'cannot resolve' >&2; exit 255");
    machines.0.write("a", "text");
    fails(&machines.send(&["a", "b:c"]), 5, &["ssh failed", "to send the file b:c of this machine, write ./b:c"]);
}

/// Options alone are ssh's, and what is proposed has all that was given.
#[test]
fn hint_after_a_failed_login_keeps_the_options_for_ssh() {
    let machines = Machines::new();
    machines.0.write("a", "text");
    for (given, command) in [
        ("-p 1", "ssh -p 1 127.0.0.1"),
        ("ssh -p 1", "ssh -p 1 127.0.0.1"),
        ("-p 1 -o 'User=no one' -4", "ssh -p 1 -o 'User=no one' -4 127.0.0.1"),
        ("-4 -p 1", "ssh -4 -p 1 127.0.0.1"),
        ("/no/ssh -p 1 -F none", "/no/ssh -p 1 -F none 127.0.0.1"),
        ("-F/no/file", "ssh -F/no/file 127.0.0.1"),
    ] {
        let sends = ["send", "--quiet", "--ssh", given, "a", "127.0.0.1:in"];
        let fetches = ["recv", "--quiet", "--ssh", given, "127.0.0.1:a", "--into", "in"];
        for said in [machines.0.run(&sends), machines.0.run(&fetches)] {
            assert!(said.err.contains(&format!("`{command}`")), "{given}: {said:?}");
            assert_eq!(said.code, Some(5), "{said:?}");
        }
    }
}

#[test]
fn failure_of_ssh_says_what_to_do() {
    for (runs, words) in [
        (
            "echo 'Permission denied' >&2; exit 255",
            ["ssh failed; its own message is above", "ssh me@host` works, then try again"],
        ),
        (r#"rm bin/ciphermeter; exec sh -c "$*""#, ["no program ciphermeter in the PATH", "--remote-program"]),
        (
            "exec sh -c \"ciphermeter recv --unknown\"",
            ["does not know how to be started through ssh", "the same version"],
        ),
        ("exit 0", ["it ended without an answer (exit code 0)", "--version"]),
        ("kill -9 $$", ["it ended without an answer (by signal 9)", "--version"]),
        ("echo 'ciphermeter-ssh 2 {}'; exec sleep 1000", ["another version of ciphermeter", "the same version"]),
        ("echo 'ciphermeter-ssh 1 {\"ticket\":\"cm1.secret\"}'; exec sleep 1000", ["does not answer as it should", ""]),
        ("echo 'ciphermeter-ssh 1 {\"resumed\":[]}'; exec sleep 1000", ["does not answer as it should", ""]),
        ("echo 'ciphermeter-ssh 1 {\"ticket\":{}}'; exec sleep 1000", ["does not know", "the same version"]),
        ("exec yes", ["64 KiB that are no answer", "--version"]),
        ("printf 'ciphermeter-ssh 1 \"'; exec cat /dev/zero", ["longer than 32 KiB", "--version"]),
    ] {
        let machines = Machines::new().with_ssh(runs);
        machines.0.write("a", "text");
        let said = machines.send(&["a", "me@host:in"]);
        fails(&said, 5, &words);
        assert!(!said.err.contains("cm1."), "a ticket is a secret: {}", said.err);
        if runs.contains(">&2") {
            assert!(said.err.starts_with("me@host: Permission denied\n"), "{}", said.err);
        }
        nothing_is_left(&machines);
    }
    let machines = Machines::new();
    machines.0.write("a", "text");
    for (ssh, words) in [("/no/ssh", ["cannot start /no/ssh", "--ssh"]), ("ssh 'open", ["balanced quotes", "--ssh"])] {
        let said = machines.0.run(&["send", "--ssh", ssh, "a", "host:in"]);
        assert!(said.code.is_some_and(|code| code != 0), "{said:?}");
        words.iter().for_each(|word| assert!(said.err.contains(word), "no {word:?} in {}", said.err));
    }
}

#[test]
fn greeting_of_the_login_shell_is_skipped_and_its_messages_are_shown() {
    let greeting = r#"echo Welcome; printf '\033[1mYou have mail\n$ '; printf 'a\033[2Jb\n' >&2; exec sh -c "$*""#;
    let machines = Machines::new().with_ssh(greeting);
    machines.0.write("a", "text");
    let said = machines.send(&["a", "host:in"]);
    assert_eq!((said.code, said.err.as_str()), (Some(0), "host: a\\u{1b}[2Jb\n"), "{said:?}");
    assert!(said.out.starts_with("sent 1 file") && machines.there("in/a") == "text");
}

#[test]
fn blocked_direct_connection_is_explained() {
    // On its way back the ticket gets a port at which nothing listens.
    let machines = Machines::new().with_ssh(r#"exec sh -c "$*" | sed -u 's/@127.0.0.1:[0-9]*"/@127.0.0.1:1"/'"#);
    machines.0.write("a", "text");
    let said = machines.send(&["a", "host:in"]);
    fails(&said, 5, &["ssh reaches host, but", "tried 127.0.0.1:1: ", "--port", "ProxyJump", "--listen and --host"]);
    nothing_is_left(&machines);
    assert!(!machines.0.path("there/in").exists());
}
