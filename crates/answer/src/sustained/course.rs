//! The steps of a sustained load, in the units that people read.

use ciphermeter_core::{Cell, Metric, Record, Sample, SampleRange};
use ciphermeter_estimate::step_rate;
use ciphermeter_stats::quantile;

/// One step, about a second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// When it ended, in seconds from the start.
    pub end: f64,
    /// How long it was, in seconds.
    pub seconds: f64,
    /// In the unit of [`rate_unit`].
    pub rate: f64,
    /// The CPU's clock.
    pub gigahertz: Option<f64>,
    /// Degrees Celsius.
    pub degrees: Option<f64>,
    /// What drew it, and how much: `CPU`, in watts.
    pub power: Option<(&'static str, f64)>,
    /// CPU time of the worker's process ÷ time, 1 is one CPU; where files move, that is the sender's.
    pub sender: Option<f64>,
    /// The same of the receiver's process.
    pub receiver: Option<f64>,
    /// CPU time that the hypervisor took from all CPUs that may be used ÷ time.
    pub steal: Option<f64>,
    /// CPU time of all other processes ÷ time.
    pub others: Option<f64>,
    /// Memory of the worker's process, in 10⁶ bytes.
    pub sender_rss: Option<f64>,
    /// The same of the receiver's process.
    pub receiver_rss: Option<f64>,
}

/// Whose power is shown: the first that a step has.
const POWER: [(Metric, &str); 4] = [
    (Metric::ENERGY_CPU, "CPU"),
    (Metric::ENERGY_CHIP, "chip"),
    (Metric::ENERGY_MACHINE, "machine"),
    (Metric::ENERGY_GPU, "GPU"),
];

impl Step {
    /// What it drew.
    pub fn watts(&self) -> Option<f64> {
        self.power.map(|(_, watts)| watts)
    }

    /// CPU time of the load's own processes.
    pub fn own(&self) -> Option<f64> {
        Some(self.sender? + self.receiver.unwrap_or(0.0))
    }

    /// The hypervisor's part of the CPU time that was asked for.
    pub fn stolen(&self) -> Option<f64> {
        let (steal, asked) = (self.steal?, self.own()? + self.others?);
        (steal + asked > 0.0).then(|| steal / (steal + asked))
    }

    fn of(cell: &Cell, sample: &Sample, begin: f64) -> Option<Self> {
        let ns = sample.count(Metric::NS).filter(|ns| *ns > 0)? as f64;
        // Older runs were looked at while they went on, so that a step's time was all there was.
        let elapsed = sample.count(Metric::ELAPSED).map_or(ns, |elapsed| elapsed as f64);
        let in_units = |metric, unit: f64| sample.count(metric).map(|count| count as f64 / unit);
        Some(Self {
            end: begin + elapsed / 1e9,
            seconds: elapsed / 1e9,
            rate: step_rate(cell, sample)?,
            gigahertz: in_units(Metric::FREQUENCY, 1e6),
            degrees: in_units(Metric::TEMPERATURE, 1e3),
            power: POWER.iter().find_map(|(metric, of)| Some((*of, in_units(*metric, elapsed / 1e3)?))),
            sender: in_units(Metric::CPU_NS, ns),
            receiver: in_units(Metric::PEER_CPU_NS, ns),
            steal: in_units(Metric::STEAL, elapsed),
            others: in_units(Metric::OTHERS, elapsed),
            sender_rss: in_units(Metric::RSS, 1e6),
            receiver_rss: in_units(Metric::PEER_RSS, 1e6).or(in_units(Metric::PEER_PEAK_RSS, 1e6)),
        })
    }
}

/// The unit of a step's rate: 10⁶ bytes a second, or a thousand calls where a call has no message.
pub fn rate_unit(cell: &Cell) -> &'static str {
    if cell.parameters.message() == 0 { "thousand calls/s" } else { "MB/s" }
}

/// Joules for 10⁹ bytes, `above` so many watts that the machine draws in any case, over the steps in which a counter knew; `None` where
/// a call has no message, or no counter did.
pub fn joules_per_gigabyte(cell: &Cell, steps: &[Step], above: f64) -> Option<f64> {
    let counted = || steps.iter().filter_map(|step| Some((step, step.watts()?)));
    let joules: f64 = counted().map(|(step, watts)| (watts - above) * step.seconds).sum();
    let megabytes: f64 = counted().map(|(step, _)| step.rate * step.seconds).sum();
    (cell.parameters.message() > 0 && megabytes > 0.0).then(|| joules / megabytes * 1e3)
}

/// The steps of a record in the order in which they were taken.
pub fn course(record: &Record) -> Vec<Step> {
    let mut steps = Vec::<Step>::new();
    for sample in record.forks.iter().flat_map(|fork| &fork.samples) {
        steps.extend(Step::of(&record.cell, sample, steps.last().map_or(0.0, |step| step.end)));
    }
    steps
}

/// What one quantity of a step is.
pub type Quantity = fn(&Step) -> Option<f64>;

/// Where the steps lay: the 5 %, 50 % and 95 % quantiles; `None` if none tells.
pub fn range(steps: &[Step], quantity: Quantity) -> Option<SampleRange> {
    let mut values: Vec<f64> = steps.iter().filter_map(quantity).collect();
    let mut at = |q| quantile(&mut values, q);
    Some(SampleRange { low: at(0.05)?, mid: at(0.5)?, high: at(0.95)? })
}

/// The mean, for what comes in bursts.
pub fn mean(steps: &[Step], quantity: Quantity) -> Option<f64> {
    let values: Vec<f64> = steps.iter().filter_map(quantity).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The most.
pub fn most(steps: &[Step], quantity: Quantity) -> Option<f64> {
    steps.iter().filter_map(quantity).max_by(f64::total_cmp)
}
