//! What was spent over a stretch of time, and how well that is known.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::counter::{Count, Covers};
use super::meters::{Meter, Meters};

/// A stretch says something from this long on …
const LEAST: Duration = Duration::from_secs(2);
/// … and after so many updates of the counter.
const UPDATES: u32 = 50;
/// A counter is read between two of its updates, so at each end up to one period's energy is missing or too much. The difference of two
/// such errors, each uniform, lies within so much of a period's energy 95 times in 100: 1 − √0.05.
const ENDS: f64 = 0.776;
/// Of a stretch whose readings are sent, its power may be unknown for so many periods …
const UNKNOWN_PERIODS: f64 = 2.0;
/// … and so large a part: readings come late on a busy machine.
const UNKNOWN_PART: f64 = 0.1;

/// All counters at one moment.
pub struct MeterReading {
    at: Instant,
    /// By meter.
    counts: Vec<Result<Count, String>>,
}

/// What one meter counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Spent {
    /// The meter.
    pub name: String,
    /// How much of the machine it covers.
    pub covers: Covers,
    /// How long the stretch was, in seconds.
    pub seconds: f64,
    /// What was counted in it, in joules, with the half-width of a 95 % interval from the counter's updates. Where that is not known,
    /// the reason and what to do, as a clause: `the meter on /dev/ttyUSB0 sent no reading for 2.1 s; check the meter …`.
    pub joules: Result<(f64, f64), String>,
}

impl MeterReading {
    /// Now.
    pub fn at(meters: &mut Meters) -> Self {
        Self { at: Instant::now(), counts: meters.found.iter_mut().map(Meter::count).collect() }
    }

    /// How long a stretch must be for all of these meters.
    pub fn least(meters: &Meters) -> Duration {
        meters.found.iter().map(|meter| meter.period() * UPDATES).fold(LEAST, Duration::max)
    }

    /// What each meter counted since an earlier look.
    pub fn since(&self, before: &Self, meters: &Meters) -> Vec<Spent> {
        let seconds = (self.at - before.at).as_secs_f64();
        let ends = before.counts.iter().zip(&self.counts);
        let spent = |(meter, (before, now)): (&Meter, _)| Spent {
            name: meter.name(),
            covers: meter.covers(),
            seconds,
            joules: joules(meter, before, now, seconds)
                .map_err(|why| format!("{} {why}; {}", meter.subject(), meter.remedy())),
        };
        meters.found.iter().zip(ends).map(spent).collect()
    }
}

fn joules(
    meter: &Meter,
    before: &Result<Count, String>,
    now: &Result<Count, String>,
    seconds: f64,
) -> Result<(f64, f64), String> {
    let (before, now) = (before.as_ref()?, now.as_ref()?);
    if now.losses > before.losses {
        return Err(now.why.clone());
    }
    let period = meter.period().as_secs_f64();
    let known = match (before.covered, now.covered) {
        (Some(before), Some(now)) => now.saturating_sub(before).as_secs_f64(),
        _ => seconds,
    };
    if seconds - known > UNKNOWN_PERIODS * period + UNKNOWN_PART * seconds {
        return Err(format!("was read for only {known:.1} of {seconds:.1} s"));
    }
    let counted = now.microjoules.saturating_sub(before.microjoules) as f64 / 1e6;
    if counted == 0.0 || known == 0.0 {
        return Err(format!("counted no energy in {seconds:.1} s"));
    }
    // What was read began and ended with a reading, a little before or after the stretch.
    let counted = counted * seconds / known;
    Ok((counted, ENDS * period * counted / seconds.max(1e-9)))
}

/// Microjoules, all counters of one kind together. A kind of which one counter does not know is left out.
pub fn by_kind(spent: &[Spent]) -> BTreeMap<Covers, u64> {
    let mut sums = BTreeMap::<Covers, Option<f64>>::new();
    for spent in spent {
        let sum = sums.entry(spent.covers).or_insert(Some(0.0));
        *sum = sum.zip(spent.joules.as_ref().ok()).map(|(sum, (joules, _))| sum + joules);
    }
    sums.into_iter().filter_map(|(covers, sum)| Some((covers, (sum? * 1e6).round() as u64))).collect()
}

impl Spent {
    /// The power in watts, and its half-width.
    ///
    /// # Errors
    /// It is not known, for that reason.
    pub fn watts(&self) -> Result<(f64, f64), &str> {
        let (joules, half) = self.joules.as_ref().map_err(String::as_str)?;
        Ok((joules / self.seconds, half / self.seconds))
    }
}

#[cfg(test)]
mod tests {
    use super::super::counter::Counter;
    use super::*;

    /// A counter that has a new value at every twentieth look. Its period is watched.
    struct Steady(u64);

    impl Counter for Steady {
        fn name(&self) -> String {
            "steady".into()
        }
        fn covers(&self) -> Covers {
            Covers::Cpu
        }
        fn microjoules(&mut self) -> Result<u64, String> {
            self.0 += 1;
            Ok(self.0 / 20)
        }
    }

    #[test]
    fn period_of_a_counter_that_does_not_say_it_is_watched() {
        // A watcher waits 100 us from look to look, and longer on a busy machine.
        let period = Meter::new(Box::new(Steady(0))).period();
        assert!(period >= Duration::from_millis(2), "{period:?}");
    }

    /// What a meter stands at, look after look, and how often it is updated.
    struct Played {
        covers: Covers,
        period: Duration,
        counts: Vec<Result<Count, String>>,
    }

    impl Counter for Played {
        fn name(&self) -> String {
            "played".into()
        }
        fn covers(&self) -> Covers {
            self.covers
        }
        fn microjoules(&mut self) -> Result<u64, String> {
            self.count().map(|count| count.microjoules)
        }
        fn count(&mut self) -> Result<Count, String> {
            self.counts.remove(0)
        }
        fn remedy(&self) -> &'static str {
            "do this"
        }
        fn slow_period(&self) -> Option<Duration> {
            Some(self.period)
        }
    }

    fn with(counters: Vec<Box<dyn Counter>>) -> Meters {
        Meters { found: counters.into_iter().map(Meter::new).collect(), absent: Vec::new(), current: None }
    }

    /// A meter of the machine that is updated every second.
    fn slow(counts: Vec<Result<Count, String>>) -> Box<dyn Counter> {
        Box::new(Played { covers: Covers::Machine, period: Duration::from_secs(1), counts })
    }

    #[test]
    fn joules_and_watts_of_a_stretch_have_the_width_of_an_update() {
        let broken = slow(vec![Err("was unplugged".into()), Err("was unplugged".into())]);
        let counts =
            vec![Ok(Count { covered: None, ..count(7, 0, 0) }), Ok(Count { covered: None, ..count(1007, 0, 0) })];
        let steady = Played { covers: Covers::Cpu, period: Duration::from_millis(20), counts };
        let mut meters = with(vec![Box::new(steady), broken]);
        assert_eq!(MeterReading::least(&meters), Duration::from_secs(50), "the slowest meter decides");
        let spent = spent_in(&mut meters, Duration::from_secs(100));
        assert_eq!(spent[1].joules, Err("played was unplugged; do this".into()));
        let (watts, half) = spent[0].watts().unwrap();
        let due = ENDS * 0.02 * 10.0 / 100.0;
        assert!((watts - 10.0).abs() < 1e-6 && (half - due).abs() < 1e-9, "{watts} ± {half}");
        assert_eq!(by_kind(&spent).into_keys().collect::<Vec<_>>(), [Covers::Cpu], "the machine's is not known");
    }

    /// What each meter counted in a stretch of that length: the clock is the test's own.
    fn spent_in(meters: &mut Meters, length: Duration) -> Vec<Spent> {
        let mut before = MeterReading::at(meters);
        let now = MeterReading::at(meters);
        before.at = now.at - length;
        now.since(&before, meters)
    }

    /// What a stretch of 100 s comes to between these two looks.
    fn stretch(first: Count, then: Count) -> Result<(f64, f64), String> {
        let mut meters = with(vec![slow(vec![Ok(first), Ok(then)])]);
        spent_in(&mut meters, Duration::from_secs(100)).remove(0).joules
    }

    fn count(joules: u64, covered: u64, losses: u64) -> Count {
        let covered = Some(Duration::from_secs(covered));
        Count { microjoules: joules * 1_000_000, covered, losses, why: "fell silent".into() }
    }

    #[test]
    fn power_of_the_time_that_was_read_stands_for_the_whole_stretch() {
        let (joules, half) = stretch(count(5, 5, 0), count(905, 95, 0)).unwrap();
        assert!((joules - 1000.0).abs() < 1e-6, "900 J in 90 s: {joules}");
        assert!((half - 7.76).abs() < 1e-6, "{half}");
    }

    #[test]
    fn energy_of_a_stretch_with_a_loss_is_not_known() {
        assert_eq!(stretch(count(5, 5, 3), count(1005, 105, 4)), Err("played fell silent; do this".into()));
        assert!(stretch(count(5, 5, 3), count(1005, 105, 3)).is_ok(), "the loss was before");
    }

    #[test]
    fn energy_of_a_stretch_that_was_read_in_part_is_not_known() {
        let why = stretch(count(0, 0, 0), count(870, 87, 0)).unwrap_err();
        assert_eq!(why, "played was read for only 87.0 of 100.0 s; do this");
    }

    #[test]
    fn no_energy_at_all_is_no_measurement() {
        let why = stretch(count(5, 0, 0), count(5, 100, 0)).unwrap_err();
        assert_eq!(why, "played counted no energy in 100.0 s; do this");
    }
}
