//! A store of an older schema is read as it is, and brought up to date when it is written.

use std::path::{Path, PathBuf};

use ciphermeter_core::{Against, CellId, Histogram, Latency, Mask, Memory, Series, Share};
use ciphermeter_store::Store;
use rusqlite::Connection;

const FIRST: &str = include_str!("first_schema.sql");
const SECOND: &str = include_str!("second_schema.sql");
const THIRD: &str = include_str!("third_schema.sql");
/// Each with its version.
const OLD: [(&str, i64); 3] = [(FIRST, 1), (SECOND, 2), (THIRD, 3)];

fn made(sql: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    (folder, path)
}

fn version(path: &Path) -> i64 {
    Connection::open(path).unwrap().query_row("PRAGMA user_version", (), |row| row.get(0)).unwrap()
}

#[test]
fn reading_leaves_it_as_it_is() {
    for (sql, schema) in OLD {
        let (_folder, path) = made(sql);
        let store = Store::open_read_only(&path).unwrap();
        let id = store.list().unwrap()[0].id;
        let (run, records) = store.load(id).unwrap();
        assert_eq!((run.mask, version(&path)), ((schema == 3).then_some(Mask::NoAes), schema));
        let against = Against { old: "libcrypto.so.3".into(), threshold: Share(0.05) };
        assert_eq!(run.against, (schema >= 2).then_some(against));
        assert!(records.iter().any(|record| !record.sittings.is_empty()));
        let calls: Vec<_> = records.iter().flat_map(|record| &record.latency).map(|one| one.calls.calls()).collect();
        assert_eq!(calls, if schema >= 2 { vec![4] } else { vec![] });
        let memories = records.iter().flat_map(|record| &record.memory).count();
        assert_eq!(memories, usize::from(schema >= 3));
        let samples = records.iter().flat_map(|record| &record.sittings).flat_map(|sitting| &sitting.samples);
        assert!(samples.into_iter().all(|sample| sample.series.is_empty()));
    }
}

#[test]
fn writing_brings_it_up_to_date_and_loses_nothing() {
    for (sql, _) in OLD {
        let (_folder, path) = made(sql);
        let before = Store::open_read_only(&path).unwrap();
        let id = before.list().unwrap()[0].id;
        let before = before.load(id).unwrap();
        let store = Store::open(&path).unwrap();
        assert_eq!(version(&path), 4);
        assert_eq!(store.load(id).unwrap(), before);

        let run = ciphermeter_core::Run { mask: Some(Mask::NoVaes), ..crate::common::run() };
        let next = store.begin(&run, &crate::common::cells(2)).unwrap();
        store.begin_sitting(next, 0, 0).unwrap();
        let mut calls = Histogram::default();
        calls.add_many(75, 1000);
        let latency = Latency { sitting: 0, short: true, clock_ns: 21, calls };
        store.commit_latency(next, &[(CellId(1), latency.clone())]).unwrap();
        let memory = Memory { iterations: 9, peak_rss: Some(4096), ..Memory::default() };
        store.commit_memory(next, CellId(0), &memory).unwrap();
        let mut samples = crate::common::samples(1, 0);
        samples[0].series = vec![(Series::PeerRss, vec![4096])];
        store.commit_round(next, 0, 0, &samples).unwrap();
        drop(store);
        let store = Store::open(&path).unwrap();
        let (run, records) = store.load(next).unwrap();
        assert_eq!(run.mask, Some(Mask::NoVaes));
        assert_eq!(records[0].sittings[0].samples, samples);
        assert_eq!((&records[1].latency, &records[0].memory), (&vec![latency], &vec![memory]));
        assert_eq!(store.load(id).unwrap(), before);
    }
}

#[test]
fn a_failure_midway_leaves_the_old_store_whole() {
    for (sql, schema) in OLD {
        let (_folder, path) = made(sql);
        // A table of that name stands in the way, after the first steps are done.
        Connection::open(&path).unwrap().execute_batch("CREATE TABLE series (n)").unwrap();
        Store::open(&path).unwrap_err();
        Connection::open(&path).unwrap().execute_batch("DROP TABLE series").unwrap();
        assert_eq!(version(&path), schema);
        Store::open(&path).expect("nothing of the first try is left");
        assert_eq!(version(&path), 4);
    }
}

/// However a store came to be, its tables have the same columns.
#[test]
fn a_store_brought_up_to_date_is_like_a_new_one() {
    let columns = |path: &Path| {
        let sql = "SELECT s.name || '.' || c.name || ' ' || c.type || c.\"notnull\" || c.pk
                   FROM sqlite_schema s, pragma_table_xinfo(s.name) c WHERE s.type = 'table' ORDER BY s.name, c.cid";
        let connection = Connection::open(path).unwrap();
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map((), |row| row.get(0)).unwrap();
        rows.collect::<Result<Vec<String>, _>>().unwrap()
    };
    let (folder, new) = made("");
    Store::open(&new).unwrap();
    for (sql, _) in OLD {
        let (_folder, path) = made(sql);
        Store::open(&path).unwrap();
        assert_eq!(columns(&path), columns(&new));
    }
    drop(folder);
}
