//! All counters that this machine has, and what it lacks.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::counter::{Counter, Covers, Found};
use super::{battery, macmon, nvml, powercap, serial};
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
}

/// How long a counter is watched for its updates.
const WATCHED: Duration = Duration::from_millis(250);
/// A counter that was updated less often while it was watched is taken for one of this period.
const LONG: Duration = Duration::from_millis(250);
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
        let none = || Err("none was named; `run sustained` takes one with --meter /dev/ttyUSB0".to_string());
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
        Self { found, absent }
    }

    /// Keeps the counters that are updated several times a second.
    pub fn keep_fast(&mut self) {
        self.found.retain(|meter| meter.period <= FAST);
    }

    /// Microjoules so far, all counters of one kind together. A kind of which one counter fails is left out.
    pub fn read(&mut self) -> BTreeMap<Covers, u64> {
        let mut sums = BTreeMap::<Covers, Option<u64>>::new();
        for meter in &mut self.found {
            let counted = meter.microjoules().ok();
            let sum = sums.entry(meter.covers()).or_insert(Some(0));
            *sum = sum.zip(counted).map(|(sum, counted)| sum.saturating_add(counted));
        }
        sums.into_iter().filter_map(|(covers, sum)| Some((covers, sum?))).collect()
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

    /// How much it covers.
    pub fn covers(&self) -> Covers {
        self.counter.covers()
    }

    /// How long it takes from one update to the next.
    pub fn period(&self) -> Duration {
        self.period
    }

    /// Microjoules since it was opened; never falls.
    ///
    /// # Errors
    /// The counter cannot be read any more; what to do.
    pub fn microjoules(&mut self) -> Result<u64, String> {
        self.counter.microjoules()
    }
}

/// The mean time between updates, seen over a quarter of a second.
fn watch(counter: &mut dyn Counter) -> Duration {
    let began = Instant::now();
    let (mut last, mut changes) = (counter.microjoules().ok(), Vec::new());
    while began.elapsed() < WATCHED {
        let now = counter.microjoules().ok();
        if now != last {
            changes.push(Instant::now());
            last = now;
        }
        std::thread::sleep(Duration::from_micros(100));
    }
    match (changes.first(), changes.last()) {
        (Some(first), Some(last)) if changes.len() > 2 => (*last - *first) / (changes.len() as u32 - 1),
        _ => LONG,
    }
}
