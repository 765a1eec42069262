//! Pairs drawn from the real ones' residuals (bootstrap), decided by the guard's own rule.
//!
//! A simulated measurement draws a real pair and, with replacement, as many of its forks as it has, all cells of a fork together. What a
//! pair is off by, by chance or by the places of its files, stays in it. The second measurement and its control draw other pairs, as
//! their copies are others; with fewer cells a real one has more forks, so this errs on the side of false alarms.

use std::collections::BTreeMap;

use anyhow::Result;
use ciphermeter_estimate::{Comparison, Logs, Side};
use ciphermeter_report::{Standing, weigh};
use ciphermeter_stats::Effect;

use super::residuals::{Forks, Kind, Line};
use crate::output::print_line;

/// The thresholds that are compared, as shares; the guard's own is among them.
const THRESHOLDS: [f64; 4] = [0.002, 0.003, 0.004, 0.005];
/// What is planted, in one algorithm's cells; nothing first.
const PLANTED: [f64; 3] = [0.0, 0.01, 0.005];
/// The algorithm.
const SLOWED: &str = " aes-256-gcm ";
/// The fewest real pairs of a kind that show how pairs differ.
const FEWEST: usize = 3;

/// How often each came.
#[derive(Default)]
struct Count {
    raised: u32,
    confirmed: u32,
}

/// Prints, for each threshold, how many pairs raise an alarm at first, and how many of these are confirmed.
pub fn print(lines: &[Line], simulated: u32, seed: u64) -> Result<()> {
    let unchanged = lines.iter().filter(|line| line.planted.is_none());
    let mut kinds = BTreeMap::<(Kind, &[String]), Vec<&Forks>>::new();
    for (kind, forks) in unchanged.filter_map(|line| Some((line.kind, line.first.as_ref()?))) {
        kinds.entry((kind, &forks.cells)).or_default().push(forks);
    }
    let kinds: Vec<Vec<&Forks>> = kinds.into_values().filter(|pairs| pairs.len() >= FEWEST).collect();
    if kinds.is_empty() || simulated == 0 {
        return print_line(&format!("nothing is simulated: it takes {FEWEST} real pairs of a kind"));
    }
    let mut random = fastrand::Rng::with_seed(seed);
    for threshold in THRESHOLDS {
        let words: Result<Vec<String>> = PLANTED
            .iter()
            .map(|planted| {
                let Count { raised, confirmed } = count(&kinds, (threshold, *planted), simulated, &mut random);
                Ok(match planted {
                    0.0 => format!("unchanged: {raised} raise an alarm, {confirmed} are confirmed"),
                    share => format!("{} % planted: {confirmed} found", share * 100.0),
                })
            })
            .collect();
        let words = words?.join("; ");
        print_line(&format!("threshold {} %, {simulated} simulated pairs: {words}", threshold * 100.0))?;
    }
    Ok(())
}

fn count(kinds: &[Vec<&Forks>], (threshold, planted): (f64, f64), simulated: u32, random: &mut fastrand::Rng) -> Count {
    let mut count = Count::default();
    for number in 0..simulated as usize {
        let pairs = &kinds[number % kinds.len()];
        let slowed = |cell: &String| if cell.contains(SLOWED) { planted.ln_1p() } else { 0.0 };
        let added: Vec<f64> = pairs[0].cells.iter().map(slowed).collect();
        let nothing = vec![0.0; added.len()];
        let first = measured(pairs, &added, random);
        let found: Vec<Effect> = first.iter().flatten().copied().collect();
        let mut judged = Comparison::beyond(&found, threshold).into_iter();
        let is_slower = |effect: &Option<Effect>| {
            effect.and_then(|_| judged.next()).is_some_and(|(comparison, _)| comparison.faster() == Some(Side::First))
        };
        let raised: Vec<bool> = first.iter().map(is_slower).collect();
        if !raised.contains(&true) {
            continue;
        }
        count.raised += 1;
        let (again, control) = (measured(pairs, &added, random), measured(pairs, &nothing, random));
        let alarms: Vec<_> = (0..raised.len()).filter(|cell| raised[*cell]).collect();
        let weighed = weigh(&alarms.iter().map(|cell| [again[*cell], control[*cell]]).collect::<Vec<_>>(), threshold);
        let stands: Vec<usize> = alarms
            .into_iter()
            .zip(weighed)
            .filter(|(_, weighed)| weighed.standing == Standing::Confirmed)
            .map(|(cell, _)| cell)
            .collect();
        let is_right = planted == 0.0 || stands.iter().all(|cell| added[*cell] > 0.0);
        count.confirmed += u32::from(!stands.is_empty() && is_right);
    }
    count
}

/// A measurement of some real pair's forks, drawn anew: each cell's effect, with what was added.
fn measured(pairs: &[&Forks], added: &[f64], random: &mut fastrand::Rng) -> Vec<Option<Effect>> {
    let forks = pairs[random.usize(..pairs.len())];
    let drawn: Vec<usize> = (0..forks.logs.len()).map(|_| random.usize(..forks.logs.len())).collect();
    let cell = |cell: usize| {
        let log = |(number, fork): (u32, &usize)| Some((number, forks.logs[*fork][cell]? + added[cell]));
        let by_fork: BTreeMap<u32, f64> = (0..).zip(&drawn).filter_map(log).collect();
        Logs::located(&by_fork).correlated(forks.correlation).effect().filter(Effect::is_enough)
    };
    (0..added.len()).map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs whose cells differ by nothing but the forks' own noise, and by so much as a whole.
    fn pairs(off: f64, random: &mut fastrand::Rng) -> Vec<Forks> {
        let mut normal = || (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
        let mut pair = || {
            let own = off * normal();
            let logs = (0..40).map(|_| (0..4).map(|_| Some(own + 0.003 * normal())).collect()).collect();
            let cells = ["x aes-256-gcm a", "x aes-256-gcm b", "x chacha20 a", "x chacha20 b"].map(String::from).into();
            Forks { cells, logs, correlation: 0.0 }
        };
        (0..20).map(|_| pair()).collect()
    }

    #[test]
    fn one_percent_is_found_and_nothing_else_is_where_pairs_differ_by_noise() {
        let random = &mut fastrand::Rng::with_seed(1);
        let pairs = pairs(0.0, random);
        let kinds = [pairs.iter().collect::<Vec<_>>()];
        assert_eq!(count(&kinds, (0.003, 0.0), 500, random).confirmed, 0);
        assert!(count(&kinds, (0.003, 0.01), 200, random).confirmed >= 190);
    }

    #[test]
    fn second_measurement_refutes_what_the_places_of_files_did() {
        let random = &mut fastrand::Rng::with_seed(2);
        let pairs = pairs(0.002, random);
        let kinds = [pairs.iter().collect::<Vec<_>>()];
        let Count { raised, confirmed } = count(&kinds, (0.003, 0.0), 1000, random);
        assert!(raised >= 10 && confirmed * 4 < raised, "{raised} raised, {confirmed} confirmed");
    }
}
