//! A killed process loses at most the round that it had not committed yet.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use ciphermeter_store::{ForkState, Store};

const STORE: &str = "CIPHERMETER_TEST_KILLED_STORE";

/// The process that gets killed. It prints each round's number once it is committed.
fn write_for_ever(path: &Path) {
    let (store, id) = crate::common::begun(path, 50);
    for round in 0.. {
        store.commit_round(id, 0, round, &crate::common::samples(50, round)).unwrap();
        println!("committed {round}");
        std::io::stdout().flush().unwrap();
    }
}

/// Kills a writer after `rounds` acknowledged rounds, and returns the number of the last that it acknowledged.
fn kill_after(path: &Path, rounds: usize) -> u32 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kill::every_acknowledged_round_survives", "--nocapture"])
        .env(STORE, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    // The test harness prints its own text before the first.
    let mut numbers = lines.filter_map(|line| line.split("committed ").nth(1)?.parse::<u32>().ok());
    let last = numbers.by_ref().take(rounds).last().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    numbers.last().unwrap_or(last)
}

#[test]
fn every_acknowledged_round_survives() {
    // This very test is started once more to be killed.
    if let Some(path) = std::env::var_os(STORE) {
        return write_for_ever(Path::new(&path));
    }
    for rounds in [1, 2, 17, 120, 800] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.db");
        let last = kill_after(&path, rounds);

        let store = Store::open(&path).unwrap();
        let id = store.last_open().unwrap().unwrap();
        let (_, records) = store.load(id).unwrap();
        let fork = &records[49].forks[0];
        let expected: Vec<u32> = (0..fork.rounds.len() as u32).collect();
        assert_eq!(fork.rounds, expected);
        assert!(fork.rounds.len() as u32 > last, "{last} was acknowledged, {} are there", fork.rounds.len());
        assert!(fork.rounds.len() as u32 <= last + 2, "at most one more than was acknowledged");
        for (number, sample) in expected.iter().zip(&fork.samples) {
            assert_eq!(*sample, crate::common::samples(50, *number)[49]);
        }
        assert_eq!(store.close_broken_forks(id).unwrap(), 1);
        assert_eq!(store.forks(id).unwrap()[0].state, ForkState::Short);
        store.begin_fork(id, store.next_fork(id).unwrap(), 0).unwrap();
        store.commit_round(id, 1, 0, &crate::common::samples(50, 0)).unwrap();
    }
}
