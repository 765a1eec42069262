//! Energy from readings that another program or device sends: watts, which are summed up over time, or a count of joules.
//!
//! The sum is worth as much as the readings behind it. So it says for how long the power is known, and counts what it lost: a gap, a
//! reading that no machine can have, a count that fell. Energy over a stretch with a loss in it is
//! not known (docs/energy.md).

use std::time::{Duration, Instant};

use super::counter::Count;

/// Silence of so many usual periods is a gap …
const GAP: u32 = 5;
/// … if it is this long at least: busy machines and USB adapters hand lines on late, several at once.
const SHORTEST_GAP: Duration = Duration::from_millis(250);
/// A gap where the usual period is not known yet, and in any case.
const LONGEST_GAP: Duration = Duration::from_secs(5);
/// The usual period is that of the readings in the first so much time, three at the least.
const LEARNT: Duration = Duration::from_millis(250);
/// No machine that runs this draws more, in watts.
const MOST_WATTS: f64 = 1e6;
/// What no meter has counted yet, in joules.
const MOST_JOULES: f64 = 1e12;
/// A count may rise by what the most power makes in this time, however soon it follows on the one before.
const BURST: Duration = Duration::from_secs(1);

/// What a line says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Said {
    /// The power since the reading before, in watts.
    Watts(f64),
    /// A count of joules, which rises.
    Joules(f64),
}

/// The sum so far.
#[derive(Debug, Default)]
pub(super) struct Integral {
    microjoules: f64,
    covered: Duration,
    losses: u64,
    why: String,
    /// Readings.
    readings: u64,
    /// Readings that tell that the source has measured again.
    updates: u64,
    first: Option<Instant>,
    last: Option<Instant>,
    /// How long it usually takes from one reading to the next.
    usual: Option<Duration>,
    /// The first reading decides which of the two are summed up: a source that sends both would count twice.
    sums_watts: Option<bool>,
    /// The last count of joules.
    count: Option<f64>,
    /// The last line since the last reading, if it was none.
    other: Option<String>,
}

impl Integral {
    /// Takes a reading; `line` is where it comes from, fit to be shown.
    pub(super) fn add(&mut self, said: Said, line: &str, now: Instant) {
        let is_watts = matches!(said, Said::Watts(_));
        if *self.sums_watts.get_or_insert(is_watts) != is_watts {
            return;
        }
        let since = self.last.map_or(Duration::ZERO, |last| now.saturating_duration_since(last));
        let spent = match said {
            Said::Watts(watts) => sensible(watts, MOST_WATTS).map(|watts| watts * since.as_secs_f64()),
            Said::Joules(_) => said.joules().and_then(|count| self.risen(count, since)),
        };
        if since > self.gap() {
            self.lose(format!("sent {}", self.silence(since)));
        } else if let Some(joules) = spent {
            self.microjoules += joules * 1e6;
            self.covered += since;
        } else if let (Some(count), Some(before)) = (said.joules(), self.count) {
            self.lose(format!("counted {before} J and then {count} J"));
        } else {
            self.lose(format!("sent `{line}`"));
        }
        self.note(said, now);
    }

    /// Takes a line that is no reading.
    pub(super) fn skip(&mut self, line: String) {
        self.other = Some(line);
    }

    /// What it came to; the error says since when nothing comes.
    pub(super) fn count(&self, now: Instant) -> Result<Count, String> {
        let Some(last) = self.last else { return Err("sent no reading".into()) };
        let silent = now.saturating_duration_since(last);
        if silent > self.gap() {
            return Err(format!("sent {}", self.silence(silent)));
        }
        Ok(Count {
            microjoules: self.microjoules as u64,
            covered: Some(self.covered),
            losses: self.losses,
            why: self.why.clone(),
        })
    }

    /// How often the source has measured.
    pub(super) fn updates(&self) -> u64 {
        self.updates
    }

    /// How long it usually takes from one reading to the next, once that is known.
    pub(super) fn usual(&self) -> Option<Duration> {
        self.usual
    }

    fn gap(&self) -> Duration {
        self.usual.map_or(LONGEST_GAP, |usual| (usual * GAP).clamp(SHORTEST_GAP, LONGEST_GAP))
    }

    /// What a new count adds; `None` where the one before and this one cannot both be right.
    fn risen(&self, count: f64, since: Duration) -> Option<f64> {
        let most = MOST_WATTS * since.max(BURST).as_secs_f64();
        Some(count - self.count.unwrap_or(count)).filter(|risen| (0.0..=most).contains(risen))
    }

    fn lose(&mut self, why: String) {
        self.losses += 1;
        self.why = why;
    }

    /// `no reading for 2.1 s`, with what came instead.
    fn silence(&self, silent: Duration) -> String {
        let instead = self.other.as_ref().map(|line| format!(", but `{line}`")).unwrap_or_default();
        format!("no reading for {:.1} s{instead}", silent.as_secs_f64())
    }

    fn note(&mut self, said: Said, now: Instant) {
        self.updates += match (said, said.joules()) {
            (Said::Watts(_), _) => 1,
            // A count of whole joules stands still over some of its lines.
            (_, Some(count)) => u64::from(self.count.replace(count).is_some_and(|before| before != count)),
            _ => 0,
        };
        self.readings += 1;
        self.last = Some(now);
        self.other = None;
        let known = now - *self.first.get_or_insert(now);
        if self.usual.is_none() && self.readings > 2 && known >= LEARNT {
            self.usual = Some(known / (self.readings - 1) as u32);
        }
    }
}

impl Said {
    /// A count that there can be.
    fn joules(self) -> Option<f64> {
        match self {
            Self::Joules(count) => sensible(count, MOST_JOULES),
            Self::Watts(_) => None,
        }
    }
}

fn sensible(value: f64, most: f64) -> Option<f64> {
    Some(value).filter(|value| (0.0..=most).contains(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds readings of a meter that usually sends ten a second; each has its tenth of a second. What it comes to right after the last.
    fn sum(readings: &[(u32, Said)]) -> Count {
        let (mut integral, began) = (Integral::default(), Instant::now());
        let mut now = began;
        for (tenth, said) in readings {
            now = began + Duration::from_millis(100) * *tenth;
            integral.add(*said, &format!("{said:?}"), now);
        }
        integral.count(now).unwrap()
    }

    /// 10 W, ten times a second, from tenth 0 to before 10, and then these.
    fn after_a_second(then: &[(u32, Said)]) -> Count {
        let usual = (0..10).map(|tenth| (tenth, Said::Watts(10.0)));
        sum(&usual.chain(then.iter().copied()).collect::<Vec<_>>())
    }

    #[test]
    fn power_is_summed_up_over_the_time_that_it_is_known_for() {
        let count = after_a_second(&[(10, Said::Watts(50.0)), (12, Said::Watts(20.0))]);
        assert_eq!(count.microjoules, 9_000_000 + 5_000_000 + 4_000_000);
        assert_eq!((count.covered, count.losses), (Some(Duration::from_millis(1200)), 0));
    }

    #[test]
    fn gap_of_more_than_five_periods_is_a_loss_and_adds_nothing() {
        let bridged = after_a_second(&[(14, Said::Watts(10.0))]);
        assert_eq!((bridged.microjoules, bridged.losses), (14_000_000, 0), "five periods are no gap");
        let gap = after_a_second(&[(15, Said::Watts(10.0)), (16, Said::Watts(10.0))]);
        assert_eq!((gap.microjoules, gap.losses), (10_000_000, 1));
        assert_eq!((gap.covered, gap.why.as_str()), (Some(Duration::from_secs(1)), "sent no reading for 0.6 s"));
    }

    #[test]
    fn reading_that_no_machine_can_have_is_a_loss_and_adds_nothing() {
        for watts in [f64::NAN, f64::INFINITY, -0.1, 1e300, 1.1e6] {
            let count = after_a_second(&[(10, Said::Watts(watts)), (11, Said::Watts(10.0))]);
            assert_eq!((count.microjoules, count.losses), (10_000_000, 1), "{watts}");
            assert!(count.why.starts_with("sent `Watts("), "{}", count.why);
        }
    }

    #[test]
    fn count_that_falls_or_leaps_is_a_loss_and_the_next_one_counts_from_there() {
        let joules = |counts: &[f64]| {
            let readings = counts.iter().enumerate().map(|(tenth, count)| (tenth as u32, Said::Joules(*count)));
            sum(&readings.collect::<Vec<_>>())
        };
        let steady = joules(&[100.0, 101.5, 101.5, 103.0]);
        assert_eq!((steady.microjoules, steady.losses), (3_000_000, 0));
        for (odd, then) in [(101.0, 102.0), (0.5, 1.5), (2e6, 2e6 + 1.0)] {
            let count = joules(&[100.0, 101.5, odd, then]);
            assert_eq!((count.microjoules, count.losses), (2_500_000, 1), "{odd}");
            assert_eq!(count.why, format!("counted 101.5 J and then {odd} J"));
        }
        for odd in [f64::NAN, -1.0, 1e300] {
            let count = joules(&[100.0, odd, 101.0]);
            assert_eq!(
                (count.microjoules, count.losses),
                (1_000_000, 1),
                "the count goes on from the one before {odd}"
            );
        }
    }

    #[test]
    fn source_that_sends_both_is_not_counted_twice() {
        let count =
            sum(&[(0, Said::Joules(1.0)), (0, Said::Watts(10.0)), (1, Said::Joules(2.0)), (1, Said::Watts(10.0))]);
        assert_eq!(count.microjoules, 1_000_000);
    }

    #[test]
    fn silence_is_no_count() {
        let (mut integral, began) = (Integral::default(), Instant::now());
        assert_eq!(integral.count(began), Err("sent no reading".into()));
        for tenth in 0..10 {
            integral.add(Said::Watts(0.0), "0 W", began + Duration::from_millis(100) * tenth);
        }
        assert_eq!(integral.usual(), Some(Duration::from_millis(100)));
        assert_eq!(integral.updates(), 10, "no power is a reading, too");
        assert!(integral.count(began + Duration::from_millis(1400)).is_ok());
        integral.skip("7777".into());
        let silent = integral.count(began + Duration::from_millis(1500));
        assert_eq!(silent, Err("sent no reading for 0.6 s, but `7777`".into()));
    }
}
