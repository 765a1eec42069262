//! AES or ChaCha20 comes first: how a run divides its time, and how soon the question is answered on busy machines.

use ciphermeter_core::{Operation, Record};
use ciphermeter_stats::median;

use crate::ciphers::{Ciphers, Processes};
use crate::machine::Habits;
use crate::model::Model;
use crate::trial::{Kept, Trial};

/// The two AEADs sealed, opened, and their keys set up.
const CELLS: &str = "[[cells]]\nalgorithms = ['aes-256-gcm', 'chacha20-poly1305']\noperations = ['seal', 'open']\n\
                     messages = ['16', '64', '256', '1KiB', '16KiB', '1MiB']\n\
                     [[cells]]\nalgorithms = ['aes-256-gcm', 'chacha20-poly1305']\noperations = ['key-setup']\nmessages = ['0']";

const PLAIN: Ciphers = Ciphers { slower: 1.5, slower_key: 0.5, shared: 1.0, processes: Processes::Alike };

fn library(name: &str, ciphers: Ciphers) -> Model {
    Model { ciphers: Some(ciphers), spread: 0.005, ..Model::new(name, 100.0) }
}

fn witness() -> Model {
    Model { probe: true, shared: 1.6, ..Model::new("witness", 2e2) }
}

fn trial(models: impl Into<Vec<Model>>) -> Trial {
    Trial { lines: CELLS, budget: "20s", precision: "0.01%", watches: true, ..Trial::new(models) }
}

fn of(kept: &Kept, operation: Operation) -> Vec<&Record> {
    kept.records.iter().filter(|record| record.cell.operation == operation).collect()
}

/// The first fork in which a cell has samples, and in how many it has.
fn forks(record: &Record) -> (u32, usize) {
    let own = || record.forks.iter().filter(|fork| !fork.samples.is_empty());
    (own().next().map_or(u32::MAX, |fork| fork.number), own().count())
}

#[test]
fn other_cells_join_once_the_question_is_answered() {
    let (end, kept) = trial([library("a", PLAIN), library("b", PLAIN), witness()]).run();
    end.unwrap();
    let answered = kept.answered.expect("it is answered");
    assert!(answered < 8.0 && kept.seconds > 15.0, "{answered} of {} s", kept.seconds);
    let first = |operation| of(&kept, operation).into_iter().map(|record| forks(record).0).collect::<Vec<_>>();
    assert!(first(Operation::Seal).iter().chain(&first(Operation::KeySetup)).all(|fork| *fork == 0));
    let joined = first(Operation::Open);
    assert!(joined.iter().all(|fork| *fork >= 6 && *fork == joined[0]), "{joined:?}");
    assert!(of(&kept, Operation::Open).into_iter().all(|record| forks(record).1 >= 12), "they have the rest");
    assert!(kept.records.iter().all(|record| record.summary.as_ref().unwrap().ratio.is_some()));
}

#[test]
fn question_without_an_answer_leaves_others_half_of_the_time() {
    // What differs between processes takes more of them than there are.
    let unsteady = |name| Model { spread: 0.3, ..library(name, Ciphers { slower: 1.02, ..PLAIN }) };
    let (end, kept) = trial([unsteady("a"), unsteady("b"), witness()]).run();
    end.unwrap();
    assert_eq!(kept.answered, None);
    let joined = forks(of(&kept, Operation::Open)[0]).0;
    let all = kept.records[0].forks.iter().filter(|fork| !fork.short).count();
    assert!((12..all as u32 - 6).contains(&joined), "{joined} of {all} forks");
}

#[test]
fn processes_that_start_slowly_serve_all_cells() {
    let slow = Model { starting: 0.01, ..library("a", PLAIN) };
    let (end, kept) = trial([slow, witness()]).run();
    end.unwrap();
    assert!(kept.records.iter().all(|record| forks(record).0 == 0), "each has been in every fork");
    assert!(kept.answered.is_some());
}

/// The question's cells have many forks when it is ended, and the others hardly any.
#[test]
fn resumed_run_gives_cells_that_joined_late_their_forks() {
    let models = || [library("a", PLAIN), library("b", PLAIN), witness()];
    let (_, kept) = Trial { interrupted_after: 1.9, ..trial(models()) }.run();
    let late = forks(of(&kept, Operation::Open)[0]).1;
    assert!(kept.answered.is_some() && late < 6, "{late} forks after {:?} s", kept.answered);
    let (end, kept) = trial(models()).resume(kept);
    end.unwrap();
    let least = of(&kept, Operation::Open).into_iter().map(|record| record.summary.as_ref().unwrap().forks).min();
    assert!(least >= Some(12), "{least:?}");
}

#[test]
fn run_of_one_cipher_asks_nothing() {
    let (_, kept) = Trial::new([Model::new("a", 100.0), Model::new("b", 130.0)]).run();
    assert_eq!(kept.answered, None);
}

/// Seconds until nine of ten of 36 comparisons were decided, on machines that are as busy as those on which people wait.
#[test]
#[ignore = "deep: runs of a minute on busy machines"]
fn answer_comes_soon_on_busy_machines() {
    let ratios = [1.3, 1.5, 2.0, 0.7, 1.2, 3.0];
    let close = [1.08, 1.1, 1.12, 0.9, 1.07, 1.15];
    let worlds = [
        ("57 % disturbed, 10 ms", Some((0.57, 1e7)), ratios),
        ("85 % disturbed, 10 ms", Some((0.85, 1e7)), ratios),
        ("85 % disturbed, 2 s", Some((0.85, 2e9)), ratios),
        ("70 % disturbed, 10 ms, close", Some((0.70, 1e7)), close),
        ("20 % disturbed, 10 ms", Some((0.20, 1e7)), ratios),
    ];
    for (name, beside, ratios) in worlds {
        let seconds = |seed| {
            let library = |(place, slower): (usize, f64)| {
                let ciphers = Ciphers { slower, shared: 1.2, ..PLAIN };
                let name = format!("library-{place}");
                Model { ciphers: Some(ciphers), shared: 1.2, spread: 0.005, starting: 1e-4, ..Model::new(&name, 100.0) }
            };
            let models: Vec<Model> = ratios.into_iter().enumerate().map(library).chain([witness()]).collect();
            let mut trial = Trial { budget: "60s", precision: "2%", seed, ..trial(models) };
            trial.habits = Habits { beside, noise: 0.004, drift: 0.05, ..Habits::default() };
            let (_, kept) = trial.run();
            [kept.decided, kept.answered].map(|seconds| seconds.unwrap_or(f64::INFINITY))
        };
        let all: Vec<[f64; 2]> = (1..=2).map(seconds).collect();
        let [decided, known] =
            [0, 1].map(|place| median(&mut all.iter().map(|one| one[place]).collect::<Vec<_>>()).unwrap());
        println!("{name}: nine of ten decided after {decided:.1} s, all known after {known:.1} s");
        assert!(decided < 15.0 && known < 30.0, "{name}: {all:?}");
    }
}
