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

/// What a fork costs, in seconds.
#[derive(Debug, Clone, Copy)]
pub struct Costs {
    /// Starting its processes, and the last look at what its calls put out.
    pub once: f64,
    /// A round.
    pub round: f64,
}

impl Costs {
    /// Whether starting takes longer than the rounds that a fork should have.
    pub fn is_slow_to_start(self) -> bool {
        self.once > rounds_wished(self) * self.round
    }
}

/// What forks have cost so far, beside what they should.
#[derive(Debug, Default)]
pub struct Seen {
    /// Seconds that rounds took, and that they should have taken.
    rounds: (f64, f64),
    /// Seconds of the last look at what a fork's calls put out, once there was one.
    looking: Option<f64>,
}

impl Seen {
    /// Notes a fork whose rounds took `rounds` and should have taken `expected` seconds.
    pub fn fork(&mut self, rounds: Duration, expected: f64, looking: Duration) {
        self.rounds.0 += rounds.as_secs_f64();
        self.rounds.1 += expected;
        self.looking = Some(looking.as_secs_f64());
    }

    /// What the next fork will cost, where its processes start in `starting` and a round should take `round` seconds.
    pub fn costs(&self, starting: Duration, round: f64) -> Costs {
        Costs { once: starting.as_secs_f64() + self.looking(round), round: round * self.pace() }
    }

    /// Seconds of the last look at a fork's outputs: at first, all cells' samples and their digests.
    pub fn looking(&self, round: f64) -> f64 {
        self.looking.unwrap_or(2.0 * round)
    }

    /// How many times as long as they should rounds take: the machine is busy, or a worker does more than is known beforehand.
    pub fn pace(&self) -> f64 {
        let (took, expected) = self.rounds;
        if expected > 0.0 { (took / expected).clamp(0.5, 10.0) } else { 1.0 }
    }
}

/// How many forks fit into the time that is left, after `held` that there are; all together at least `fewest`, if they fit with the least
/// rounds, and at least [`LEAST_FORKS`] in any case.
pub fn forks(left: Duration, fewest: u32, held: u32, costs: Costs, is_disturbed: bool) -> u32 {
    let fit = |rounds: f64| (left.as_secs_f64() / (costs.once + rounds * costs.round).max(1e-9)) as u32;
    // Processes that take long to warm up leave time for few forks, but never for fewer than an interval wants.
    let needed = (LEAST_FORKS as u32).saturating_sub(held).max(1);
    let fewest = fewest.saturating_sub(held).min(fit(LEAST_WISHED)).max(needed);
    // What nothing disturbs says the same in the next round.
    let rounds = if is_disturbed { rounds_wished(costs) } else { LEAST_ROUNDS };
    fit(rounds).clamp(fewest, MOST_FORKS.saturating_sub(held).max(fewest))
}

/// How many rounds a fork has: the mean over forks is known best with √(cost ratio × variance ratio) (Kalibera and Jones, Rigorous
/// benchmarking in reasonable time, 2013, section 6).
fn rounds_wished(costs: Costs) -> f64 {
    (costs.once / costs.round.max(1e-9) * ROUNDS_VARIANCE).sqrt().max(LEAST_ROUNDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forks_of_a_minute(once: f64, round: f64) -> u32 {
        forks(Duration::from_secs(60), 12, 0, Costs { once, round }, true)
    }

    #[test]
    fn forks_cost_what_they_have_cost() {
        let mut seen = Seen::default();
        let start = Duration::from_millis(200);
        let Costs { once, round } = seen.costs(start, 0.1);
        assert_eq!((once, round), (0.4, 0.1), "a last look takes two rounds");
        seen.fork(Duration::from_secs(2), 1.0, Duration::from_millis(50));
        let Costs { once, round } = seen.costs(start, 0.1);
        assert_eq!((once, round), (0.25, 0.2));
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
        let last = forks(Duration::from_secs(1), 12, 30, Costs { once: 0.5, round: 0.1 }, true);
        assert_eq!(last, 1, "what is left at the end is one fork");
        let long = |held| forks(Duration::from_secs(3600), 12, held, Costs { once: 0.1, round: 0.01 }, true);
        assert_eq!((long(0), long(100)), (MOST_FORKS, MOST_FORKS - 100));
    }
}
