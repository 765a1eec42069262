//! Every refusal is one line that names the file and what to do; no content of a file causes a panic.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use ciphermeter_core::{CellId, Outcome, RunStatus};
use ciphermeter_store::{Result, Store};
use rusqlite::Connection;

fn scratch() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    (folder, path)
}

#[track_caller]
fn refused<T>(result: Result<T>, words: &str) {
    let error = result.err().expect("it is refused").to_string();
    assert!(error.contains(words) && error.contains("runs.db") && !error.contains('\n'), "{error}");
    assert!(error.contains("--store") || error.contains("ciphermeter "), "no remedy: {error}");
}

/// Changes a store with plain SQL, as anyone could.
fn tamper(path: &Path, sql: &str) {
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn locked_by_another_process() {
    let (_folder, path) = scratch();
    let (store, id) = crate::common::begun(&path, 1);
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    refused(store.commit_round(id, 0, 0, &crate::common::samples(1, 0)), "is locked by another process; wait for it");
    other.execute_batch("ROLLBACK").unwrap();
    store.commit_round(id, 0, 0, &crate::common::samples(1, 0)).unwrap();
}

#[test]
fn not_a_store() {
    let (_folder, path) = scratch();
    fs::write(&path, "these are notes, not a database, and long enough to be looked at".repeat(40)).unwrap();
    refused(Store::open(&path), "is not a store of Ciphermeter; move it away");
    refused(Store::open_read_only(&path), "is not a store of Ciphermeter");
    fs::remove_file(&path).unwrap();

    tamper(&path, "CREATE TABLE mail (subject TEXT)");
    let before = fs::read(&path).unwrap();
    refused(Store::open(&path), "is not a store of Ciphermeter");
    assert!(fs::read(&path).unwrap() == before, "a foreign database stays as it was");
    fs::remove_file(&path).unwrap();

    fs::create_dir(&path).unwrap();
    refused(Store::open(&path), "cannot open the store");
}

#[test]
fn a_newer_schema() {
    let (_folder, path) = scratch();
    drop(crate::common::begun(&path, 1));
    tamper(&path, "PRAGMA user_version = 6");
    refused(Store::open(&path), "has schema 6, and this ciphermeter supports 5; update ciphermeter");
    refused(Store::open_read_only(&path), "has schema 6");
}

#[test]
fn nothing_there() {
    let (_folder, path) = scratch();
    refused(Store::open_read_only(&path), "there is no store");
    let (store, id) = crate::common::begun(&path, 1);
    refused(store.load(7), "there is no run 7");
    refused(store.finish(7, RunStatus::Complete, &[]), "there is no run 7");
    refused(store.commit_memory(id, CellId(0), &crate::common::memory(1)), "FOREIGN KEY constraint failed");
    store.commit_memory(id, CellId(0), &crate::common::memory(0)).unwrap();
    refused(store.commit_memory(id, CellId(0), &crate::common::memory(0)), "UNIQUE constraint failed");
    refused(store.set_outcome(id, CellId(1), &Outcome::Measured), "has no cell 1");
    let file = path.join("runs.db");
    refused(Store::open(&file), "cannot open the store");
}

#[test]
fn read_only_store_is_refused_for_writing() {
    let (folder, path) = scratch();
    drop(crate::common::begun(&path, 1));
    let reader = Store::open_read_only(&path).unwrap();
    refused(reader.begin(&crate::common::run(), &[]), "is read-only; make the file and its folder writable");
    drop(reader);

    fs::set_permissions(&path, Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o555)).unwrap();
    // Permissions bind every user but root.
    if fs::write(folder.path().join("probe"), "").is_err() {
        refused(Store::open(&path), "is read-only");
        assert_eq!(Store::open_read_only(&path).unwrap().list().unwrap().len(), 1);
    }
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_damaged_store() {
    for (sql, words) in [
        ("UPDATE run SET scenario = '{}'", "run 1: missing field"),
        ("UPDATE run SET scenario = replace(scenario, '1KiB', '2GiB')", "too large"),
        ("UPDATE run SET status = 'odd'", "unknown status `odd`"),
        (
            r#"UPDATE run SET plan = '{"metrics":[{"name":"turns","unit":"s","better":"less","sums":"state"},
                {"name":"turns","unit":"m","better":"less","sums":"state"}],"parts":[]}'"#,
            "its plan names a metric twice",
        ),
        ("UPDATE run SET mask = 'no-sse'", "run 1: unknown CPU `no-sse`"),
        ("UPDATE run SET seed = -1", "-1 is out of range"),
        ("UPDATE cell SET algorithm = 'rot13' WHERE id = 1", "cell 1: unknown algorithm `rot13`"),
        ("UPDATE cell SET parameters = '{\"message\":-1}'", "cell 0: invalid value"),
        ("UPDATE cell SET parameters = '{\"message\":9007199254740992}'", "a parameter above"),
        ("DELETE FROM cell WHERE id = 0", "cell 0 is missing"),
        ("UPDATE cell SET id = 4294967296 WHERE id = 1", "4294967296 is out of range"),
        ("UPDATE cell SET outcome = '[]'", "cell 0:"),
        ("UPDATE round SET samples = '{\"cell\":[0]}'", "`after` is missing"),
        ("UPDATE round SET samples = replace(samples, '[0,1]', '[0,2]')", "there is no cell 2"),
        ("UPDATE round SET samples = zeroblob(10)", ""),
        ("UPDATE round SET samples = CAST(zeroblob(20000000) AS TEXT)", ""),
        (
            r#"UPDATE cell SET summary = '{"reference":9,"ratio":null,"range":{"low":1,"mid":1,"high":1},
                "converged":true,"forks":1,"rounds":1,"warnings":[]}'"#,
            "no cell 9",
        ),
        ("UPDATE memory SET cell = 2", "a memory record: there is no cell 2"),
        ("UPDATE memory SET iterations = -1", "a memory record: -1 is out of range"),
        ("UPDATE memory SET peak_rss = 9007199254740992", "a memory record: 9007199254740992 is out of range"),
        (
            "PRAGMA foreign_keys = off; UPDATE memory SET fork = 4294967296",
            "a memory record: 4294967296 is out of range",
        ),
        ("UPDATE memory SET counter = printf('%401c', 'x')", "a memory record: a counter's name"),
        ("UPDATE memory SET allocated = 'much'", ""),
        ("DROP TABLE round", "no such table"),
    ] {
        let (_folder, path) = scratch();
        let (store, id) = crate::common::begun(&path, 2);
        store.commit_round(id, 0, 0, &crate::common::samples(2, 0)).unwrap();
        store.commit_memory(id, CellId(0), &crate::common::memory(0)).unwrap();
        drop(store);
        let tampered =
            Connection::open(&path).unwrap().execute_batch(&format!("PRAGMA ignore_check_constraints = 1; {sql}"));
        if tampered.is_ok() {
            refused(Store::open(&path).unwrap().load(id), "is damaged");
            refused(Store::open(&path).unwrap().load(id), words);
        } else {
            assert!(words.is_empty(), "{sql}: {tampered:?}");
        }
    }
}

#[test]
fn a_damaged_run_does_not_hide_the_others() {
    let (_folder, path) = scratch();
    let (store, damaged) = crate::common::begun(&path, 1);
    let whole = store.begin(&crate::common::run(), &[]).unwrap();
    drop(store);
    let sql = format!("UPDATE run SET scenario = '{{}}' WHERE id = {damaged}");
    Connection::open(&path).unwrap().execute_batch(&sql).unwrap();
    let store = Store::open_read_only(&path).unwrap();
    let scenarios: Vec<_> = store.list().unwrap().into_iter().map(|run| run.scenario).collect();
    assert_eq!(scenarios, [None, Some(crate::common::run().scenario)]);
    assert_eq!(store.latest().unwrap(), Some(whole));
}

#[test]
fn torn_file_causes_no_panic() {
    let (_folder, path) = scratch();
    let (store, id) = crate::common::begun(&path, 2);
    for round in 0..50 {
        store.commit_round(id, 0, round, &crate::common::samples(2, round)).unwrap();
    }
    drop(store);
    let whole = fs::read(&path).unwrap();
    for seed in 0..200usize {
        let mut torn = whole.clone();
        let place = seed * 7919 % torn.len();
        match seed % 3 {
            0 => torn.truncate(place),
            1 => torn[place..].iter_mut().take(64).for_each(|byte| *byte ^= 0xff),
            _ => torn[place] = torn[place].wrapping_add(1),
        }
        fs::write(&path, torn).unwrap();
        if let Ok(store) = Store::open_read_only(&path) {
            let _ = (store.list(), store.load(id), store.forks(id));
        }
    }
}
