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
pub struct Look {
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

impl Look {
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

    /// A counter of 10 W that is updated every 20 ms.
    struct Steady(Instant);

    impl Counter for Steady {
        fn name(&self) -> String {
            "steady".into()
        }
        fn covers(&self) -> Covers {
            Covers::Cpu
        }
        fn microjoules(&mut self) -> Result<u64, String> {
            Ok(self.0.elapsed().as_millis() as u64 / 20 * 200_000)
        }
    }

    /// What a meter of the machine stands at, look after look; it is updated every second.
    struct Played(Vec<Result<Count, String>>);

    impl Counter for Played {
        fn name(&self) -> String {
            "played".into()
        }
        fn covers(&self) -> Covers {
            Covers::Machine
        }
        fn microjoules(&mut self) -> Result<u64, String> {
            self.count().map(|count| count.microjoules)
        }
        fn count(&mut self) -> Result<Count, String> {
            self.0.remove(0)
        }
        fn remedy(&self) -> &'static str {
            "do this"
        }
        fn slow_period(&self) -> Option<Duration> {
            Some(Duration::from_secs(1))
        }
    }

    fn with(counters: Vec<Box<dyn Counter>>) -> Meters {
        Meters { found: counters.into_iter().map(Meter::new).collect(), absent: Vec::new(), current: None }
    }

    #[test]
    fn joules_and_watts_of_a_stretch_have_the_width_of_an_update() {
        let broken = Played(vec![Err("was unplugged".into()), Err("was unplugged".into())]);
        let mut meters = with(vec![Box::new(Steady(Instant::now())), Box::new(broken)]);
        assert!((0.01..0.1).contains(&meters.found[0].period().as_secs_f64()), "{:?}", meters.found[0].period());
        assert_eq!(Look::least(&meters), Duration::from_secs(50), "the slowest meter decides");
        let before = Look::at(&mut meters);
        std::thread::sleep(Duration::from_millis(400));
        let spent = Look::at(&mut meters).since(&before, &meters);
        assert_eq!(spent[1].joules, Err("played was unplugged; do this".into()));
        let (watts, half) = spent[0].watts().unwrap();
        assert!((watts - 10.0).abs() <= 0.6 && half > 0.1 && half < 3.0, "{watts} ± {half}");
        assert_eq!(by_kind(&spent).into_keys().collect::<Vec<_>>(), [Covers::Cpu], "the machine's is not known");
    }

    /// What a stretch of 100 s comes to between these two looks.
    fn stretch(first: Count, then: Count) -> Result<(f64, f64), String> {
        let mut meters = with(vec![Box::new(Played(vec![Ok(first), Ok(then)]))]);
        let mut before = Look::at(&mut meters);
        let now = Look::at(&mut meters);
        before.at = now.at - Duration::from_secs(100);
        now.since(&before, &meters).remove(0).joules
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
