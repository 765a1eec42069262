//! Whether forks that follow each other are alike. Student's interval takes them as independent; on a machine whose state changes over
//! minutes they are not, and then it is too narrow, for all cells of a run together.

use crate::logs::Logs;

/// No correlation below this is told from chance: cells share a reference, so hundreds of them are as few as their forks.
const LEAST: f64 = 0.3;
/// What a run of a few dozen forks cannot tell from a lasting drift.
const MOST: f64 = 0.9;

/// The correlation of a fork's value with that of the next fork, the mean over these cells, less its bias (Kendall, Biometrika 41, 1954:
/// by about (1 + 3r) ÷ n too low); 0 where it may be chance.
pub(crate) fn fork_correlation<'l>(cells: impl IntoIterator<Item = &'l Logs>) -> f64 {
    let each: Vec<f64> = cells.into_iter().filter_map(of_cell).collect();
    let mean = each.iter().sum::<f64>() / each.len().max(1) as f64;
    if mean < LEAST { 0.0 } else { mean.min(MOST) }
}

fn of_cell(logs: &Logs) -> Option<f64> {
    let mid = logs.mid().filter(|_| logs.are_enough())?;
    let off: Vec<f64> = logs.by_fork().values().map(|value| value - mid).collect();
    let square: f64 = off.iter().map(|off| off * off).sum();
    let next: f64 = off.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let correlation = (square > 0.0).then(|| next / square)?;
    Some(correlation + (1.0 + 3.0 * correlation) / off.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CONFIDENCE;

    /// A run's cells beside its reference: each fork has what the machine does to each cell, which stays from fork to fork as far as
    /// `correlation` says, and noise of its own.
    fn run(cells: usize, forks: u32, correlation: f64, random: &mut fastrand::Rng) -> Vec<Logs> {
        let mut normal = || (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
        let mut series = |scale: f64| -> Vec<f64> {
            let mut state = normal();
            let step = (1.0 - correlation * correlation).sqrt();
            let next = |_| {
                state = correlation * state + step * normal();
                scale * state
            };
            (0..forks).map(next).collect()
        };
        let reference = series(0.01);
        let cell = |own: Vec<f64>| Logs::located(&(0..).zip(own.iter().zip(&reference).map(|(a, b)| a - b)).collect());
        (0..cells).map(|_| cell(series(0.01))).collect()
    }

    /// The share of intervals that miss, as they are and as they are here; and how much wider these are on average.
    fn missed(forks: u32, correlation: f64) -> [f64; 3] {
        let (mut all, mut sums) = (0.0, [0.0; 3]);
        for seed in 0..400 {
            let cells = run(12, forks, correlation, &mut fastrand::Rng::with_seed(seed));
            let found = fork_correlation(&cells);
            for logs in &cells {
                let plain = logs.effect().unwrap().interval(CONFIDENCE);
                let wide = logs.clone().correlated(found).effect().unwrap().interval(CONFIDENCE);
                for (sum, interval) in sums.iter_mut().zip([&plain, &wide]) {
                    *sum += f64::from(u8::from(interval.low > 0.0 || interval.high < 0.0));
                }
                sums[2] += wide.half_width() / plain.half_width();
                all += 1.0;
            }
        }
        sums.map(|sum| sum / all)
    }

    #[test]
    fn intervals_of_correlated_forks_are_widened_and_others_are_not() {
        for forks in [10, 16, 30, 60] {
            let [plain, wide, wider] = missed(forks, 0.0);
            println!(
                "{forks} forks, independent: {:.1} % miss, {:.1} % here, {wider:.2} × as wide",
                plain * 100.0,
                wide * 100.0
            );
            assert!(wide < 0.07 && wider < 1.1, "{forks}: {wide} {wider}");
            let [plain, wide, wider] = missed(forks, 0.8);
            println!(
                "{forks} forks, correlated by 0.8: {:.1} % miss, {:.1} % here, {wider:.2} × as wide",
                plain * 100.0,
                wide * 100.0
            );
            assert!(plain > 0.4 && wide < if forks < 16 { 0.13 } else { 0.08 }, "{forks}: {plain} {wide}");
        }
    }
}
