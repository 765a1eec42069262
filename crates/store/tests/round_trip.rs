//! What is stored is read back unchanged, but for text that a terminal would act on, which is escaped.

use std::collections::BTreeMap;

use ciphermeter_core::{
    CellId, Histogram, Interval, Latency, Memory, Metric, Note, Outcome, Provenance, RunStatus, SampleRange, Series,
    Setup, Summary,
};
use ciphermeter_store::{ForkState, Store};

fn provenance() -> Provenance {
    Provenance {
        worker: "native".into(),
        runtime: "rust".into(),
        language: Some("Go".into()),
        version: "1.2.3".into(),
        path: "vaes-avx512".into(),
        setup: Setup::Inside,
        library: Some("libcrypto.so.3".into()),
        sha256: None,
        program: None,
        device: None,
    }
}

fn summary() -> Summary {
    Summary {
        reference: CellId(1),
        ratio: Some(Interval { mid: 1.25, low: 1.2, high: 1.3 }),
        range: SampleRange { low: 700.5, mid: 750.125, high: 801.0 },
        converged: true,
        undisturbed_limit: Some(215_000),
        undisturbed_limits: BTreeMap::from([(1, 240_000)]),
        correlation: 0.0,
        forks: 2,
        rounds: 4,
        warnings: vec!["runs on two levels".into()],
    }
}

fn counted() -> Memory {
    Memory {
        fork: 1,
        iterations: 1000,
        idle_rss: Some(9 << 20),
        peak_rss: Some(0),
        peak_heap: Some(4096),
        allocated: Some((1 << 53) - 1),
        counter: Some("tracemalloc".into()),
    }
}

#[test]
fn run_is_read_back_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made/for it/runs.db");
    let (store, id) = crate::common::begun(&path, 3);
    for round in 0..3 {
        store.commit_round(id, 0, round, &crate::common::samples(2, round)).unwrap();
    }
    for calls in [5, 9] {
        let mut histogram = Histogram::default();
        histogram.add_many(812, calls);
        let latency = Latency { fork: 0, short: false, clock_ns: 23, calls: histogram };
        store.commit_latency(id, &[(CellId(2), latency)]).unwrap();
    }
    store.end_fork(id, 0, true).unwrap();
    store.begin_fork(id, 1, 0).unwrap();
    // The later first: they are read in the forks' order.
    let nobody_counts = Memory { fork: 0, iterations: 40, ..Memory::default() };
    for memory in [counted(), nobody_counts.clone()] {
        store.commit_memory(id, CellId(2), &memory).unwrap();
    }
    store.commit_round(id, 1, 0, &crate::common::samples(1, 7)).unwrap();
    store.set_provenance(id, CellId(0), &provenance()).unwrap();
    store.set_outcome(id, CellId(1), &Outcome::WrongOutput { why: "a tag of zeros".into() }).unwrap();
    store.set_summaries(id, &[(CellId(0), summary())]).unwrap();
    store.finish(id, RunStatus::Partial, &[Note::other("done\u{1b}[0m")]).unwrap();
    drop(store);

    let (run, records) = Store::open_read_only(&path).unwrap().load(id).unwrap();
    let expected = crate::common::run();
    assert_eq!((run.id, run.status, run.notes), (id, RunStatus::Partial, vec![Note::other(r"done\u{1b}[0m")]));
    assert_eq!((run.seed, run.scenario, run.host), (expected.seed, expected.scenario, expected.host));
    assert_eq!((run.against, run.mask), (expected.against, expected.mask));
    assert_eq!(records.iter().map(|record| record.cell.clone()).collect::<Vec<_>>(), crate::common::cells(3));
    assert_eq!((records[0].provenance.clone(), records[0].summary.clone()), (Some(provenance()), Some(summary())));
    assert_eq!(records[0].outcome, Outcome::Measured);
    assert_eq!(records[1].outcome, Outcome::WrongOutput { why: "a tag of zeros".into() });
    assert!(records[2].outcome.is_not_reached());
    let forks = &records[0].forks;
    assert_eq!(forks.iter().map(|s| (s.number, s.short)).collect::<Vec<_>>(), [(0, false), (1, true)]);
    assert_eq!(forks[0].rounds, [0, 1, 2]);
    assert_eq!(forks[0].samples[2], crate::common::samples(2, 2)[0]);
    let latency: Vec<_> = records[2].latency.iter().map(|l| (l.fork, l.short, l.clock_ns, l.calls.calls())).collect();
    assert_eq!(latency, [(0, false, 23, 9)], "the latest state of a fork counts");
    assert_eq!(records[2].memory, [nobody_counts, counted()]);
    assert_eq!(forks[1].samples, crate::common::samples(1, 7));
}

#[test]
fn runs_are_listed_and_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let (store, first) = crate::common::begun(&path, 2);
    assert_eq!(store.last_open().unwrap(), Some(first));
    store.commit_round(first, 0, 0, &crate::common::samples(2, 0)).unwrap();
    let second = store.begin(&crate::common::run(), &crate::common::cells(1)).unwrap();
    assert_eq!(store.last_open().unwrap(), Some(second));
    store.finish(second, RunStatus::Complete, &[]).unwrap();
    assert_eq!(store.last_open().unwrap(), Some(first));

    let lines = store.list().unwrap();
    let counts: Vec<_> = lines.iter().map(|line| (line.id, line.cells, line.forks, line.rounds)).collect();
    assert_eq!(counts, [(first, 2, 0, 1), (second, 1, 0, 0)], "a fork that did not end does not count");
    assert_eq!(
        (lines[1].scenario.as_ref(), lines[1].status),
        (Some(&crate::common::run().scenario), RunStatus::Complete)
    );

    assert_eq!(store.forks(first).unwrap()[0].state, ForkState::Open);
    assert_eq!(store.close_broken_forks(first).unwrap(), 1);
    let fork = store.forks(first).unwrap()[0];
    assert_eq!((fork.state, fork.offset, fork.rounds), (ForkState::Short, 192, 1));
    assert_eq!((store.next_fork(first).unwrap(), store.next_fork(second).unwrap()), (1, 0));
}

#[test]
fn reader_sees_complete_rounds_while_another_process_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let (store, id) = crate::common::begun(&path, 2);
    let reader = Store::open_read_only(&path).unwrap();
    let reading = std::thread::spawn(move || {
        let mut seen = 0;
        while seen < 300 {
            let (_, records) = reader.load(id).unwrap();
            let rounds = records.iter().map(|record| record.forks.first().map_or(0, |s| s.rounds.len()));
            let rounds: Vec<_> = rounds.collect();
            assert!(rounds[0] == rounds[1] && rounds[0] >= seen, "{rounds:?} after {seen}");
            seen = rounds[0];
        }
    });
    for round in 0..300 {
        store.commit_round(id, 0, round, &crate::common::samples(2, round)).unwrap();
    }
    reading.join().unwrap();
}

#[test]
fn series_stay_with_their_sample() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let (store, id) = crate::common::begun(&path, 2);
    let round = |number: u64| {
        let mut samples = crate::common::samples(2, 0);
        samples[0].counts.push((Metric::PEER_PEAK_RSS, number));
        samples[1].series =
            vec![(Series::Rss, vec![]), (Series::Cpu, vec![number, 50_000]), (Series::PeerRss, vec![(1 << 53) - 1])];
        samples
    };
    for number in 0..2 {
        store.commit_round(id, 0, number, &round(number.into())).unwrap();
    }
    let (_, records) = Store::open_read_only(&path).unwrap().load(id).unwrap();
    for (cell, record) in records.iter().enumerate() {
        let expected: Vec<_> = (0..2).map(|number| round(number).remove(cell)).collect();
        assert_eq!(record.forks[0].samples, expected);
    }
    // A round that cannot be stored leaves none of its series either.
    store.commit_round(id, 0, 1, &round(9)).unwrap_err();
    let connection = rusqlite::Connection::open(&path).unwrap();
    let count = |sql: &str| connection.query_row(sql, (), |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count("SELECT count(*) FROM series"), 6);
    connection.execute_batch("PRAGMA foreign_keys = off; UPDATE series SET turn = 7 WHERE round = 1").unwrap();
    let error = store.load(id).unwrap_err().to_string();
    assert!(error.contains("a series of no sample"), "{error}");
}

#[test]
fn run_of_another_store_is_added_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let (there, id) = crate::common::begun(&folder.path().join("there.db"), 2);
    there.commit_round(id, 0, 0, &crate::common::samples(2, 0)).unwrap();
    there.end_fork(id, 0, true).unwrap();
    there.set_provenance(id, CellId(0), &provenance()).unwrap();
    there.set_summaries(id, &[(CellId(0), summary())]).unwrap();
    there.commit_memory(id, CellId(1), &Memory { fork: 0, ..counted() }).unwrap();
    let (run, mut records) = there.load(id).unwrap();

    let here = Store::open(&folder.path().join("here.db")).unwrap();
    assert_eq!(here.find(&run, &records).unwrap(), None);
    let added = here.add(&run, &records).unwrap();
    let (imported, stored) = here.load(added).unwrap();
    assert_eq!(stored, records);
    assert_eq!((imported.status, imported.plan.is_imported), (RunStatus::Open, true));
    assert_eq!(here.find(&run, &records).unwrap(), Some(added));
    assert_eq!(here.last_open().unwrap(), None, "it is resumed where it was measured");

    // A place in the round that another cell has.
    records[1].forks[0].samples[0].turn = 0;
    records[0].forks[0].samples[0].series = vec![(Series::Cpu, vec![1])];
    records[1].forks[0].samples[0].series = vec![(Series::Cpu, vec![2])];
    assert_eq!(here.find(&run, &records).unwrap(), None, "it has other samples");
    here.add(&run, &records).unwrap_err();
    assert_eq!(here.list().unwrap().len(), 1);
}
