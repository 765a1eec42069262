//! The ratio of what two take for a mix of work: several cells of each, every one with its weight.
//!
//! A mix needs no fork that has all of its cells. Where other work disturbs a machine, few forks do, and those that do are no sample of
//! all. So each cell's ratio is located over the forks that it has, the mix is made of these locations, and a fork's influence on the
//! mix is the sum of its influences on each of them (the delta method; Hampel et al., Robust Statistics, 1986, section 2.1). A fork is
//! still the replicate: what moved all its cells at once counts once, as much as it moved the mix.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::Record;
use ciphermeter_stats::{Located, median};

use crate::figures::time_of_forks;
use crate::logs::Logs;
use crate::ratio::logs;

/// Steps in which forks' speeds and cells' times are told apart; a few reach the last digits.
const STEPS: usize = 8;

/// ln(time of the first of each pair ÷ time of the second), all pairs together, by fork. Empty where a pair has fewer forks than any
/// figure takes.
///
/// With `calls`, so many of each pair are made: the ratio is that of the sums. Without, all pairs count alike: it is the geometric mean
/// of their ratios.
pub fn mixed(pairs: &[&MixPart], calls: Option<&[f64]>) -> Logs {
    if pairs.is_empty() || !pairs.iter().all(|part| part.logs.are_enough()) {
        return Logs::default();
    }
    let means: Vec<f64> = pairs.iter().map(|part| mean(part.logs.by_fork())).collect();
    let (log, weights, influences) = match calls {
        None => alike(pairs, &means),
        Some(calls) => by_calls(pairs, &means, calls),
    };
    let n = influences.len() as f64;
    // Student's formula divides by n − 1.
    let scale = n * ((n - 1.0) / n).sqrt();
    let values = influences.values().map(|influence| log + scale * influence).collect();
    let freedom = freedom(pairs, &weights);
    Logs::new(influences.into_keys(), Located { values, freedom })
}

/// Degrees of freedom of a mix in which each pair has a weight: those of a sum of squares in which forks weigh differently (Satterthwaite,
/// Biometrics Bulletin 2, 1946), as if all that a fork has moved at once, and of the share of forks that say how forks spread.
fn freedom(pairs: &[&MixPart], weights: &[f64]) -> f64 {
    let mut shares = Forks::new();
    for (part, weight) in pairs.iter().zip(weights) {
        for fork in part.logs.by_fork().keys() {
            *shares.entry(*fork).or_default() += weight / part.forks() as f64;
        }
    }
    let sum = |power: i32| shares.values().map(|share| share.powi(power)).sum::<f64>();
    let in_middle = |part: &&MixPart| (part.logs.freedom() + 1.0) / part.forks() as f64;
    let least = pairs.iter().map(in_middle).fold(1.0, f64::min);
    (least * sum(2).powi(2) / sum(4) - 1.0).max(1.0)
}

/// Values by the forks' numbers.
type Forks = BTreeMap<u32, f64>;

/// A pair of cells that do the same work, as a part of a mix.
#[derive(Debug, Clone, PartialEq)]
pub struct MixPart {
    /// ln(time of the first ÷ time of the second).
    logs: Logs,
    /// ln(time of the second) in each fork.
    times: Forks,
}

impl MixPart {
    /// What two cells have in common.
    pub fn of(one: &Record, other: &Record) -> Self {
        let times = time_of_forks(other).into_iter().map(|(fork, time)| (fork, time.ns.ln())).collect();
        Self { logs: logs(one, other), times }
    }

    /// The same for a mix in which all pairs count alike, which needs no times.
    pub fn alike(logs: Logs) -> Self {
        Self { logs, times: Forks::new() }
    }

    /// In how many forks both can be compared.
    pub fn forks(&self) -> usize {
        self.logs.forks()
    }
}

fn mean(forks: &Forks) -> f64 {
    forks.values().sum::<f64>() / forks.len() as f64
}

/// The mean of the logarithms, each pair's weight in it, and each fork's influence on it.
fn alike(parts: &[&MixPart], means: &[f64]) -> (f64, Vec<f64>, Forks) {
    let share = 1.0 / parts.len() as f64;
    let mut influences = Forks::new();
    parts.iter().for_each(|part| add(&mut influences, part.logs.by_fork(), share));
    (means.iter().sum::<f64>() * share, vec![share; parts.len()], influences)
}

/// The logarithm of the ratio of sums, each pair's weight in it, and each fork's influence on it. A cell's share of the sum is known no better than its time is
/// beside the others' times, so that has its influence, too.
fn by_calls(parts: &[&MixPart], means: &[f64], calls: &[f64]) -> (f64, Vec<f64>, Forks) {
    let times = own_times(parts);
    let cost: Vec<f64> = times.iter().zip(calls).map(|(times, calls)| calls * mean(times).exp()).collect();
    let all: f64 = cost.iter().sum();
    let ratio = cost.iter().zip(means).map(|(cost, log)| cost / all * log.exp()).sum::<f64>();
    let (mut weights, mut influences) = (Vec::new(), Forks::new());
    for ((part, times), (cost, log)) in parts.iter().zip(&times).zip(cost.iter().zip(means)) {
        let (other, one) = (cost / all, cost / all * log.exp() / ratio);
        add(&mut influences, part.logs.by_fork(), one);
        add(&mut influences, times, one - other);
        weights.push(one);
    }
    (ratio.ln(), weights, influences)
}

/// Adds a location's influences, each so many times.
fn add(to: &mut Forks, values: &Forks, factor: f64) {
    let (mid, n) = (mean(values), values.len() as f64);
    // Each location has an error of its own number of forks.
    let few = (n / (n - 1.0).max(1.0)).sqrt();
    for (fork, value) in values {
        *to.entry(*fork).or_default() += factor * (value - mid) / n * few;
    }
}

/// Each cell's values by fork without the fork's own speed, which all its cells share: two-way, by forks' medians and cells' locations.
/// A fork with a single cell says nothing of its speed.
fn own_times(parts: &[&MixPart]) -> Vec<Forks> {
    let all: BTreeSet<u32> = parts.iter().flat_map(|part| part.times.keys().copied()).collect();
    let mut speeds: Forks = all.iter().map(|fork| (*fork, 0.0)).collect();
    let mut own: Vec<Forks> = Vec::new();
    for _ in 0..STEPS {
        own = parts.iter().map(|part| located_forks(&part.times, &speeds)).collect();
        let locations: Vec<f64> = own.iter().map(mean).collect();
        for (fork, speed) in &mut speeds {
            let mut off: Vec<f64> = parts
                .iter()
                .zip(&locations)
                .filter_map(|(part, location)| Some(part.times.get(fork)? - location))
                .collect();
            *speed = if off.len() > 1 { median(&mut off).unwrap_or(0.0) } else { 0.0 };
        }
    }
    own
}

/// The times less the forks' speeds, each as it counts to their location.
fn located_forks(times: &Forks, speeds: &Forks) -> Forks {
    let own = times.iter().map(|(fork, time)| (*fork, time - speeds.get(fork).unwrap_or(&0.0))).collect();
    Logs::located(&own).by_fork().clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CONFIDENCE, Ratio};

    /// The ratio of the first side's time to the second's, and the second's time in ns, at each size.
    const RATIOS: [f64; 4] = [2.0, 1.6, 0.9, 0.5];
    const TIMES: [f64; 4] = [60.0, 90.0, 400.0, 9000.0];
    const CALLS: [f64; 4] = [1000.0, 400.0, 100.0, 10.0];

    /// A part for each size over so many forks, of which each has it with this chance. What moves a fork's ratios moves all of them.
    fn parts(seed: u64, forks: u32, chance: f64) -> Vec<MixPart> {
        let mut random = fastrand::Rng::with_seed(seed);
        let normal = |random: &mut fastrand::Rng| (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
        let shared: Vec<(f64, f64)> =
            (0..forks).map(|_| (0.2 * normal(&mut random), 0.01 * normal(&mut random))).collect();
        let mut size = |place: usize| {
            let (mut logs, mut times) = (Forks::new(), Forks::new());
            for (fork, (speed, ratio)) in (0..).zip(&shared) {
                let (own, time) = (0.01 * normal(&mut random), 0.01 * normal(&mut random));
                if random.f64() < chance || fork < 6 {
                    logs.insert(fork, RATIOS[place].ln() + ratio + own);
                    times.insert(fork, TIMES[place].ln() + speed + time);
                }
            }
            MixPart { logs: Logs::located(&logs), times }
        };
        (0..4).map(&mut size).collect()
    }

    fn values(parts: &[MixPart], calls: Option<&[f64]>) -> Logs {
        mixed(&parts.iter().collect::<Vec<_>>(), calls)
    }

    fn truth(calls: Option<&[f64]>) -> f64 {
        let Some(calls) = calls else { return RATIOS.iter().map(|ratio| ratio.ln()).sum::<f64>() / 4.0 };
        let sum = |of: &dyn Fn(usize) -> f64| (0..4).map(|at| calls[at] * TIMES[at] * of(at)).sum::<f64>();
        (sum(&|at| RATIOS[at]) / sum(&|_| 1.0)).ln()
    }

    /// Of so many runs, the share whose interval contains the truth.
    fn covered(forks: u32, chance: f64, calls: Option<&[f64]>, runs: u64) -> f64 {
        let holds = |seed: &u64| {
            let logs = values(&parts(*seed, forks, chance), calls);
            let (low, high) = Ratio::from_logs(&logs, CONFIDENCE).unwrap().range().unwrap();
            (low..=high).contains(&truth(calls).exp())
        };
        (0..runs).filter(holds).count() as f64 / runs as f64
    }

    #[test]
    fn intervals_of_mixes_contain_the_truth_with_and_without_missing_cells() {
        for (forks, chance) in [(6, 1.0), (12, 1.0), (12, 0.6), (26, 0.3), (30, 1.0), (30, 0.6)] {
            for calls in [None, Some(&CALLS[..])] {
                let share = covered(forks, chance, calls, 1000);
                let how = if calls.is_some() { "by calls" } else { "alike" };
                println!("{forks} forks, each cell in {chance} of them, weighed {how}: {:.1} %", share * 100.0);
                assert!((0.93..=0.99).contains(&share), "{forks} {chance} {how}: {share}");
            }
        }
    }

    #[test]
    fn weights_decide_which_side_is_ahead() {
        let parts = parts(1, 12, 1.0);
        let log = |calls: &[f64]| values(&parts, Some(calls)).mid().unwrap();
        assert!((log(&CALLS) - truth(Some(&CALLS))).abs() < 0.02, "{}", log(&CALLS));
        assert!(log(&[1000.0, 400.0, 100.0, 0.0]) > 0.2, "without the largest, the first takes longer");
        let alone = log(&[0.0, 0.0, 0.0, 7.0]);
        assert!((alone - 0.5_f64.ln()).abs() < 0.02, "a mix of one size is that size: {alone}");
    }

    #[test]
    fn forks_with_all_cells_count_by_the_mean_of_their_logs() {
        let parts = parts(2, 9, 1.0);
        for (fork, value) in values(&parts, None).by_fork() {
            let mean = parts.iter().map(|part| part.logs.by_fork()[fork]).sum::<f64>() / 4.0;
            assert!((value - mean).abs() < 1e-12, "{value} {mean}");
        }
    }

    #[test]
    fn cell_of_five_forks_leaves_no_answer() {
        let mut parts = parts(3, 12, 1.0);
        parts[0].logs = Logs::located(&(0..5).map(|fork| (fork, 0.7)).collect());
        assert_eq!((values(&parts, Some(&CALLS)).forks(), values(&[], None).forks()), (0, 0));
    }
}
