//! `recv` and `send` with little room: on the disk, in a file, in memory.

use std::fs;
use std::os::unix::fs::FileExt;
use std::process::Command;

use crate::common::ends::{End, bytes, names, own_address, state};
use crate::common::{BINARY, CommandOutput, TestFolder, wait_until};

/// The MiB in a summary.
fn peak(said: &CommandOutput) -> f64 {
    let text = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, rest) = text.split_once("memory at most ").unwrap_or_else(|| panic!("{said:?}"));
    rest.split_once(" MiB").expect("a unit").0.parse().expect("a number")
}

/// Peak memory of sender and receiver for a file of this size, with a byte in every half MiB: holes as short as these are
/// sent like other bytes.
fn peaks(folder: &TestFolder, name: &str, size: u64) -> [f64; 2] {
    let file = fs::File::create(folder.path(name)).expect("a file");
    file.set_len(size).expect("a sparse file");
    for at in (0..size).step_by(512 << 10) {
        file.write_all_at(&[1], at).expect("a byte");
    }
    let (receiver, ticket) = End::receiver(folder, "recv", &["--discard", "--explain"]);
    let sent = folder.run(&["send", "--explain", name, &ticket]);
    let received = receiver.ended();
    assert_eq!((sent.code, received.code), (Some(0), Some(0)), "{sent:?} {received:?}");
    [peak(&sent), peak(&received)]
}

/// Both ends use the same memory for a small file and for one of this size.
fn memory_is_the_same_for(size: u64) {
    let folder = TestFolder::new();
    let (small, large) = (peaks(&folder, "small", 50 << 20), peaks(&folder, "large", size));
    for (small, large) in small.into_iter().zip(large) {
        // Some 20 MiB are pages of the executable; a whole file would add 50 or more.
        assert!(small <= 40.0 && large <= 40.0, "{small} MiB and {large} MiB");
        assert!((small - large).abs() <= 2.0, "{small} MiB and {large} MiB");
    }
}

#[test]
fn memory_does_not_grow_with_the_file() {
    memory_is_the_same_for(400 << 20);
}

#[test]
#[ignore = "deep: 4 GiB"]
fn memory_does_not_grow_with_a_large_file() {
    memory_is_the_same_for(4 << 30);
}

/// The limit on a file's size is lower than the file that comes.
#[test]
fn too_large_file_is_reported_and_transfer_resumes() {
    let folder = TestFolder::new();
    let content = bytes(1, 4 << 20);
    folder.write("file", &content);
    fs::create_dir(folder.path("into")).expect("a folder");
    let mut command = Command::new("sh");
    // In blocks of 512 bytes, or of 1024: either way less than the file.
    command.args(["-c", "trap '' XFSZ; ulimit -f 2048 && exec \"$@\"", "sh"]);
    let listen = own_address();
    let receive = ["recv", "--yes", "--quiet", "--into", "into", "--ticket-file", "ticket", "--listen", &listen];
    let receive = folder.ciphermeter(&receive);
    command.arg(BINARY).args(receive.get_args()).current_dir(receive.get_current_dir().expect("a place"));
    command.envs(receive.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let receiver = End::start(&folder, "recv", command);
    wait_until("the ticket", || fs::read_to_string(folder.path("ticket")).is_ok_and(|text| text.ends_with('\n')));
    let sent = folder.run(&["send", "--quiet", "file", "--ticket-file", "ticket"]);
    let received = receiver.ended();
    for said in [&sent, &received] {
        assert_eq!((said.code, said.err.trim_end().lines().count()), (Some(5), 1), "{said:?}");
        assert!(said.err.contains("File too large") && said.err.contains("--resume"), "{}", said.err);
    }
    assert!(!folder.path("into/file").exists() && state(&folder.path("into")).is_some());
    goes_on(&folder);
    assert!(fs::read(folder.path("into/file")).expect("the file") == content);
    assert_eq!(names(&folder.path("into")), ["file"]);
}

fn goes_on(folder: &TestFolder) {
    let receive = folder.ciphermeter(&["recv", "--yes", "--quiet", "--resume", "--into", "into"]);
    let receiver = End::start(folder, "again", receive);
    let sent = folder.run(&["send", "--quiet", "--resume"]);
    let received = receiver.ended();
    assert_eq!((sent.code, received.code), (Some(0), Some(0)), "{sent:?} {received:?}");
}

/// Whether this user may mount a disk that no other process sees.
fn may_mount(folder: &TestFolder) -> bool {
    fs::create_dir(folder.path("into")).expect("a folder");
    let script = "mount -t tmpfs -o size=1m none \"$1\"";
    let mounted = Command::new("unshare").args(["-m", "sh", "-c", script, "sh"]).arg(folder.path("into")).output();
    let may = mounted.as_ref().is_ok_and(|output| output.status.success());
    if !may {
        println!("skipped: no small disk can be mounted here ({mounted:?})");
    }
    may
}

/// Runs a script beside a small disk in `into`; `$recv` is the receiver with its options.
fn with_disk(folder: &TestFolder, megabytes: u32, script: &str) -> End {
    let harness = folder.ciphermeter(&[]);
    let mut command = Command::new("unshare");
    let mount = format!("mount -t tmpfs -o size={megabytes}m none into");
    // When it ends, all processes that it started end.
    command.args(["-m", "-p", "-f", "--kill-child", "sh", "-c", &format!("{mount} && {script}")]);
    command.current_dir(harness.get_current_dir().expect("a place"));
    command.envs(harness.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("address", own_address());
    command.env("recv", format!("{BINARY} recv --yes --quiet --no-folder --into into"));
    End::start(folder, "disk", command)
}

#[test]
fn too_small_disk_is_reported_before_anything_is_sent() {
    let folder = TestFolder::new();
    if !may_mount(&folder) {
        return;
    }
    folder.write("file", bytes(1, 10 << 20));
    let receiver = with_disk(&folder, 8, "{ $recv --ticket-file ticket; echo $? >code; ls -A into >list; }");
    wait_until("the ticket", || fs::read_to_string(folder.path("ticket")).is_ok_and(|text| text.ends_with('\n')));
    let sent = folder.run(&["send", "--quiet", "file", "--ticket-file", "ticket"]);
    let received = receiver.ended();
    for said in [&sent, &received] {
        assert!(said.err.contains("the receiving disk has ") && said.err.contains("free some"), "{said:?}");
    }
    let text = |name| fs::read_to_string(folder.path(name)).expect("text");
    assert_eq!((sent.code, text("code").trim(), text("list").as_str()), (Some(5), "5", ""));
}

#[test]
fn full_disk_is_reported_and_transfer_resumes() {
    let folder = TestFolder::new();
    if !may_mount(&folder) {
        return;
    }
    let (first, second) = (bytes(1, 4 << 20), bytes(2, 8 << 20));
    folder.write("first", &first);
    folder.write("second", &second);
    // While the first file arrives, another program takes the room for the second.
    let script = "{
        (while ! [ -e into/.ciphermeter-*/0.part ]; do sleep 0.02; done; head -c 7000000 /dev/zero >into/filler) &
        $recv --listen $address --ticket-file ticket; echo $? >code; wait; ls into >list; rm into/filler
        $recv --resume; echo $? >>code; cp into/first into/second copy; ls -A into >>list; }";
    fs::create_dir(folder.path("copy")).expect("a folder");
    let receiver = with_disk(&folder, 18, script);
    wait_until("the ticket", || fs::read_to_string(folder.path("ticket")).is_ok_and(|text| text.ends_with('\n')));
    let sent = folder.run(&["send", "--quiet", "--limit", "1MiB", "first", "second", "--ticket-file", "ticket"]);
    assert_eq!((sent.code, sent.err.trim_end().lines().count()), (Some(5), 1), "{sent:?}");
    for words in ["no space for 8388608 bytes", "have some freed first", "`ciphermeter send --resume="] {
        assert!(sent.err.contains(words), "{}", sent.err);
    }
    let again = folder.run(&["send", "--quiet", "--resume"]);
    assert_eq!(again.code, Some(0), "{again:?}");
    let received = receiver.ended();
    assert!(received.err.contains("no space for 8388608 bytes"), "{received:?}");
    let text = |name| fs::read_to_string(folder.path(name)).expect("text");
    assert_eq!((text("code").as_str(), text("list").as_str()), ("5\n0\n", "filler\nfirst\nsecond\n"));
    assert!(fs::read(folder.path("copy/first")).expect("the file") == first);
    assert!(fs::read(folder.path("copy/second")).expect("the file") == second);
}
