//! What was spent over a stretch of time, and how well that is known.

use std::time::{Duration, Instant};

use super::counter::Covers;
use super::meters::{Meter, Meters};

/// A stretch says something from this long on …
const LEAST: Duration = Duration::from_secs(2);
/// … and after so many updates of the counter.
const UPDATES: u32 = 50;
/// A counter is read between two of its updates, so at each end up to one period's energy is missing or too much. The difference of two
/// such errors, each uniform, lies within so much of a period's energy 95 times in 100: 1 − √0.05.
const ENDS: f64 = 0.776;

/// A stretch that is on.
pub struct Stretch {
    began: Instant,
    /// By meter: the first reading.
    first: Vec<Result<u64, String>>,
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
    /// What was counted in it, in joules, with the half-width of a 95 % interval from the counter's updates.
    pub joules: (f64, f64),
}

impl Stretch {
    /// Begins now.
    pub fn begin(meters: &mut Meters) -> Self {
        let first = meters.found.iter_mut().map(|meter| meter.microjoules()).collect();
        Self { began: Instant::now(), first }
    }

    /// How long a stretch must be for all of these meters.
    pub fn least(meters: &Meters) -> Duration {
        meters.found.iter().map(|meter| meter.period() * UPDATES).fold(LEAST, Duration::max)
    }

    /// What each meter counted until now; the error of one that failed says what to do.
    pub fn end(&self, meters: &mut Meters) -> Vec<Result<Spent, String>> {
        let seconds = self.began.elapsed().as_secs_f64();
        let spent = |(meter, first): (&mut Meter, &Result<u64, String>)| {
            let counted = meter.microjoules()?.saturating_sub(first.clone()?) as f64 / 1e6;
            let (name, covers, period) = (meter.name(), meter.covers(), meter.period().as_secs_f64());
            Ok(Spent { name, covers, seconds, joules: (counted, ENDS * period * counted / seconds.max(1e-9)) })
        };
        meters.found.iter_mut().zip(&self.first).map(spent).collect()
    }
}

impl Spent {
    /// The power in watts, and its half-width.
    pub fn watts(&self) -> (f64, f64) {
        let (joules, half) = self.joules;
        (joules / self.seconds, half / self.seconds)
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

    struct Broken;

    impl Counter for Broken {
        fn name(&self) -> String {
            "broken".into()
        }
        fn covers(&self) -> Covers {
            Covers::Machine
        }
        fn microjoules(&mut self) -> Result<u64, String> {
            Err("unplugged".into())
        }
        fn slow_period(&self) -> Option<Duration> {
            Some(Duration::from_secs(1))
        }
    }

    #[test]
    fn joules_and_watts_of_a_stretch_have_the_width_of_an_update() {
        let found: Vec<Meter> = vec![Meter::new(Box::new(Steady(Instant::now()))), Meter::new(Box::new(Broken))];
        let mut meters = Meters { found, absent: Vec::new() };
        assert!((0.01..0.1).contains(&meters.found[0].period().as_secs_f64()), "{:?}", meters.found[0].period());
        assert_eq!(Stretch::least(&meters), Duration::from_secs(50), "the slowest meter decides");
        let stretch = Stretch::begin(&mut meters);
        std::thread::sleep(Duration::from_millis(400));
        let spent = stretch.end(&mut meters);
        assert_eq!(spent[1], Err("unplugged".into()));
        let steady = spent[0].clone().unwrap();
        let (watts, half) = steady.watts();
        assert!((watts - 10.0).abs() <= 0.6 && half > 0.1 && half < 3.0, "{watts} ± {half}");
    }
}
