//! All counters that this machine has, and what it lacks.

use std::time::{Duration, Instant};

use super::counter::{Count, Counter, Covers, Found, WATCHED};
use super::{battery, macmon, nvml, powercap, serial};
use crate::current::Current;
use crate::tree::Tree;

/// A counter that was found, and how often it is updated.
pub struct Meter {
    counter: Box<dyn Counter>,
    period: Duration,
}

/// A source of energy figures that this machine lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absent {
    /// `powercap`
    pub source: &'static str,
    /// Why, and what would enable it.
    pub why: String,
}

/// What this machine has.
#[derive(Default)]
pub struct Meters {
    /// In the order in which they are looked for.
    pub found: Vec<Meter>,
    /// What it lacks.
    pub absent: Vec<Absent>,
    /// What reads the current of a device, if the user named one.
    pub current: Option<Current>,
}

/// … and for as long at the most, if it is updated seldom. One that is not updated three times then counts as one of this period.
const PATIENCE: Duration = Duration::from_secs(2);
/// A counter of a longer period says nothing of a single second.
const FAST: Duration = Duration::from_millis(300);

impl Meters {
    /// Looks for all of them; `serial` is a device with an external meter, as [`Self::serial`] reads it.
    pub fn find(serial: Option<&str>) -> Self {
        let tree = Tree::live();
        let mut sources: Vec<(&'static str, Found)> = vec![
            ("powercap", powercap::find(tree)),
            ("nvml", nvml::find(None)),
            ("macmon", macmon::find(macmon::program())),
            ("battery", battery::find(Tree::live())),
        ];
        let none =
            || Err("none was named; `run sustained` and `run parallel` take one with --meter /dev/ttyUSB0".to_string());
        sources.push(("serial", serial.map_or_else(none, serial::find)));
        Self::of(sources)
    }

    fn of(sources: Vec<(&'static str, Found)>) -> Self {
        let (mut found, mut absent) = (Vec::new(), Vec::new());
        for (source, counters) in sources {
            match counters {
                Ok(counters) => found.extend(counters.into_iter().map(Meter::new)),
                Err(why) => absent.push(Absent { source, why }),
            }
        }
        Self { found, absent, current: None }
    }

    /// Keeps the counters that are updated several times a second, and hands the others over.
    pub fn keep_fast(&mut self) -> Vec<Meter> {
        let (fast, slow) = std::mem::take(&mut self.found).into_iter().partition(|meter| meter.period <= FAST);
        self.found = fast;
        slow
    }
}

impl Meter {
    pub(super) fn new(mut counter: Box<dyn Counter>) -> Self {
        let period = counter.slow_period().unwrap_or_else(|| watch(&mut *counter));
        Self { counter, period }
    }

    /// Its name with what it sums.
    pub fn name(&self) -> String {
        self.counter.name()
    }

    /// Whether it is another device's, named by the user.
    pub fn is_external(&self) -> bool {
        self.counter.is_external()
    }

    /// How much it covers.
    pub fn covers(&self) -> Covers {
        self.counter.covers()
    }

    /// How long it takes from one update to the next.
    pub fn period(&self) -> Duration {
        self.period
    }

    /// Its name as a sentence has it.
    pub(super) fn subject(&self) -> String {
        self.counter.subject()
    }

    /// What to do where it counts nothing.
    pub(super) fn remedy(&self) -> &'static str {
        self.counter.remedy()
    }

    pub(super) fn count(&mut self) -> Result<Count, String> {
        self.counter.count()
    }
}

/// The mean time between updates, as far as it is seen.
fn watch(counter: &mut dyn Counter) -> Duration {
    let began = Instant::now();
    let (mut last, mut changes) = (counter.updates().ok(), Vec::new());
    while began.elapsed() < WATCHED || changes.len() < 3 && began.elapsed() < PATIENCE {
        let now = counter.updates().ok();
        if now != last {
            changes.push(Instant::now());
            last = now;
        }
        std::thread::sleep(Duration::from_micros(100));
    }
    match changes[..] {
        [first, _, .., last] => (last - first) / (changes.len() as u32 - 1),
        _ => PATIENCE,
    }
}
