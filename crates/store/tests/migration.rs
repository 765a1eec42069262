//! A store of the first schema is read as it is, and brought up to date when it is written.

mod common;

use std::path::{Path, PathBuf};

use ciphermeter_core::{CellId, Histogram, Latency};
use ciphermeter_store::Store;
use rusqlite::Connection;

fn first_schema() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    Connection::open(&path).unwrap().execute_batch(include_str!("first_schema.sql")).unwrap();
    (folder, path)
}

fn version(path: &Path) -> i64 {
    Connection::open(path).unwrap().query_row("PRAGMA user_version", (), |row| row.get(0)).unwrap()
}

#[test]
fn reading_leaves_it_as_it_is() {
    let (_folder, path) = first_schema();
    let store = Store::open_read_only(&path).unwrap();
    let id = store.list().unwrap()[0].id;
    let (run, records) = store.load(id).unwrap();
    assert_eq!((run.against, version(&path)), (None, 1));
    assert!(records.iter().any(|record| !record.sittings.is_empty()));
    assert!(records.iter().all(|record| record.latency.is_empty()));
}

#[test]
fn writing_brings_it_up_to_date_and_loses_nothing() {
    let (_folder, path) = first_schema();
    let before = Store::open_read_only(&path).unwrap();
    let id = before.list().unwrap()[0].id;
    let before = before.load(id).unwrap();
    let store = Store::open(&path).unwrap();
    assert_eq!(version(&path), 2);
    assert_eq!(store.load(id).unwrap(), before);

    let next = store.begin(&common::run(), &common::cells(2)).unwrap();
    store.begin_sitting(next, 0, 0).unwrap();
    let mut calls = Histogram::default();
    calls.add_many(75, 1000);
    let latency = Latency { sitting: 0, short: true, clock_ns: 21, calls };
    store.commit_latency(next, &[(CellId(1), latency.clone())]).unwrap();
    drop(store);
    let store = Store::open(&path).unwrap();
    assert_eq!(store.load(next).unwrap().1[1].latency, [latency]);
    assert_eq!(store.load(id).unwrap(), before);
}

#[test]
fn a_failure_midway_leaves_the_old_store_whole() {
    let (_folder, path) = first_schema();
    // A table of that name stands in the way, after the first step is done.
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE latency (n)").unwrap();
    Store::open(&path).unwrap_err();
    Connection::open(&path).unwrap().execute_batch("DROP TABLE latency").unwrap();
    assert_eq!(version(&path), 1);
    Store::open(&path).expect("nothing of the first try is left");
    assert_eq!(version(&path), 2);
}
