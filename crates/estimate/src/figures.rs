//! Any metric of a record, summed up as its descriptor says.

use ciphermeter_core::{Metric, Record, Sample, SampleRange};
use ciphermeter_stats::quantile;

/// Where the samples' figures lie, those of short forks too: for each call, or as they are where the metric is a state or a peak.
/// `None` where no sample counts it.
pub fn figures(record: &Record, metric: Metric) -> Option<SampleRange> {
    let samples = record.forks.iter().flat_map(|fork| &fork.samples);
    let figure = |sample: &Sample| Some(metric.figure(sample.count(metric)?, sample.iterations));
    let mut figures: Vec<f64> = samples.filter_map(figure).collect();
    let mut at = |q| quantile(&mut figures, q);
    Some(SampleRange { low: at(0.05)?, mid: at(0.5)?, high: at(0.95)? })
}
