//! Do the intervals hold what they promise? The whole procedure is simulated, stopping included: rounds with heavy-tailed noise
//! and a machine whose speed drifts, forks that really differ, the median, Student's t, the rule when to stop.
//! Of 2,000 runs, 93 to 97 % must hold the truth, whatever the forks' spread and however many there are.

use ciphermeter_stats::{
    CONFIDENCE, Effect, Estimate, LEAST_FORKS, Round, Stop, Timed, Turn, located, median, pairs, simultaneous,
};
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

fn effect(medians: &[f64]) -> Option<Effect> {
    Effect::paired(&located(medians))
}

fn holds_truth(Estimate { low, high, .. }: Estimate) -> bool {
    (low..=high).contains(&TRUTH)
}

/// One run: it ends after a quarter or after three quarters of its forks if it knows enough then. True if the interval holds the truth.
fn run(spread: f64, precision: f64, random: &mut impl Rng) -> (bool, usize) {
    const BUDGET: usize = 24;
    let stop = Stop { precision };
    let mut medians = Vec::new();
    loop {
        medians.extend(median(&mut pairs(&fork(spread, random))));
        let forks = medians.len();
        if forks == BUDGET || [BUDGET / 4, BUDGET / 4 * 3].contains(&forks) {
            let effect = effect(&medians).unwrap();
            if forks == BUDGET || stop.enough(&effect) {
                return (holds_truth(effect.interval(CONFIDENCE)), forks);
            }
        }
    }
}

#[test]
fn intervals_hold_the_truth_in_93_to_97_percent_of_runs() {
    for (spread, precision) in [(0.002, 0.02), (0.005, 0.005), (0.01, 0.01), (0.01, 0.02), (0.025, 0.02), (0.04, 0.02)]
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

/// The shares of runs whose interval misses at 95 %, and at the confidence of each of forty that are to hold together.
fn missed(forks: usize, runs: usize, value: impl Fn(&mut SmallRng) -> f64) -> [f64; 2] {
    let mut random = SmallRng::seed_from_u64(20_261_128);
    let mut missed = [0; 2];
    for _ in 0..runs {
        let medians: Vec<f64> = (0..forks).map(|_| value(&mut random)).collect();
        let effect = effect(&medians).unwrap();
        for (missed, confidence) in missed.iter_mut().zip([CONFIDENCE, simultaneous(40)]) {
            *missed += usize::from(!holds_truth(effect.interval(confidence)));
        }
    }
    missed.map(|missed| missed as f64 / runs as f64)
}

#[test]
fn intervals_of_any_number_of_forks_hold_the_truth_alone_and_among_forty() {
    let usual = Normal::new(TRUTH, 0.01).unwrap();
    let disturbed = Normal::new(TRUTH, 0.2).unwrap();
    for forks in [6, 8, 10, 15, 16, 20, 30, 40, 60] {
        let [alone, together] = missed(forks, 20_000, |random| usual.sample(random));
        println!("{forks} forks: {:.2} % of intervals miss; {:.3} % among forty", alone * 100.0, together * 100.0);
        assert!((0.03..=0.07).contains(&alone), "{forks}: {alone}");
        // 5 % ÷ 40 is 0.125 %; of 20,000 intervals that many miss 25 times, by chance up to 40.
        assert!(together <= 0.002, "{forks}: {together}");
        let heavy = |random: &mut SmallRng| if random.random_bool(0.1) { &disturbed } else { &usual }.sample(random);
        let [alone, _] = missed(forks, 5000, heavy);
        println!("  where one fork of ten is disturbed, either way: {:.2} %", alone * 100.0);
        assert!(alone <= 0.07, "{forks}, disturbed: {alone}");
    }
}
