//! Whether forks that follow each other are alike. Student's interval takes them as independent; on a machine whose state changes over
//! minutes they are not, and then it is too narrow, for all cells of a run together.

use crate::logs::Logs;

/// A correlation below this widens intervals by less than a third.
const LEAST: f64 = 0.3;
/// Chance makes one of twenty series reach so much ÷ √n, and the cells of a run, which share a reference, may be no more than one series.
const CHANCE: f64 = 1.65;
/// Fewer forks in turn say nothing.
const LEAST_FORKS: usize = 10;
/// What a run of a few dozen forks cannot tell from a lasting drift.
const MOST: f64 = 0.9;

/// The correlation of a fork's value with that of the next fork, the mean over these cells, less its bias (Kendall, Biometrika 41, 1954:
/// by about (1 + 3r) ÷ n too low); 0 where it may be chance.
pub(crate) fn fork_correlation<'l>(cells: impl IntoIterator<Item = &'l Logs>) -> f64 {
    let cells: Vec<&Logs> = cells.into_iter().collect();
    let forks = cells.iter().map(|logs| logs.forks()).max().unwrap_or(0);
    let each: Vec<f64> = cells.into_iter().filter_map(of_cell).collect();
    let mean = each.iter().sum::<f64>() / each.len().max(1) as f64;
    if mean < LEAST.max(CHANCE / (forks as f64).sqrt()) { 0.0 } else { mean.min(MOST) }
}

fn of_cell(logs: &Logs) -> Option<f64> {
    let mid = logs.mid().filter(|_| logs.forks() >= LEAST_FORKS)?;
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
    fn missed(cells: usize, forks: u32, correlation: f64) -> [f64; 3] {
        let (mut all, mut sums) = (0.0, [0.0; 3]);
        for seed in 0..400 {
            let cells = run(cells, forks, correlation, &mut fastrand::Rng::with_seed(seed));
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
        let percent = |share: f64| 100.0 * share;
        for (cells, forks) in [(1, 10), (1, 30), (12, 10), (12, 16), (12, 30), (12, 60)] {
            let [plain, wide, wider] = missed(cells, forks, 0.0);
            let (before, after) = (percent(plain), percent(wide));
            println!(
                "{cells} cells, {forks} forks, independent: {before:.1} % miss, {after:.1} % here, {wider:.2} × as wide"
            );
            assert!(wide < 0.08 && wider < if cells == 1 { 1.25 } else { 1.1 }, "{cells} {forks}: {wide} {wider}");
            let [plain, wide, wider] = missed(cells, forks, 0.8);
            let (before, after) = (percent(plain), percent(wide));
            println!(
                "{cells} cells, {forks} forks, r 0.8: {before:.1} % miss, {after:.1} % here, {wider:.2} × as wide"
            );
            assert!(plain > 0.35 && wide < if forks < 16 { 0.35 } else { 0.1 }, "{cells} {forks}: {plain} {wide}");
        }
    }
}
