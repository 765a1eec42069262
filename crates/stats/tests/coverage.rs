//! Do the intervals hold what they promise? The whole procedure is simulated, stopping included: rounds with heavy-tailed noise
//! and a machine whose speed drifts, forks that really differ, the median, Student's t, the rule when to stop.
//! Of 2,000 runs, 93 to 97 % must hold the truth, whatever the forks' spread.

use ciphermeter_stats::{LEAST_FORKS, Round, Stop, Timed, Turn, median, pairs};
use rand::rngs::SmallRng;
use rand::{Rng, RngExt, SeedableRng};
use rand_distr::{Distribution, Normal};

const RUNS: usize = 2000;
const ROUNDS: usize = 15;
const TRUTH: f64 = 0.07;

/// One fork: cell and reference in each round, on a machine that wanders, with one interruption in twenty batches.
fn fork(spread: f64, random: &mut impl Rng) -> Vec<Round> {
    let truth = TRUTH + Normal::new(0.0, spread).unwrap().sample(random);
    let noise = Normal::new(0.0, 0.004).unwrap();
    let step = Normal::new(0.0, 0.03).unwrap();
    let mut speed = 0.0;
    let batch = |turn: u32, log: f64, random: &mut _| {
        let interrupted = if RngExt::random_bool(random, 0.05) { 0.4 } else { 0.0 };
        let ns = (3e5 * (log + noise.sample(random) + interrupted).exp()) as u64;
        Turn { turn, timed: Timed { ns, iterations: 100 } }
    };
    (0..ROUNDS)
        .map(|_| {
            speed += step.sample(random);
            Round { cell: vec![batch(0, speed + truth, random)], reference: vec![batch(1, speed, random)] }
        })
        .collect()
}

/// One run: forks until it is enough, or until the budget is spent. True if the interval holds the truth.
fn run(spread: f64, precision: f64, random: &mut impl Rng) -> (bool, usize) {
    const BUDGET: usize = 12;
    let stop = Stop { precision };
    let mut medians = Vec::new();
    while medians.len() < BUDGET && !stop.enough(&medians) {
        medians.extend(median(&mut pairs(&fork(spread, random))));
    }
    let estimate = stop.estimate(&medians).unwrap();
    (estimate.low <= TRUTH && TRUTH <= estimate.high, medians.len())
}

#[test]
fn intervals_hold_the_truth_in_93_to_97_percent_of_runs() {
    for (spread, precision) in [(0.002, 0.02), (0.005, 0.005), (0.01, 0.01), (0.01, 0.02), (0.025, 0.02), (0.025, 0.03)]
    {
        let mut random = SmallRng::seed_from_u64(20_261_121);
        let (mut held, mut forks) = (0, 0);
        for _ in 0..RUNS {
            let (holds, used) = run(spread, precision, &mut random);
            held += usize::from(holds);
            forks += used;
        }
        let coverage = held as f64 / RUNS as f64;
        let mean = forks as f64 / RUNS as f64;
        println!("spread {spread}, precision {precision}: {:.1} % hold, {mean:.1} forks", coverage * 100.0);
        assert!((0.93..=0.97).contains(&coverage), "spread {spread}, precision {precision}: {coverage}");
        assert!(mean >= LEAST_FORKS as f64);
    }
}
