//! Into how many forks a part's time is divided.

use std::time::Duration;

use ciphermeter_core::Layout;
use ciphermeter_stats::LEAST_FORKS;

use super::least::LEAST_WISHED;

/// The variance of rounds ÷ the variance of processes that the length of a fork is chosen for: rounds scatter more than processes do.
const ROUNDS_VARIANCE: f64 = 6.0;
/// A fork has at least so many rounds where the budget allows it: two in each stratum of layout.
const LEAST_ROUNDS: f64 = 2.0 * Layout::STRATA as f64;
/// Into so many forks the budget is divided at most.
const MOST_FORKS: u32 = 500;

/// How many forks fit into the time that is left, where starting a fork's processes takes `starting` seconds and a round `round`; at
/// least `fewest`, if they fit with the least rounds.
pub fn forks(left: Duration, fewest: u32, starting: f64, round: f64, is_disturbed: bool) -> u32 {
    let fit = |rounds: f64| (left.as_secs_f64() / (starting + rounds * round).max(1e-9)) as u32;
    // Processes that take long to warm up leave time for few forks, but never for fewer than an interval wants.
    let fewest = fewest.min(fit(LEAST_WISHED)).max(LEAST_FORKS as u32);
    // What nothing disturbs says the same in the next round.
    let rounds = if is_disturbed { rounds_wished(starting, round) } else { LEAST_ROUNDS };
    fit(rounds).clamp(fewest, MOST_FORKS.max(fewest))
}

/// How many rounds a fork has, where starting its processes takes `starting` and a round `round`: the mean over forks is known best with
/// √(cost ratio × variance ratio) (Kalibera and Jones, Rigorous benchmarking in reasonable time, 2013, section 6).
fn rounds_wished(starting: f64, round: f64) -> f64 {
    (starting / round.max(1e-9) * ROUNDS_VARIANCE).sqrt().max(LEAST_ROUNDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forks_of_a_minute(starting: f64, round: f64) -> u32 {
        forks(Duration::from_secs(60), 12, starting, round, true)
    }

    #[test]
    fn forks_are_as_short_as_their_start_allows() {
        assert_eq!(
            forks_of_a_minute(0.02, 0.1),
            58,
            "ten rounds of a tenth of a second, two in each stratum of layout"
        );
        assert_eq!(forks_of_a_minute(2.0, 0.01), 25, "√(200 × 6) rounds");
        assert_eq!(forks_of_a_minute(8.0, 0.1), 7, "a start of seconds leaves time for few");
        assert_eq!(forks_of_a_minute(60.0, 1.0), LEAST_FORKS as u32, "and never for fewer than an interval wants");
        assert_eq!(forks_of_a_minute(1e-6, 1e-6), MOST_FORKS);
    }
}
