//! Whole runs, question first, whose truth is known: three libraries with two ciphers at three sizes, under nine kinds of noise. Equal
//! ciphers are hardly ever recommended one before the other, and one that is faster by a tenth is.

use std::thread;
use std::time::Duration;

use ciphermeter_estimate::{Side, recommended};

use crate::ciphers::{Ciphers, Processes};
use crate::machine::Habits;
use crate::model::Model;
use crate::trial::{Trial, comparisons};

const CELLS: &str = "[[cells]]\nalgorithms = ['aes-256-gcm', 'chacha20-poly1305']\noperations = ['seal', 'open']\n\
                     messages = ['16', '1KiB', '16KiB']";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Noise {
    LevelsByProcess,
    HeavyTails,
    Drift,
    CorrelatedForks,
    NeighbourOfOneCipher,
    Bursts,
    RareSlowProcesses,
    CoarseClock,
    Preemption,
}

const ALL: [Noise; 9] = [
    Noise::LevelsByProcess,
    Noise::HeavyTails,
    Noise::Drift,
    Noise::CorrelatedForks,
    Noise::NeighbourOfOneCipher,
    Noise::Bursts,
    Noise::RareSlowProcesses,
    Noise::CoarseClock,
    Noise::Preemption,
];

/// Which cipher a run recommends where ChaCha20 takes so many times as long as AES.
fn run(noise: Noise, seed: u64, slower: f64) -> Option<Side> {
    let mut habits = Habits { noise: 0.004, drift: 0.03, ..Habits::default() };
    let mut ciphers = Ciphers { slower, slower_key: 1.0, shared: 1.0, processes: Processes::Alike };
    let (mut shared, mut preempted, mut step_ns) = (1.0, 0, 1);
    match noise {
        Noise::LevelsByProcess => ciphers.processes = Processes::Levels(40, 1.08),
        Noise::RareSlowProcesses => ciphers.processes = Processes::Levels(10, 1.35),
        Noise::CorrelatedForks => ciphers.processes = Processes::Correlated(0.03),
        Noise::HeavyTails => habits.tails = 0.01,
        Noise::Drift => habits.drift = 0.25,
        Noise::NeighbourOfOneCipher => (habits.beside, shared, ciphers.shared) = (Some((0.5, 3e7)), 1.05, 1.2),
        Noise::Bursts => (habits.beside, shared) = (Some((0.85, 1e7)), 1.3),
        Noise::CoarseClock => step_ns = 1000,
        Noise::Preemption => preempted = 20,
    }
    let library = |name: &str, each| {
        let ciphers = Some(ciphers);
        Model { ciphers, spread: 0.005, shared, preempted, step_ns, ..Model::new(name, each) }
    };
    let witness = Model { probe: true, shared: 1.6, ..Model::new("witness", 2e2) };
    let models = [library("a", 100.0), library("b", 120.0), library("c", 300.0), witness];
    // Fewer samples, so that thousands of runs fit into minutes; what bursts leave is shorter than these.
    let sample = (noise != Noise::Bursts).then(|| Duration::from_millis(1));
    let trial = Trial { habits, seed, sample, lines: CELLS, budget: "6s", precision: "2%", ..Trial::new(models) };
    recommended(&comparisons(&trial.run().1.records), 0)
}

/// In how many of so many runs each is recommended.
fn runs(noise: Noise, runs: u64, slower: f64) -> [usize; 2] {
    let half = move |from: u64| (from..runs).step_by(2).map(|seed| run(noise, seed, slower)).collect::<Vec<_>>();
    let all = thread::scope(|scope| {
        let other = scope.spawn(move || half(1));
        [half(0), other.join().unwrap()].concat()
    });
    [Side::First, Side::Second].map(|side| all.iter().filter(|found| **found == Some(side)).count())
}

/// At most 5 % of `equals` runs recommend one of two equals; at least 90 % of `tenths` the one that is faster by a tenth, and none the
/// other.
fn judge(equals: u64, tenths: u64) {
    for noise in ALL {
        let wrong: usize = runs(noise, equals, 1.0).iter().sum();
        let [first, second] = runs(noise, tenths, 1.1);
        println!(
            "{noise:?}: {wrong} of {equals} equals; of a tenth {first} of {tenths} the faster, {second} the slower"
        );
        assert!(20 * wrong as u64 <= equals.max(20), "{noise:?}: {wrong} of {equals}");
        // Forks that are alike are fewer than they seem.
        let knowable = noise != Noise::CorrelatedForks;
        assert!(second == 0 && (!knowable || 10 * first as u64 + 10 >= 9 * tenths), "{noise:?}: {first} of {tenths}");
    }
}

#[test]
fn equals_are_not_recommended_and_a_tenth_is_named() {
    judge(3, 2);
}

#[test]
#[ignore = "deep: 2,250 whole runs"]
fn equals_are_not_recommended_and_a_tenth_is_named_in_many_runs() {
    judge(200, 50);
}
