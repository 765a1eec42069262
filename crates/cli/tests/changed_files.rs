//! Files that turn out to be something else than what was offered: longer, shorter, changed, gone, unreadable. The rest
//! arrives, each of them is named at the end, and none of them blocks a transfer for good.

use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::common::ends::{End, bytes, names, own_address, state};
use crate::common::ssh::Machines;
use crate::common::{CommandOutput, TestFolder, wait_until};

/// Some seconds at 1 MiB/s.
const SIZE: usize = 4 << 20;

/// What happens to the folder `d`, which has `big`, of which a part has come, and `log`, of which nothing has; the names that are
/// missing then.
struct Change {
    what: &'static str,
    make: fn(&Path),
    missing: &'static [&'static str],
}

const CHANGES: [Change; 8] = [
    Change {
        what: "it grew by 5 bytes",
        make: |d| File::options().append(true).open(d.join("log")).unwrap().write_all(b"more\n").unwrap(),
        missing: &["d/log"],
    },
    Change {
        what: "the one that is half there grew",
        make: |d| File::options().append(true).open(d.join("big")).unwrap().write_all(b"more\n").unwrap(),
        missing: &["d/big"],
    },
    Change {
        what: "it became executable",
        make: |d| fs::set_permissions(d.join("log"), Permissions::from_mode(0o755)).unwrap(),
        missing: &["d/log"],
    },
    Change {
        what: "it is a folder now",
        make: |d| {
            fs::remove_file(d.join("log")).unwrap();
            fs::create_dir(d.join("log")).unwrap();
            fs::write(d.join("log/1"), "text").unwrap();
        },
        missing: &["d/log", "d/log/1"],
    },
    Change {
        what: "it is a link now",
        make: |d| {
            fs::remove_file(d.join("log")).unwrap();
            symlink("big", d.join("log")).unwrap();
        },
        missing: &["d/log"],
    },
    Change {
        what: "others came",
        make: |d| {
            fs::create_dir(d.join("new")).unwrap();
            fs::write(d.join("new/1"), "text").unwrap();
            fs::write(d.join("empty"), "").unwrap();
        },
        missing: &["d/empty", "d/new/1"],
    },
    Change { what: "it is gone", make: |d| fs::remove_file(d.join("log")).unwrap(), missing: &["d/log"] },
    Change {
        what: "every one grew",
        make: |d| {
            for name in ["big", "log"] {
                File::options().append(true).open(d.join(name)).unwrap().write_all(b"more\n").unwrap();
            }
        },
        missing: &["d/big", "d/log"],
    },
];

impl Change {
    /// What is there of it in the end.
    fn arrives(&self) -> Vec<String> {
        let is_there = |name: &&str| !self.missing.contains(&format!("d/{name}").as_str());
        ["big", "log"].into_iter().filter(is_there).map(str::to_owned).collect()
    }

    /// Every missing name is said, at either end, once.
    #[track_caller]
    fn is_named(&self, said: &CommandOutput, verb: &str) {
        assert_eq!(said.code, Some(5), "{}: {said:?}", self.what);
        for name in self.missing {
            assert_eq!(times_named(&said.out, verb, name), 1, "{}: {name} in {said:?}", self.what);
        }
    }
}

/// How often an end says so of a name, in a line that it may share with others.
fn times_named(said: &str, verb: &str, name: &str) -> usize {
    let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines = flat.split("NOT ").filter_map(|line| line.strip_prefix(verb)?.strip_prefix(": "));
    lines
        .filter_map(|line| line.split(": ").next())
        .flat_map(|names| names.split(", "))
        .filter(|one| *one == name)
        .count()
}

fn write(folder: &TestFolder, at: &str) {
    folder.write(&format!("{at}/big"), bytes(1, SIZE));
    folder.write(&format!("{at}/log"), bytes(2, 692));
}

fn until_begun(end: &mut End, into: &Path) {
    wait_until("something is recorded", || {
        assert!(!end.is_over(), "{:?}", end.said());
        let journal =
            |folder: std::path::PathBuf| fs::metadata(folder.join("journal")).is_ok_and(|about| about.len() > 0);
        state(into).is_some_and(journal)
    });
}

#[track_caller]
fn has_the_rest(change: &Change, from: &Path, into: &Path) {
    assert_eq!((names(into), names(&into.join("d"))), (vec!["d".to_owned()], change.arrives()), "{}", change.what);
    for name in change.arrives() {
        assert!(
            fs::read(into.join("d").join(&name)).unwrap() == fs::read(from.join(&name)).unwrap(),
            "{}",
            change.what
        );
    }
}

/// Waits for the clock that stamps changes.
fn later() {
    std::thread::sleep(std::time::Duration::from_millis(20));
}

#[test]
fn change_before_a_resume_through_ssh_blocks_nothing() {
    for change in &CHANGES {
        let machines = Machines::new();
        write(&machines.0, "d");
        let command = machines.sends(&["--quiet", "--limit", "1MiB", "--patience", "5s", "d", "host:in"]);
        let mut sender = End::start(&machines.0, "send", command);
        until_begun(&mut sender, &machines.0.path("there/in"));
        sender.kill();
        // What only the other end knows comes through ssh.
        wait_until("no process is left", || machines.0.processes().is_empty());
        later();
        (change.make)(&machines.0.path("d"));
        let said = machines.0.run(&["send", "--resume", "--quiet", "--limit", "1GiB"]);
        assert_eq!(said.code, Some(5), "{}: {said:?}", change.what);
        for name in change.missing {
            let count = times_named(&said.out, "sent", name) + times_named(&said.err, "received", name);
            assert_eq!(count, 1, "{}: {name} in {said:?}", change.what);
        }
        has_the_rest(change, &machines.0.path("d"), &machines.0.path("there/in"));
        assert!(names(&machines.0.path("state/ciphermeter/sending")).is_empty(), "{}", change.what);
        wait_until("no process is left", || machines.0.processes().is_empty());
    }
}

#[test]
fn change_before_a_resume_by_ticket_blocks_nothing() {
    for change in &CHANGES {
        let folder = TestFolder::new();
        write(&folder, "d");
        let (mut receiver, ticket) =
            End::receiver(&folder, "recv", &["--into", "into", "--quiet", "--listen", &own_address()]);
        let command = folder.ciphermeter(&["send", "--quiet", "--limit", "1MiB", "d", &ticket]);
        let mut sender = End::start(&folder, "send", command);
        until_begun(&mut sender, &folder.path("into"));
        sender.kill();
        later();
        (change.make)(&folder.path("d"));
        let sent = folder.run(&["send", "--resume", "--quiet", "--limit", "1GiB"]);
        assert_eq!(sent.code, Some(if change.what == "it is gone" { 0 } else { 5 }), "{}: {sent:?}", change.what);
        wait_until("the receiver's end", || receiver.is_over());
        change.is_named(&receiver.said(), "received");
        has_the_rest(change, &folder.path("d"), &folder.path("into"));
    }
}

#[test]
fn change_before_a_fetch_is_resumed_blocks_nothing() {
    for change in &CHANGES {
        let machines = Machines::new();
        write(&machines.0, "there/d");
        let arguments = ["--quiet", "--into", "in", "--patience", "5s", "--limit"];
        let command = machines.fetches(&[&arguments[..], &["1MiB", "host:d"]].concat());
        let mut receiver = End::start(&machines.0, "recv", command);
        until_begun(&mut receiver, &machines.0.path("in"));
        receiver.kill();
        wait_until("no process is left", || machines.0.processes().is_empty());
        later();
        (change.make)(&machines.0.path("there/d"));
        let said = machines.fetch(&[&["--resume"], &arguments[..], &["1GiB", "host:d"]].concat());
        change.is_named(&said, "received");
        has_the_rest(change, &machines.0.path("there/d"), &machines.0.path("in"));
    }
}

/// An argument of the first command, in no folder that is sent.
#[test]
fn argument_that_is_gone_is_left_out_of_a_resumed_send() {
    let machines = Machines::new();
    write(&machines.0, ".");
    let command = machines.sends(&["--quiet", "--limit", "1MiB", "--patience", "5s", "big", "log", "host:in"]);
    let mut sender = End::start(&machines.0, "send", command);
    until_begun(&mut sender, &machines.0.path("there/in"));
    sender.kill();
    fs::remove_file(machines.0.path("log")).unwrap();
    let said = machines.0.run(&["send", "--resume", "--quiet"]);
    assert_eq!(said.code, Some(5), "{said:?}");
    assert!(said.out.contains("log: it is gone since the transfer began"), "{said:?}");
    assert_eq!(names(&machines.0.path("there/in")), ["big"]);
}

#[test]
fn either_end_leaves_names_out_of_what_it_resumes() {
    for at_the_sender in [true, false] {
        let folder = TestFolder::new();
        write(&folder, "d");
        let address = own_address();
        let arguments = ["--into", "into", "--quiet", "--listen", &address];
        let (mut receiver, ticket) = End::receiver(&folder, "recv", &arguments);
        let command = folder.ciphermeter(&["send", "--quiet", "--limit", "1MiB", "d", &ticket]);
        let mut sender = End::start(&folder, "send", command);
        until_begun(&mut sender, &folder.path("into"));
        sender.kill();
        receiver.kill();
        let exclude = |here: bool| if here { &["--exclude", "big"][..] } else { &[] };
        let mut command = folder.ciphermeter(&["recv", "--resume", "--yes"]);
        command.args(arguments).args(exclude(!at_the_sender));
        let receiver = End::start(&folder, "again", command);
        let sent = folder.run(&[&["send", "--resume", "--quiet"], exclude(at_the_sender)].concat());
        let received = receiver.ended();
        // What an end leaves out itself is not missing there.
        let codes = if at_the_sender { (Some(0), Some(5)) } else { (Some(5), Some(0)) };
        assert_eq!((sent.code, received.code), codes, "{sent:?} {received:?}");
        assert_eq!(names(&folder.path("into/d")), ["log"]);
        assert_eq!(names(&folder.path("into")), ["d"]);
    }
}

/// Sizes that are none: 4,096 where there are 4 bytes, and 0 where there are many.
#[cfg(target_os = "linux")]
#[test]
fn content_arrives_whatever_its_file_system_says_of_its_size() {
    let liars = [
        "/proc/cpuinfo",
        "/sys/devices/system/cpu/online",
        "/proc/filesystems",
        "/proc/sys/kernel/ostype",
        "/proc/version",
        "/sys/devices/system/cpu/possible",
        "/sys/kernel/mm/transparent_hugepage/enabled",
        // Empty, and new each time that they are opened.
        "/proc/net/anycast6",
        "/proc/self/timers",
    ];
    let there: Vec<_> = liars.into_iter().filter(|path| fs::read(path).is_ok()).collect();
    assert!(there.len() > 3, "{there:?}");
    let machines = Machines::new();
    machines.0.write("plain", "text");
    let said = machines.send(&[&["--quiet"], &there[..], &["plain", "host:in"]].concat());
    assert_eq!(said.code, Some(0), "{said:?}");
    for path in there {
        let name = Path::new(path).file_name().unwrap().to_str().unwrap();
        let (here, came) = (fs::read_to_string(path).unwrap(), machines.there(&format!("in/{name}")));
        // The clock rate in cpuinfo moves.
        let first = |text: &str| text.lines().next().map(str::to_owned);
        assert_eq!((first(&came), came.is_empty()), (first(&here), here.is_empty()), "{path}");
    }
    assert_eq!(machines.there("in/plain"), "text");
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_read_is_named_and_the_rest_arrives() {
    let machines = Machines::new();
    machines.0.write("plain", "text");
    let said = machines.send(&["--quiet", "plain", "/proc/self/mem", "host:in"]);
    assert_eq!(said.code, Some(5), "{said:?}");
    assert!(said.out.contains("NOT sent: ") && said.out.contains("/mem: "), "{said:?}");
    assert_eq!(names(&machines.0.path("there/in")), ["plain"]);
}

/// On the screen and in JSON; and both ends say what limited it.
#[test]
fn neither_end_claims_that_what_was_discarded_is_on_disk() {
    for json in [false, true] {
        let folder = TestFolder::new();
        folder.write("big", bytes(1, 10_000_000));
        let format = if json { &["--json"][..] } else { &[] };
        let (receiver, ticket) = End::receiver(&folder, "recv", &[&["--quiet", "--discard"], format].concat());
        let sent = folder.run(&[&["send", "--quiet", "big", &ticket], format].concat());
        let received = receiver.ended();
        assert_eq!((sent.code, received.code), (Some(0), Some(0)), "{sent:?} {received:?}");
        match json {
            true => {
                for line in [sent.json(), received.json()] {
                    assert!(line["durable_ns"].is_null() && line["limited_by"].is_string(), "{line}");
                    assert_eq!(line["bytes"], 10_000_000);
                }
            }
            false => {
                let text = sent.out.split_whitespace().collect::<Vec<_>>().join(" ");
                assert!(text.contains("which the receiver discarded") && !text.contains("on disk"), "{text}");
                assert!(
                    ["Limited by ", "What limited it is unknown: "].iter().any(|words| text.contains(words)),
                    "{text}"
                );
            }
        }
    }
}

/// What had come of a large file is void when it has changed, and either end says so.
#[test]
fn large_file_that_begins_anew_is_named() {
    let folder = TestFolder::new();
    folder.write("big", bytes(1, 12_000_000));
    let (mut receiver, ticket) = End::receiver(&folder, "recv", &["--into", "into", "--listen", &own_address()]);
    let command = folder.ciphermeter(&["send", "--quiet", "--limit", "1MiB", "big", &ticket]);
    let mut sender = End::start(&folder, "send", command);
    until_begun(&mut sender, &folder.path("into"));
    sender.kill();
    // Changes of the second in which the transfer began are not told from those before it.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    folder.write("big", bytes(2, 12_000_000));
    let sent = folder.run(&["send", "--resume", "--limit", "1GiB"]);
    wait_until("the receiver's end", || receiver.is_over());
    let received = receiver.said();
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!((sent.code, received.code), (Some(0), Some(0)), "{sent:?} {received:?}");
    assert!(flat(&sent.err).contains("big (12.0 MB) changed since the transfer began"), "{sent:?}");
    assert!(
        flat(&received.err).contains("big has changed since ") && flat(&received.err).contains("begins anew"),
        "{received:?}"
    );
    assert!(fs::read(folder.path("into/big")).unwrap() == bytes(2, 12_000_000));
}
