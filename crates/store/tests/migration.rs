//! A store of an older schema is read unchanged, and migrated when it is written.

use std::path::{Path, PathBuf};

use ciphermeter_core::{Against, CellId, Histogram, Latency, Mask, Memory, Metric, Series, Share};
use ciphermeter_store::Store;
use rusqlite::Connection;

const FIRST: &str = include_str!("first_schema.sql");
const SECOND: &str = include_str!("second_schema.sql");
const THIRD: &str = include_str!("third_schema.sql");
const FOURTH: &str = include_str!("fourth_schema.sql");
/// Each with its version.
const OLD: [(&str, i64); 4] = [(FIRST, 1), (SECOND, 2), (THIRD, 3), (FOURTH, 4)];

fn old_store(sql: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    (folder, path)
}

fn version(path: &Path) -> i64 {
    Connection::open(path).unwrap().query_row("PRAGMA user_version", (), |row| row.get(0)).unwrap()
}

#[test]
fn reading_leaves_an_old_store_unchanged() {
    for (sql, schema) in OLD {
        let (_folder, path) = old_store(sql);
        let store = Store::open_read_only(&path).unwrap();
        let id = store.list().unwrap()[0].id;
        let (run, records) = store.load(id).unwrap();
        assert_eq!((run.mask, version(&path)), ((schema >= 3).then_some(Mask::NoAes), schema));
        let against = Against { old: "libcrypto.so.3".into(), threshold: Share(0.05), may_hide: None };
        assert_eq!(run.against, (schema >= 2).then_some(against));
        assert!(records.iter().any(|record| !record.forks.is_empty()));
        let calls: Vec<_> = records.iter().flat_map(|record| &record.latency).map(|one| one.calls.calls()).collect();
        assert_eq!(calls, if schema >= 2 { vec![4] } else { vec![] });
        let memories = records.iter().flat_map(|record| &record.memory).count();
        assert_eq!(memories, usize::from(schema >= 3));
        let samples = records.iter().flat_map(|record| &record.forks).flat_map(|fork| &fork.samples);
        let series: Vec<_> = samples.flat_map(|sample| sample.series.clone()).collect();
        assert_eq!(series, if schema >= 4 { vec![(Series::Rss, vec![4096, 8192])] } else { vec![] });
    }
}

/// In the fourth schema a fork was a sitting, the reference an anchor, the probe the witness, and so on.
#[test]
fn old_words_are_read_as_todays() {
    let (_folder, path) = old_store(FOURTH);
    for migrated in [false, true] {
        let store = if migrated { Store::open(&path) } else { Store::open_read_only(&path) }.unwrap();
        let (run, records) = store.load(store.list().unwrap()[0].id).unwrap();
        let pinning = run.host.iter().find(|fact| fact.name == "pinning").expect("the fact's name of today");
        assert_eq!(pinning.value.as_deref(), Some("workers on CPU 1, harness on CPU 0"));
        let summary = records[1].summary.as_ref().expect("a summary");
        assert_eq!((summary.reference, summary.range.high, summary.forks), (CellId(0), 3.0, 2));
        assert_eq!(summary.undisturbed_limit, Some(215_000));
        let probes: Vec<_> = records[1].forks.iter().map(|fork| fork.samples[0].count(Metric::PROBE)).collect();
        assert_eq!(probes, [Some(201_000), None]);
    }
}

#[test]
fn writing_migrates_an_old_store_without_loss() {
    for (sql, _) in OLD {
        let (_folder, path) = old_store(sql);
        let before = Store::open_read_only(&path).unwrap();
        let id = before.list().unwrap()[0].id;
        let before = before.load(id).unwrap();
        let store = Store::open(&path).unwrap();
        assert_eq!(version(&path), 5);
        assert_eq!(store.load(id).unwrap(), before);

        let run = ciphermeter_core::Run { mask: Some(Mask::NoVaes), ..crate::common::run() };
        let next = store.begin(&run, &crate::common::cells(2)).unwrap();
        store.begin_fork(next, 0, 0).unwrap();
        let mut calls = Histogram::default();
        calls.add_many(75, 1000);
        let latency = Latency { fork: 0, short: true, clock_ns: 21, calls };
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
        assert_eq!(records[0].forks[0].samples, samples);
        assert_eq!((&records[1].latency, &records[0].memory), (&vec![latency], &vec![memory]));
        assert_eq!(store.load(id).unwrap(), before);
    }
}

#[test]
fn failed_migration_leaves_the_old_store_unchanged() {
    for (sql, schema) in OLD {
        let (_folder, path) = old_store(sql);
        // A table of that name is in the way, after the first steps are done.
        Connection::open(&path).unwrap().execute_batch("CREATE TABLE fork (n)").unwrap();
        Store::open(&path).unwrap_err();
        Connection::open(&path).unwrap().execute_batch("DROP TABLE fork").unwrap();
        assert_eq!(version(&path), schema);
        Store::open(&path).expect("nothing of the first try is left");
        assert_eq!(version(&path), 5);
    }
}

/// A migrated store's tables have the same columns as a new store's.
#[test]
fn migrated_store_has_the_columns_of_a_new_one() {
    let columns = |path: &Path| {
        let sql = "SELECT s.name || '.' || c.name || ' ' || c.type || c.\"notnull\" || c.pk
                   FROM sqlite_schema s, pragma_table_xinfo(s.name) c WHERE s.type = 'table' ORDER BY s.name, c.cid";
        let connection = Connection::open(path).unwrap();
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map((), |row| row.get(0)).unwrap();
        rows.collect::<Result<Vec<String>, _>>().unwrap()
    };
    let (folder, new) = old_store("");
    Store::open(&new).unwrap();
    for (sql, _) in OLD {
        let (_folder, path) = old_store(sql);
        Store::open(&path).unwrap();
        assert_eq!(columns(&path), columns(&new));
    }
    drop(folder);
}
