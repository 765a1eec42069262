//! Where a rate falls for good: false alarms, power and places, simulated.

use ciphermeter_stats::falls;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Exp, StandardNormal};

/// Noise around a steady rate, as logarithms.
#[derive(Debug, Clone, Copy)]
enum Noise {
    /// Independent.
    White(f64),
    /// Correlation from step to step, and deviation.
    Correlated(f64, f64),
    /// Both at once, which no model of one lag fits.
    Mixed(f64, f64, f64),
    /// Dips of some seconds every half minute.
    Dips,
    /// A neighbour who takes a quarter, and comes or goes with this chance a second.
    Neighbour(f64),
}

fn normal(random: &mut SmallRng) -> f64 {
    StandardNormal.sample(random)
}

fn correlated(random: &mut SmallRng, n: usize, lag: f64, deviation: f64) -> Vec<f64> {
    let mut now = deviation * normal(random);
    (0..n)
        .map(|_| {
            now = lag * now + deviation * (1.0 - lag * lag).sqrt() * normal(random);
            now
        })
        .collect()
}

fn noise(kind: Noise, n: usize, random: &mut SmallRng) -> Vec<f64> {
    match kind {
        Noise::White(deviation) => correlated(random, n, 0.0, deviation),
        Noise::Correlated(lag, deviation) => correlated(random, n, lag, deviation),
        Noise::Mixed(lag, slow, white) => {
            let slow = correlated(random, n, lag, slow);
            slow.into_iter().map(|slow| slow + white * normal(random)).collect()
        }
        Noise::Dips => {
            let mut course = correlated(random, n, 0.0, 0.03);
            let mut at = 0;
            loop {
                let gap: f64 = Exp::new(1.0 / 30.0).unwrap().sample(random);
                let length: f64 = Exp::new(1.0 / 3.0).unwrap().sample(random);
                at += gap as usize + 1;
                let depth = random.random_range(0.1..0.8);
                if at >= n {
                    return course;
                }
                let end = (at + 1 + length as usize).min(n);
                course[at..end].iter_mut().for_each(|value| *value -= depth);
                at = end;
            }
        }
        Noise::Neighbour(chance) => {
            let mut course = correlated(random, n, 0.0, 0.03);
            let mut there = random.random_bool(0.5);
            for value in &mut course {
                there ^= random.random_bool(chance);
                *value -= if there { 0.3 } else { 0.0 };
            }
            course
        }
    }
}

/// A course of rates in bytes a second: noise on a level that `by` changes.
fn course(kind: Noise, n: usize, random: &mut SmallRng, level: impl Fn(usize) -> f64) -> Vec<u64> {
    let noise = noise(kind, n, random);
    noise.iter().enumerate().map(|(k, noise)| (1.5e9 * level(k) * noise.exp()) as u64).collect()
}

/// What a shared machine does; the last one stays for half a minute each time.
const KINDS: [Noise; 11] = [
    Noise::White(0.03),
    Noise::White(0.15),
    Noise::Correlated(0.3, 0.1),
    Noise::Correlated(0.6, 0.1),
    Noise::Correlated(0.8, 0.1),
    Noise::Mixed(0.9, 0.06, 0.06),
    Noise::Mixed(0.95, 0.05, 0.1),
    Noise::Dips,
    Noise::Correlated(0.9, 0.1),
    Noise::Neighbour(0.1),
    Noise::Neighbour(0.04),
];

fn percent(count: usize, of: usize) -> f64 {
    count as f64 * 100.0 / of as f64
}

/// Of so many steady courses of each kind, at most so many fall.
fn steady(runs: usize, most: usize) {
    let mut random = SmallRng::seed_from_u64(1);
    // A neighbour who stays for half of a short course, or what else remembers so long, does look like a fall.
    for (steps, kinds) in [(12, 8), (20, 8), (40, 8), (60, 8), (120, 8), (300, 11)] {
        for kind in &KINDS[..kinds] {
            let alarms = (0..runs).filter(|_| !falls(&course(*kind, steps, &mut random, |_| 1.0)).is_empty()).count();
            println!("{steps:>4} steps, {kind:?}: {:.1} % false alarms", percent(alarms, runs));
            assert!(alarms <= most, "{steps} steps of {kind:?}: {alarms} false alarms");
        }
    }
}

/// One in twenty, and three standard deviations of 100 draws.
#[test]
fn few_steady_courses_fall() {
    steady(100, 11);
}

#[test]
#[ignore = "deep: 51,000 courses"]
fn at_most_one_in_twenty_steady_courses_falls() {
    steady(1000, 50);
}

/// The share of courses that are found to fall to this level, and of those that are found to do so within three steps of it.
fn found(kind: Noise, (steps, at, level): (usize, usize, f64), random: &mut SmallRng) -> (f64, f64) {
    const RUNS: usize = 300;
    let first: Vec<usize> = (0..RUNS)
        .filter_map(|_| falls(&course(kind, steps, random, |k| if k < at { 1.0 } else { level })).first().copied())
        .collect();
    let near = first.iter().filter(|first| first.abs_diff(at) <= 3).count();
    println!(
        "{steps:>4} steps, from {at:>3} on {level}, {kind:?}: {:.0} % found, {:.0} % within 3 steps",
        percent(first.len(), RUNS),
        percent(near, RUNS)
    );
    (percent(first.len(), RUNS), percent(near, RUNS))
}

#[test]
fn a_planted_fall_is_found_in_its_place() {
    let mut random = SmallRng::seed_from_u64(2);
    let quiet = Noise::White(0.03);
    for planted in [(60, 6, 0.8), (60, 30, 0.8), (300, 6, 0.8), (300, 74, 0.8), (300, 280, 0.8), (12, 6, 0.3)] {
        let (all, near) = found(quiet, planted, &mut random);
        assert!(all >= 95.0 && near >= 95.0, "{planted:?}: {all} {near}");
    }
    // Noise of ten to fifteen percent, each second or through several: as here while others build.
    for kind in [Noise::White(0.15), Noise::Correlated(0.6, 0.1), Noise::Mixed(0.95, 0.05, 0.1)] {
        for planted in [(300, 74, 0.8), (300, 150, 0.8), (120, 60, 0.8), (300, 20, 0.6), (60, 30, 0.6)] {
            let (all, near) = found(kind, planted, &mut random);
            assert!(all >= 90.0 && near >= 70.0, "{planted:?} in {kind:?}: {all} {near}");
        }
    }
    for planted in [(300, 150, 0.8), (300, 74, 0.6)] {
        let (all, _) = found(Noise::Dips, planted, &mut random);
        assert!(all >= 75.0, "{planted:?}: {all}");
    }
}

#[test]
fn a_dip_that_ends_is_no_fall() {
    let mut random = SmallRng::seed_from_u64(3);
    for (from, to) in [(40, 45), (40, 60), (60, 150), (5, 12), (285, 292), (100, 260)] {
        for kind in [Noise::White(0.03), Noise::Correlated(0.6, 0.1)] {
            let level = |k| if (from..to).contains(&k) { 0.5 } else { 1.0 };
            let alarms = (0..200).filter(|_| !falls(&course(kind, 300, &mut random, level)).is_empty()).count();
            assert!(alarms <= 10, "{from} to {to} in {kind:?}: {alarms} of 200");
        }
    }
}

#[test]
fn the_first_of_several_falls_is_the_start() {
    let mut random = SmallRng::seed_from_u64(4);
    let level = |k| [1.0, 0.8, 0.6, 0.7][usize::from(k >= 90) + usize::from(k >= 150) + usize::from(k >= 240)];
    for _ in 0..100 {
        let falls = falls(&course(Noise::White(0.05), 300, &mut random, level));
        assert!(falls[0].abs_diff(90) <= 5 && falls[1].abs_diff(150) <= 8 && falls.len() == 2, "{falls:?}");
    }
    let level = |k| if (30..40).contains(&k) || k >= 200 { 0.5 } else { 1.0 };
    for _ in 0..100 {
        let falls = falls(&course(Noise::White(0.05), 300, &mut random, level));
        assert!(falls.len() == 1 && falls[0].abs_diff(200) <= 3, "a dip before it is none: {falls:?}");
    }
}

#[test]
fn of_drifts_only_those_that_go_far_down_are_falls() {
    let mut random = SmallRng::seed_from_u64(5);
    let mut share = |kind: Noise, to: f64| {
        let level = |k: usize| 1.0 + (to - 1.0) * k as f64 / 300.0;
        let courses = (0..200).map(|_| falls(&course(kind, 300, &mut random, level)));
        courses.filter(|falls| falls.first().is_some_and(|first| *first < 200)).count()
    };
    assert!(share(Noise::White(0.03), 0.6) + share(Noise::Correlated(0.3, 0.05), 0.6) >= 390);
    assert!(share(Noise::White(0.03), 1.4) + share(Noise::Correlated(0.6, 0.1), 1.4) == 0, "faster is no fall");
    assert!(share(Noise::White(0.03), 0.96) <= 10, "nor is what is too little to count");
}
