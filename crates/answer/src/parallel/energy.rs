//! What a way of encrypting a long message takes in energy: the mean power while it ran, over whole windows of the counter, times
//! what a gigabyte takes.

use ciphermeter_core::{Metric, Record, Run, escaped};
use ciphermeter_estimate::{CONFIDENCE, fork_times};
use ciphermeter_stats::interval;

use crate::power::idle;

/// Joules for 10⁹ bytes.
pub struct Energy {
    /// The middle.
    pub joules: f64,
    /// The 95 % interval, of power and rate together; `None` with a single window or fork.
    pub range: Option<(f64, f64)>,
    /// The same above what the machine draws at rest, where that is known.
    pub above_idle: Option<f64>,
    /// What counted it, for people: `CPU`, `meter on /dev/ttyUSB0, for the whole machine`.
    pub covers: String,
}

/// Counters that together cover a way: of a processor, and of a card, which its host feeds.
const OF_CPU: [(&[(Metric, &str)], &str); 3] = [
    (&[(Metric::ENERGY_CPU, "CPU")], "CPU"),
    (&[(Metric::ENERGY_CHIP, "chip")], "chip"),
    (&[(Metric::ENERGY_MACHINE, "machine")], "machine"),
];
const OF_CARD: [(&[(Metric, &str)], &str); 4] = [
    (&[(Metric::ENERGY_GPU, "GPU"), (Metric::ENERGY_CPU, "CPU")], "GPU and CPU"),
    (&[(Metric::ENERGY_GPU, "GPU")], "GPU"),
    OF_CPU[1],
    OF_CPU[2],
];

impl Energy {
    /// Of a way that encrypts so many GB/s; `None` where no counter was read.
    pub fn of(run: &Run, record: &Record, rate: f64) -> Option<Self> {
        let sets: &[_] = if record.cell.form.is_of_card() { &OF_CARD } else { &OF_CPU };
        sets.iter().find_map(|(counters, covers)| {
            let watts = windows(record, counters);
            let estimate = interval(&watts, CONFIDENCE);
            let mid = estimate.as_ref().map_or(*watts.first()?, |estimate| estimate.mid);
            let idle: Option<f64> = counters.iter().map(|(_, of)| idle(run, of)).sum();
            // The power and the rate were measured apart, so their errors add up as squares do.
            let (joules, power) = (mid / rate, estimate.map(|estimate| estimate.half_width() / mid));
            let half = power.zip(rate_error(record)).map(|(power, rate)| joules * power.hypot(rate));
            Some(Self {
                joules,
                range: half.map(|half| ((joules - half).max(0.0), joules + half)),
                above_idle: idle.map(|idle| (mid - idle) / rate),
                covers: counted_by(run, covers),
            })
        })
    }
}

/// The half-width of the 95 % interval of what a call takes, relative; `None` with a single fork.
fn rate_error(record: &Record) -> Option<f64> {
    let logs: Vec<f64> = fork_times(record).iter().map(|time| time.ns.ln()).collect();
    interval(&logs, CONFIDENCE).map(|estimate| estimate.half_width())
}

/// `CPU`; of a whole machine, the external meter that the run names.
fn counted_by(run: &Run, covers: &str) -> String {
    match run.fact("power meter") {
        Some(device) if covers == "machine" => format!("meter on {}, for the whole machine", escaped(device)),
        _ => covers.into(),
    }
}

/// The mean power of each window in watts, all these counters together.
fn windows(record: &Record, counters: &[(Metric, &str)]) -> Vec<f64> {
    let samples = record.forks.iter().flat_map(|fork| &fork.samples).filter(|sample| sample.ns() == 0);
    let watts = samples.filter_map(|sample| {
        let elapsed = sample.count(Metric::ELAPSED).filter(|elapsed| *elapsed > 0)?;
        let spent: Option<u64> = counters.iter().map(|(metric, _)| sample.count(*metric)).sum();
        Some(spent? as f64 * 1e3 / elapsed as f64)
    });
    watts.collect()
}
