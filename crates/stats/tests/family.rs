//! Does a family err as rarely as it says, and does it find what is there? Forty cells, 4,000 runs each, the forks' log-ratios
//! drawn at random; the truth lies right at the threshold, where a wrong call is likeliest.

use ciphermeter_stats::{Effect, LEAST_FORKS, Located, Stop, Surely, located, surely, variance_between};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand_distr::{Distribution, Normal};

const RUNS: usize = 4000;
const CELLS: usize = 40;
const THRESHOLD: f64 = 0.05;

/// One draw a fork around the truth.
fn drawn(truth: f64, spread: f64, forks: usize, random: &mut SmallRng) -> Located {
    let normal = Normal::new(truth, spread).unwrap();
    located(&(0..forks).map(|_| normal.sample(random)).collect::<Vec<_>>())
}

/// The share of runs in which `is` holds of the family.
fn share(mut family: impl FnMut(&mut SmallRng) -> Vec<Effect>, is: fn(&[Surely]) -> bool) -> f64 {
    let mut random = SmallRng::seed_from_u64(20_261_122);
    let limit = THRESHOLD.ln_1p();
    let found = (0..RUNS).filter(|_| is(&surely(&family(&mut random), limit))).count();
    found as f64 / RUNS as f64
}

fn any_above(calls: &[Surely]) -> bool {
    calls.contains(&Surely::Above)
}

fn any_below(calls: &[Surely]) -> bool {
    calls.contains(&Surely::Below)
}

/// 5 %, and the three standard deviations of a share of 4,000 runs: 6.0 %.
fn at_most_five_percent(what: &str, share: f64) {
    println!("{what}: {:.1} % of runs have a wrong call", share * 100.0);
    assert!(share <= 0.05 + 3.0 * (0.05_f64 * 0.95 / RUNS as f64).sqrt(), "{what}: {share}");
}

#[test]
fn a_family_errs_in_five_percent_of_runs() {
    let limit = THRESHOLD.ln_1p();
    for (truth, is) in [(limit, any_above as fn(&[Surely]) -> bool), (-limit, any_below)] {
        for forks in [LEAST_FORKS, 12, 20, 40, 60] {
            let family = |random: &mut SmallRng| {
                let cell = |_| Effect::paired(&drawn(truth, 0.01, forks, random)).unwrap();
                (0..CELLS).map(cell).collect()
            };
            at_most_five_percent(&format!("paired, {forks} forks, truth {truth:+.3}"), share(family, is));
        }
    }
    for (before, after) in [((6, 0.01), (6, 0.01)), ((6, 0.02), (12, 0.003)), ((6, 0.02), (24, 0.01))] {
        let family = |random: &mut SmallRng| {
            let cell = |_| {
                let a = drawn(0.3, before.1, before.0, random);
                Effect::unpaired(&a, &drawn(0.3 + limit, after.1, after.0, random)).unwrap()
            };
            (0..CELLS).map(cell).collect()
        };
        at_most_five_percent(&format!("two runs, {before:?} and {after:?}"), share(family, any_above));
    }
}

#[test]
fn what_varies_between_runs_is_no_change() {
    const SAME: usize = 30;
    let between = Normal::new(0.0, 0.03).unwrap();
    let errs = |is_known: bool| {
        let family = |random: &mut SmallRng| {
            let mut effects: Vec<Effect> = (0..SAME + 10)
                .map(|_| {
                    let before = drawn(0.3, 0.005, 12, random);
                    Effect::unpaired(&before, &drawn(0.3 + between.sample(random), 0.005, 12, random)).unwrap()
                })
                .collect();
            let variance = if is_known { variance_between(&effects[..SAME]) } else { 0.0 };
            effects.split_off(SAME).into_iter().map(|effect| effect.with_variance(variance)).collect()
        };
        share(family, any_above)
    };
    let (without, with) = (errs(false), errs(true));
    println!(
        "runs that differ by 3 %: {:.1} % call an unchanged cell slower, {:.1} % as it is",
        without * 100.0,
        with * 100.0
    );
    assert!(without > 0.2 && with < 0.05, "{without} {with}");
}

/// As a run does it: it ends after a quarter or after three quarters of its forks if every cell is as precise as asked for then.
#[test]
fn stopping_on_precision_included() {
    const BUDGET: usize = 24;
    for (spread, precision) in [(0.005, 0.006), (0.01, 0.02), (0.01, 0.012)] {
        let (stop, normal) = (Stop { precision }, Normal::new(THRESHOLD.ln_1p(), spread).unwrap());
        let mut taken = 0;
        let family = |random: &mut SmallRng| {
            let mut cells = vec![Vec::new(); CELLS];
            for forks in [BUDGET / 4, BUDGET / 4 * 3, BUDGET] {
                cells.iter_mut().for_each(|cell| cell.resize_with(forks, || normal.sample(random)));
                let effects: Vec<_> = cells.iter().filter_map(|cell| Effect::paired(&located(cell))).collect();
                if forks == BUDGET || effects.iter().all(|effect| stop.enough(effect)) {
                    taken += forks;
                    return effects;
                }
            }
            unreachable!("the last look ends it");
        };
        let share = share(family, any_above);
        let mean = taken as f64 / RUNS as f64;
        at_most_five_percent(&format!("spread {spread}, precision {precision}, {mean:.1} forks"), share);
    }
}

#[test]
fn nothing_is_called_where_nothing_changed() {
    let family = |random: &mut SmallRng| {
        (0..CELLS).map(|_| Effect::paired(&drawn(0.0, 0.01, LEAST_FORKS, random)).unwrap()).collect()
    };
    assert!(share(family, |calls| any_above(calls) || any_below(calls)) < 0.01);
}

#[test]
fn eight_percent_are_found_among_forty() {
    let power = |forks| {
        let family = |random: &mut SmallRng| {
            let truth = |cell| if cell == 0 { 0.08_f64.ln_1p() } else { 0.0 };
            (0..CELLS).map(|cell| Effect::paired(&drawn(truth(cell), 0.01, forks, random)).unwrap()).collect()
        };
        let found = share(family, |calls| calls[0] == Surely::Above);
        println!("8 % where 5 % count, 1 % of noise, {forks} forks: found in {:.1} % of runs", found * 100.0);
        found
    };
    // Five of six forks are the middle, so Student's t has four degrees of freedom.
    assert!(power(LEAST_FORKS) > 0.4);
    assert!(power(12) > 0.95);
}
