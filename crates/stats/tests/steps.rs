//! Where a series of runs steps: false alarms, power and places, simulated.

use ciphermeter_stats::{Known, steps};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand_distr::{Distribution, StandardNormal, StudentT};

/// The standard error of a cell known to ±0.3 % (95 %).
const ERROR: f64 = 0.003 / 1.96;

/// How runs differ beyond their errors.
#[derive(Debug, Clone, Copy)]
enum Between {
    Normal(f64),
    /// With four degrees of freedom: one run of a thousand is eight deviations off.
    Heavy(f64),
    /// A run of ten was made beside another program, and is off by up to so much.
    Off(f64),
}

impl Between {
    fn sample(self, random: &mut SmallRng) -> f64 {
        let normal = |random: &mut SmallRng| -> f64 { StandardNormal.sample(random) };
        match self {
            Self::Normal(deviation) => deviation * normal(random),
            // The deviation of this distribution is √2.
            Self::Heavy(deviation) => deviation / 2.0_f64.sqrt() * StudentT::new(4.0).unwrap().sample(random),
            Self::Off(most) => {
                let chance = normal(random);
                if chance > 1.2816 { most * normal(random).abs().min(2.0) / 2.0 } else { 0.0 }
            }
        }
    }
}

fn series(runs: usize, between: Between, step: Option<(usize, f64)>, random: &mut SmallRng) -> Vec<Known> {
    let value = |run| {
        let noise: f64 = StandardNormal.sample(random);
        let level = step.map_or(0.0, |(at, size)| if run >= at { size } else { 0.0 });
        Known { mid: 0.4 + level + ERROR * noise + between.sample(random), error: ERROR }
    };
    (0..runs).map(value).collect()
}

/// The share of so many series of which `is` holds.
fn share(series: usize, mut is: impl FnMut(&mut SmallRng) -> bool) -> f64 {
    let mut random = SmallRng::seed_from_u64(20_261_130);
    (0..series).filter(|_| is(&mut random)).count() as f64 / series as f64
}

/// The shares of unchanged series with a step that two runs or more show, and with a latest run that is off its level.
fn false_alarms(count: usize, runs: usize, between: Between) -> [f64; 2] {
    let of = |is_shown: fn(usize) -> bool| {
        let any = |random: &mut SmallRng| {
            steps(&series(runs, between, None, random), None).iter().any(|step| is_shown(step.values))
        };
        share(count, any)
    };
    let shares = [of(|values| values > 1), of(|values| values == 1)];
    println!("{runs} runs, {between:?}: {:.2} %, the latest alone {:.2} %", 100.0 * shares[0], 100.0 * shares[1]);
    shares
}

/// The share of series in which a step of 1 % is found within so many runs.
fn found(count: usize, before: usize, after: usize, between: Between) -> f64 {
    let share = share(count, |random| {
        let found = steps(&series(before + after, between, Some((before, 0.01)), random), None);
        found.iter().any(|step| step.at.abs_diff(before) <= 1)
    });
    println!("{before} runs before, {after} after, {between:?}: {:.1} % found", 100.0 * share);
    share
}

const ALL: [Between; 6] = [
    Between::Normal(0.0),
    Between::Normal(0.0015),
    Between::Normal(0.01),
    Between::Heavy(0.0015),
    Between::Heavy(0.01),
    Between::Off(0.05),
];

/// Three deviations of a share of which 1 % is the truth.
fn one_percent_of(series: usize) -> f64 {
    0.01 + 3.0 * (0.01 * 0.99 / series as f64).sqrt()
}

#[test]
fn one_of_a_hundred_unchanged_series_has_a_step() {
    for between in [Between::Normal(0.0015), Between::Heavy(0.01)] {
        let [shown, latest] = false_alarms(300, 100, between);
        assert!(shown <= one_percent_of(300) && latest <= one_percent_of(300), "{between:?}: {shown}, {latest}");
    }
}

#[test]
fn one_percent_is_found_within_five_runs() {
    for between in [Between::Normal(0.0), Between::Normal(0.0015)] {
        let share = found(300, 20, 5, between);
        assert!(share > 0.97, "{between:?}: {share}");
    }
}

#[test]
#[ignore = "deep: 100,000 series"]
fn false_alarms_of_every_length() {
    for runs in [4, 5, 6, 8, 10, 15, 25, 50, 100, 200] {
        for between in ALL {
            // The time grows with the square of the length.
            let count = if runs < 50 { 2000 } else { 100_000 / runs };
            let [shown, latest] = false_alarms(count, runs, between);
            assert!(shown <= one_percent_of(count), "{runs} runs, {between:?}: {shown}");
            // What one run in ten is off by, the latest is off by, too; a short series doesn't know how its runs differ.
            let most = if matches!(between, Between::Off(_)) { 0.1 } else { 0.03 };
            assert!(latest <= most, "{runs} runs, {between:?}: the latest run alone {latest}");
        }
    }
    for before in [5, 10, 20, 50] {
        for between in [Between::Normal(0.0), Between::Normal(0.0015), Between::Heavy(0.0015), Between::Off(0.05)] {
            let shares: Vec<f64> = (1..=5).map(|after| found(500, before, after, between)).collect();
            assert!(shares[4] > if before < 20 { 0.5 } else { 0.94 }, "{before} runs before, {between:?}: {shares:?}");
        }
    }
}
