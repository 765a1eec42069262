//! Simulated runs whose truth is known: three libraries with two ciphers at three sizes, under nine kinds of noise. Equal ciphers are
//! hardly ever recommended one before the other, and one that is faster by a tenth is.

use ciphermeter_core::{Algorithm, METHOD, Metric, Operation, Record, RunPlan};
use ciphermeter_estimate::fill;

use crate::fixtures::{self, Made, cell};
use crate::{TableOptions, screen};

const LIBRARIES: [&str; 3] = ["openssl", "ring", "go"];
const CIPHERS: [Algorithm; 2] = [Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305];
const SIZES: [u64; 3] = [16, 1024, 16_384];
const FORKS: usize = 16;
const ROUNDS: usize = 15;

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

/// What moves a whole run's times: of its forks, and of their rounds.
struct World {
    noise: Noise,
    random: fastrand::Rng,
    /// By library, cipher and fork: what its process does, as a logarithm.
    processes: Vec<Vec<f64>>,
    /// By fork and round: what the machine does, as a logarithm.
    speed: Vec<Vec<f64>>,
    /// By fork and round: whether a neighbour is there, and whether a burst is.
    neighbour: Vec<Vec<bool>>,
}

impl World {
    fn new(noise: Noise, seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let processes = (0..LIBRARIES.len() * CIPHERS.len()).map(|_| processes(noise, &mut random)).collect();
        let mut rounds = |value: &mut dyn FnMut(&mut fastrand::Rng, usize, usize) -> f64| -> Vec<Vec<f64>> {
            (0..FORKS).map(|fork| (0..ROUNDS).map(|round| value(&mut random, fork, round)).collect()).collect()
        };
        let swing = if noise == Noise::Drift { 0.25 } else { 0.03 };
        let speed = rounds(&mut |random, fork, round| {
            swing * ((fork * ROUNDS + round) as f64 / 40.0).sin() + 0.01 * normal(random)
        });
        // A neighbour stays for three rounds, a burst for one.
        let often = if noise == Noise::Bursts { 0.1 } else { 0.4 };
        let mut there = false;
        let neighbour = rounds(&mut |random, _, round| {
            there = if round % 3 == 0 || noise == Noise::Bursts { random.f64() < often } else { there };
            f64::from(u8::from(there))
        });
        let neighbour = neighbour.into_iter().map(|fork| fork.into_iter().map(|there| there > 0.0).collect()).collect();
        Self { noise, random, processes, speed, neighbour }
    }

    /// Nanoseconds of a sample that takes 300 µs by itself, and what is counted beside them.
    fn sample(&mut self, process: usize, fork: usize, round: usize, log: f64) -> Vec<(Metric, u64)> {
        let is_there = self.neighbour[fork][round];
        let mut log = log + self.processes[process][fork] + self.speed[fork][round] + 0.005 * normal(&mut self.random);
        let mut counts = Vec::new();
        match self.noise {
            // Student's t with two degrees of freedom.
            Noise::HeavyTails => {
                let square = |random: &mut fastrand::Rng| normal(random).powi(2);
                let two = square(&mut self.random) + square(&mut self.random);
                log += 0.01 * normal(&mut self.random) / (two / 2.0).sqrt().max(0.05);
            }
            Noise::NeighbourOfOneCipher => {
                counts.push((Metric::PROBE, if is_there { 1600 } else { 1000 } + self.random.u64(0..20)));
                log += if is_there { [0.23, 0.05][process % 2] } else { 0.0 };
            }
            Noise::Bursts if is_there && self.random.f64() < 0.5 => log += 1.1,
            _ => {}
        }
        let mut ns = 300_000.0 * log.exp();
        match self.noise {
            Noise::CoarseClock => ns = (ns / 15_000.0 + self.random.f64()).floor() * 15_000.0,
            Noise::Preemption if self.random.f64() < 0.1 => {
                ns += 2e6;
                counts.push((Metric::OFF_CPU, 2_000_000));
            }
            _ => {}
        }
        counts.insert(0, (Metric::NS, ns as u64));
        counts
    }
}

/// What a process of one cipher of a library does in each fork.
fn processes(noise: Noise, random: &mut fastrand::Rng) -> Vec<f64> {
    let mut state = normal(random);
    let mut of_fork = |_| {
        let own = 0.005 * normal(random);
        match noise {
            Noise::LevelsByProcess if random.f64() < 0.4 => own + 0.08,
            Noise::RareSlowProcesses if random.f64() < 0.1 => own + 0.3,
            Noise::CorrelatedForks => {
                state = 0.8 * state + 0.6 * normal(random);
                own + 0.03 * state
            }
            _ => own,
        }
    };
    (0..FORKS).map(&mut of_fork).collect()
}

fn normal(random: &mut fastrand::Rng) -> f64 {
    (0..12).map(|_| random.f64()).sum::<f64>() - 6.0
}

/// A run in which ChaCha20 takes so many times as long as AES.
fn run(noise: Noise, seed: u64, ratio: f64) -> Vec<Record> {
    let made: Vec<Made> = LIBRARIES
        .into_iter()
        .flat_map(|library| CIPHERS.map(|cipher| SIZES.map(|size| cell(library, cipher, Operation::Seal, size, 3e4))))
        .flatten()
        .collect();
    let mut records = fixtures::records(&made, FORKS as u32);
    let mut world = World::new(noise, seed);
    for (place, record) in records.iter_mut().enumerate() {
        let process = place / SIZES.len();
        let log = if record.cell.algorithm == CIPHERS[1] { ratio.ln() } else { 0.0 };
        for (fork, own) in record.forks.iter_mut().enumerate() {
            for (round, sample) in own.samples.iter_mut().enumerate() {
                (sample.iterations, sample.counts) = (10, world.sample(process, fork, round, log));
            }
        }
        record.summary = None;
    }
    let plan = RunPlan { method: METHOD, ..RunPlan::default() };
    fill(&fixtures::head().scenario, false, &plan, &mut records);
    records
}

/// Of so many runs, the shares that recommend AES, and ChaCha20.
fn recommended(noise: Noise, runs: u64, ratio: f64) -> [f64; 2] {
    let mut count = [0.0; 2];
    for seed in 0..runs {
        let text = screen(&fixtures::head(), &run(noise, seed, ratio), TableOptions::default()).text;
        count[0] += f64::from(u8::from(text.contains("Use AES-256-GCM.")));
        count[1] += f64::from(u8::from(text.contains("Use ChaCha20-Poly1305.")));
    }
    count.map(|count| count / runs as f64)
}

fn check(runs: u64) {
    for noise in ALL {
        let [aes, chacha20] = recommended(noise, runs, 1.0);
        let [right, wrong] = recommended(noise, runs, 1.1);
        println!(
            "{noise:?}: of {runs} runs of equals {:.1} % recommend one; of a tenth {:.1} % the faster, {:.1} % the slower",
            100.0 * (aes + chacha20),
            100.0 * right,
            100.0 * wrong
        );
        assert!(aes + chacha20 <= 0.05 && wrong == 0.0, "{noise:?}: {aes} {chacha20} {wrong}");
        // What forks in turn have in common leaves a tenth unknown.
        assert!(right >= 0.9 || noise == Noise::CorrelatedForks, "{noise:?}: {right}");
    }
}

#[test]
fn equals_are_not_recommended_one_before_the_other_and_a_tenth_is() {
    check(20);
}

#[test]
#[ignore = "deep: 200 runs of each"]
fn equals_are_not_recommended_one_before_the_other_in_many_runs() {
    check(200);
}
