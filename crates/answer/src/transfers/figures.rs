//! Figures of transfers, from samples.

use ciphermeter_core::{Limits, Metric, Record, Sample};
use ciphermeter_estimate::{figures, range_of};

/// A metric of a single transfer: the median over a record's samples; `None` where none tells.
pub fn each(record: &Record, metric: Metric) -> Option<f64> {
    figures(record, metric).map(|range| range.mid)
}

/// The same of one sample.
pub fn of_each(sample: &Sample, metric: Metric) -> Option<f64> {
    Some(metric.figure(sample.count(metric)?, sample.iterations))
}

/// CPU time of one side ÷ time.
pub fn cpu_share(sample: &Sample, metric: Metric) -> Option<f64> {
    let ns = sample.count(Metric::NS).filter(|ns| *ns > 0)?;
    Some(sample.count(metric)? as f64 / ns as f64)
}

/// The median of any figure of samples over a record.
pub fn over_samples(record: &Record, figure: impl Fn(&Sample) -> Option<f64>) -> Option<f64> {
    Some(range_of(&record.forks, &Limits::default(), figure)?.mid)
}

/// Bytes in so many nanoseconds as 10⁶ bytes a second; `None` of an empty file.
pub fn mb_per_s(bytes: u64, ns: f64) -> Option<f64> {
    (bytes > 0 && ns > 0.0).then(|| bytes as f64 * 1e3 / ns)
}
