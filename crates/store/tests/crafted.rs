//! A store that was made to do something: nothing in it runs, and its names are files' names.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use ciphermeter_store::Store;
use rusqlite::Connection;

use crate::common::begun;

/// A store with one run, changed with plain SQL.
fn crafted(sql: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    drop(begun(&path, 1));
    Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    (folder, path)
}

#[track_caller]
fn refused(path: &Path, words: &str) {
    for opened in [Store::open_read_only(path), Store::open(path)] {
        let error = opened.expect_err("it is refused").to_string();
        assert!(error.contains(words) && !error.contains('\n') && error.contains("--store"), "{error}");
    }
}

#[test]
fn store_with_anything_but_plain_tables_is_refused() {
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)";
    let view = format!(
        "DROP TABLE round; CREATE VIEW round AS {endless} SELECT i AS run, i AS fork, i AS number, zeroblob(1000) AS samples FROM n;"
    );
    let trigger =
        "CREATE TRIGGER late AFTER INSERT ON run BEGIN INSERT INTO fork SELECT i, i, i, i FROM (SELECT 1 AS i); END;";
    let virtual_table =
        "DROP TABLE latency; CREATE VIRTUAL TABLE latency USING fts5 (run, fork, cell, clock_ns, histogram);";
    let lying = "PRAGMA writable_schema = 1;
        UPDATE sqlite_schema SET sql = 'CREATE VIEW memory AS SELECT 1', rootpage = 0 WHERE name = 'memory';";
    for (sql, words) in [
        (&*view, "no store has its view round"),
        (trigger, "no store has its trigger late"),
        (virtual_table, "no store has its table latency"),
        (lying, "malformed database schema (memory)"),
        ("CREATE TABLE more (n)", "no store has its table more"),
        ("CREATE INDEX slow ON run (hex(id))", "no store has its index slow"),
        ("ALTER TABLE run ADD COLUMN slow TEXT AS (hex(zeroblob(9999999)))", "no store has its column run.slow"),
        ("ALTER TABLE cell ADD COLUMN slow TEXT DEFAULT 'x'", "no store has its column cell.slow"),
    ] {
        let (_folder, path) = crafted(sql);
        refused(&path, words);
    }
    // What SQLite itself adds stays fine.
    let (_folder, path) = crafted("ANALYZE; VACUUM");
    assert_eq!(Store::open_read_only(&path).unwrap().list().unwrap().len(), 1);
}

#[test]
fn constraint_of_a_crafted_store_is_not_evaluated() {
    let sql = "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, 'offset INTEGER NOT NULL,',
        'offset INTEGER NOT NULL CHECK (length(hex(zeroblob(8000000))) < 0),') WHERE name = 'fork'";
    let (_folder, path) = crafted(sql);
    Store::open(&path).unwrap().begin_fork(1, 1, 0).unwrap();
}

#[test]
fn name_of_a_store_is_a_files_name() {
    let folder = tempfile::tempdir().unwrap();
    for name in [":memory:", "file:runs.db", "file:runs.db?mode=memory", "file::memory:?cache=shared", "run%20s.db"] {
        let path = folder.path().join(name);
        drop(begun(&path, 1));
        assert!(path.is_file(), "{name}");
        assert_eq!(Store::open_read_only(&path).unwrap().list().unwrap().len(), 1);
    }
    assert!(!folder.path().join("runs.db").exists());
    refused(Path::new(""), "");
}

#[test]
fn nothing_beside_a_store_is_waited_for_or_followed() {
    for ending in ["-wal", "-shm", "-journal"] {
        let (folder, path) = crafted("");
        let beside = folder.path().join(format!("runs.db{ending}"));
        let other = folder.path().join("other");
        fs::write(&other, "mine").unwrap();
        let make_pipe = || assert!(Command::new("mkfifo").arg(&beside).status().unwrap().success());
        let plants: [&dyn Fn(); 3] =
            [&make_pipe, &|| symlink(&other, &beside).unwrap(), &|| fs::hard_link(&other, &beside).unwrap()];
        for plant in plants {
            plant();
            refused(&path, "is not a file that only SQLite has");
            let error = Store::open_read_only(&path).unwrap_err().to_string();
            let remedy = error.split('`').nth(1).expect("a command");
            assert!(Command::new("sh").args(["-c", remedy]).status().unwrap().success(), "{remedy}");
            drop(Store::open(&path).expect(remedy));
            assert_eq!(fs::read_to_string(&other).unwrap(), "mine");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let [nowhere, link] = ["nowhere", "runs.db"].map(|name| folder.path().join(name));
    symlink(&nowhere, &link).unwrap();
    let error = Store::open(&link).unwrap_err().to_string();
    assert!(error.contains("it is a link to nothing") && !nowhere.exists(), "{error}");
}
