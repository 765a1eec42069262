//! The files beside a store: those that another user left, and those that a full disk has no room for; and a
//! store of two names.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;

use crate::common::ends::names;
use crate::common::{BINARY, CommandOutput, TestFolder, after, helps, refuses};

/// The user called nobody, on every system but a few.
const NOBODY: u32 = 65534;
const RUN: [&str; 3] = ["run", "tiny.toml", "--quiet"];

/// A folder with a run, where anybody may make files.
fn shared() -> TestFolder {
    let folder = TestFolder::new();
    assert_eq!(folder.run(&RUN).code, Some(0));
    set_mode(&folder, ".", 0o777);
    folder
}

fn set_mode(folder: &TestFolder, file: &str, mode: u32) {
    fs::set_permissions(folder.path(file), Permissions::from_mode(mode)).expect("its mode");
}

/// Root may write whatever the mode says.
fn is_root(folder: &TestFolder) -> bool {
    folder.path(".").metadata().is_ok_and(|found| found.uid() == 0)
}

/// What another user is told, or this one, where modes bind it.
fn other(folder: &TestFolder, arguments: &[&str]) -> CommandOutput {
    let mut command = folder.ciphermeter(arguments);
    if is_root(folder) {
        command.uid(NOBODY).gid(NOBODY);
    }
    CommandOutput::of(command.output().expect("it ends"))
}

#[test]
fn what_another_user_left_beside_a_store_is_named_and_the_remedy_helps() {
    let folder = shared();
    for file in ["runs.db", "runs.db.lock"] {
        set_mode(&folder, file, 0o666);
    }
    // Reading leaves both, the log without content.
    assert_eq!(folder.run(&["list"]).code, Some(0));
    for file in ["runs.db-wal", "runs.db-shm"] {
        set_mode(&folder, file, 0o444);
    }
    assert_eq!(other(&folder, &["list"]).code, Some(0), "reading it is fine");
    let refused = other(&folder, &RUN);
    refuses(&refused, &["is read-only, as", "runs.db-", "once no program uses the store", "--store"]);
    helps(&refused);
    set_mode(&folder, "runs.db.lock", 0o444);
    let refused = other(&folder, &RUN);
    refuses(&refused, &["cannot lock", "ermission denied", "once no program uses the store", "--store"]);
    helps(&refused);
    assert_eq!(other(&folder, &RUN).code, Some(0));
}

#[test]
fn reader_who_may_not_write_a_store_leaves_nothing_beside_it() {
    let folder = shared();
    for file in ["runs.db-wal", "runs.db-shm"] {
        let _ = fs::remove_file(folder.path(file));
    }
    let others_read = if is_root(&folder) { 0o644 } else { 0o444 };
    set_mode(&folder, "runs.db", others_read);
    let before = names(&folder.path("."));
    for arguments in [["list"], ["show"], ["export"]] {
        assert_eq!(other(&folder, &arguments).code, Some(0), "{arguments:?}");
        assert_eq!(names(&folder.path(".")), before, "{arguments:?}");
    }
    // While its owner writes, what the log holds is read, too.
    set_mode(&folder, "runs.db", 0o644);
    let writer = rusqlite::Connection::open(folder.path("runs.db")).expect("a store");
    writer.execute_batch(r#"UPDATE run SET notes = '["logged"]'"#).expect("a log");
    let set_modes =
        |mode| ["runs.db", "runs.db-wal", "runs.db-shm"].iter().for_each(|file| set_mode(&folder, file, mode));
    set_modes(others_read);
    let before = names(&folder.path("."));
    let said = other(&folder, &["export"]);
    assert!(said.code == Some(0) && said.out.contains("logged"), "{said:?}");
    // The index of a log is its owner's to make.
    fs::rename(folder.path("runs.db-shm"), folder.path("index")).expect("renamed");
    refuses(&other(&folder, &["list"]), &["runs.db-wal", "it holds part of the runs", "its owner"]);
    fs::rename(folder.path("index"), folder.path("runs.db-shm")).expect("renamed");
    assert_eq!(names(&folder.path(".")), before);
    set_modes(0o644);
    drop(writer);
    assert_eq!(folder.run(&RUN).code, Some(0), "its owner");
}

#[test]
fn store_that_another_user_keeps_private_is_to_be_asked_for() {
    let folder = shared();
    set_mode(&folder, "runs.db", if is_root(&folder) { 0o600 } else { 0 });
    for arguments in [&["list"][..], &["show"], &["report", "runs.db"], &RUN] {
        let refused = other(&folder, arguments);
        refuses(&refused, &["cannot read the store", "runs.db", "permission denied; ask its owner for it"]);
        assert!(!refused.err.contains("file:"), "{refused:?}");
    }
}

#[test]
fn store_of_two_names_is_read_and_not_written() {
    let folder = shared();
    fs::hard_link(folder.path("runs.db"), folder.path("second.db")).expect("a link");
    let second = ["--store", "second.db"];
    assert_eq!(folder.run(&[&["list"][..], &second].concat()).code, Some(0));
    assert!(!folder.path("second.db-wal").exists());
    for store in [&second[..], &[]] {
        refuses(&folder.run(&[&RUN, store].concat()), &["has a second name", "--store"]);
    }
    // What the log of one name holds, the other does not have.
    let writer = rusqlite::Connection::open(folder.path("second.db")).expect("a store");
    writer.execute_batch("UPDATE run SET notes = '[]'").expect("a log");
    refuses(&folder.run(&[&["list"][..], &second].concat()), &["has a second name"]);
    drop(writer);
    let refused = folder.run(&[&RUN[..], &["--store", folder.path("second.db").to_str().expect("UTF-8")]].concat());
    helps(&refused);
    for store in [&second[..], &[]] {
        assert_eq!(folder.run(&[&RUN, store].concat()).code, Some(0), "{refused:?}");
    }
}

#[test]
fn store_is_read_on_a_full_disk_and_one_that_cannot_be_says_why() {
    let folder = TestFolder::new();
    assert_eq!(folder.run(&["run", "tiny.toml", "--quiet"]).code, Some(0));
    // No file may grow, as on a disk without room.
    let full = || {
        let mut command = after("trap '' XFSZ; ulimit -f 0", BINARY.as_ref(), &folder.ciphermeter(&["list"]));
        CommandOutput::of(command.output().expect("it ends"))
    };
    let said = full();
    assert_eq!(said.code, Some(0), "{said:?}");
    // What a log holds needs its index, which cannot be made.
    let writer = rusqlite::Connection::open(folder.path("runs.db")).expect("a store");
    writer.execute_batch("UPDATE run SET notes = '[]'").expect("a log");
    for file in ["runs.db", "runs.db-wal"] {
        fs::copy(folder.path(file), folder.path(&format!("copy-{file}"))).expect("a copy");
    }
    drop(writer);
    for file in ["runs.db", "runs.db-wal"] {
        fs::rename(folder.path(&format!("copy-{file}")), folder.path(file)).expect("renamed");
    }
    let _ = fs::remove_file(folder.path("runs.db-shm"));
    refuses(&full(), &["no space left for the store", "free some on its disk and repeat"]);
    assert_eq!(folder.run(&["list"]).code, Some(0), "with room again");
}
