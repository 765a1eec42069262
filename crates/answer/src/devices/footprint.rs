//! What a cell takes on a device apart from its time: RAM, flash, charge.

use ciphermeter_core::{Limits, Metric, Record, Sample};
use ciphermeter_estimate::{most, range_of};

use serde::Serialize;

use crate::words::digits;

/// Absent is what the device does not say, or what nothing meters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Footprint {
    /// Bytes of stack.
    pub stack: Option<u64>,
    /// Bytes of the library's objects.
    pub state: Option<u64>,
    /// Bytes of code and constant tables.
    pub code: Option<u64>,
    /// Microcoulombs of a call.
    pub charge: Option<f64>,
    /// Microjoules of a call.
    pub energy: Option<f64>,
    /// Milliamperes while calls run.
    pub active: Option<f64>,
    /// Milliamperes while the board waits.
    pub idle: Option<f64>,
}

/// Milliamperes of the calls of a window.
fn active(sample: &Sample) -> Option<f64> {
    let (charge, elapsed) = (sample.count(Metric::CHARGE)?, sample.count(Metric::ELAPSED)?);
    // nC ÷ ns = A
    (elapsed > 0).then(|| 1e3 * charge as f64 / elapsed as f64)
}

impl Footprint {
    /// Of a record's forks.
    pub fn of(record: &Record) -> Self {
        // A board with a meter says the charge of any sample that is long enough, those that are timed, too.
        let of_window = |sample: &Sample, metric: Metric| {
            sample.count(Metric::ELAPSED)?;
            Some(metric.figure(sample.count(metric)?, sample.iterations))
        };
        let figure = |metric| {
            range_of(&record.forks, &Limits::default(), |sample| of_window(sample, metric)).map(|range| range.mid)
        };
        Self {
            stack: most(record, Metric::STACK),
            state: most(record, Metric::STATE),
            code: most(record, Metric::CODE),
            charge: figure(Metric::CHARGE).map(|nanocoulombs| nanocoulombs / 1e3),
            energy: figure(Metric::ENERGY_MACHINE),
            active: range_of(&record.forks, &Limits::default(), active).map(|range| range.mid),
            idle: figure(Metric::IDLE_CURRENT).map(|nanoamperes| nanoamperes / 1e6),
        }
    }

    /// State and stack; `None` unless both are known.
    pub fn ram(&self) -> Option<u64> {
        Some(self.stack?.saturating_add(self.state?))
    }

    /// `0.42 µC`, with the energy where that was metered, too: `0.42 µC, 1.39 µJ`.
    pub fn charged(&self) -> Option<String> {
        let parts = [(self.charge, "µC"), (self.energy, "µJ")];
        let parts: Vec<String> =
            parts.into_iter().filter_map(|(figure, unit)| Some(format!("{} {unit}", digits(figure?)))).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}
