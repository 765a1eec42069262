//! The files beside a store: those that another user left, and those that a full disk has no room for.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::common::{BINARY, CommandOutput, TestFolder, after, refuses};

/// The user called nobody, on every system but a few.
const NOBODY: u32 = 65534;

#[test]
fn what_another_user_left_beside_a_store_is_named_and_the_remedy_helps() {
    let folder = TestFolder::new();
    let run = ["run", "tiny.toml", "--quiet"];
    assert_eq!(folder.run(&run).code, Some(0));
    let set_mode = |file: &str, mode| {
        fs::set_permissions(folder.path(file), Permissions::from_mode(mode)).expect("its mode");
    };
    for (file, mode) in [(".", 0o777), ("runs.db", 0o666), ("runs.db.lock", 0o666)] {
        set_mode(file, mode);
    }
    // Root may write whatever the mode says.
    let is_root = fs::metadata(folder.path(".")).is_ok_and(|found| std::os::unix::fs::MetadataExt::uid(&found) == 0);
    let other = |arguments: &[&str]| {
        let mut command = folder.ciphermeter(arguments);
        if is_root {
            command.uid(NOBODY).gid(NOBODY);
        }
        CommandOutput::of(command.output().expect("it ends"))
    };
    // Reading leaves both, the log without content.
    assert_eq!(folder.run(&["list"]).code, Some(0));
    for file in ["runs.db-wal", "runs.db-shm"] {
        set_mode(file, 0o444);
    }
    assert_eq!(other(&["list"]).code, Some(0), "reading it is fine");
    let refused = other(&run);
    refuses(&refused, &["is read-only, as", "runs.db-wal", "once no program uses the store", "--store"]);
    let remedy = refused.err.split('`').nth(1).expect("a command");
    assert!(Command::new("sh").args(["-c", remedy]).status().expect("its end").success(), "{remedy}");
    assert_eq!(other(&run).code, Some(0), "{remedy}");
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
