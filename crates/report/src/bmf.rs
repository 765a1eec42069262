//! A run in the Bencher Metric Format (<https://bencher.dev/docs/reference/bencher-metric-format>).
//!
//! ```json
//! {"Seal/algorithm=aes-256-gcm/provider=aws-lc/form=in-place/message=16KiB/aad=0-1":
//!   {"latency": {"value": 861.2, "lower_value": 858.0, "upper_value": 864.4},
//!    "throughput": {"value": 1161170.4, "lower_value": 1156870.0, "upper_value": 1165501.2}}}
//! ```
//!
//! In the units of Bencher's own measures: `latency` is nanoseconds of a call, `throughput` calls a second of all threads together.
//! The value is the geometric mean over whole forks, lower and upper its 95 % interval, left out with a single
//! fork. A cell of a device that counts has the measure `instructions` or `cycles` alone: of a call, lower and upper the least and
//! the most of any sample, left out where all are the same. Speed moves with the machine: these are for watching one machine over time, comparisons are in `show`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use ciphermeter_core::{Outcome, Record, Run};
use ciphermeter_stats::{Estimate, interval};
use serde::Serialize;
use serde::ser::Serializer;

use crate::benchmark::name;
use crate::other_metrics::other_metrics;
use ciphermeter_answer::devices::counts;
use ciphermeter_answer::measured::measured;
use ciphermeter_estimate::{CONFIDENCE, Counted, counted, fork_times};

/// Writes an object with a member for each measured record, and a newline.
///
/// # Errors
/// Those of `out`.
pub fn write_bmf(mut out: impl Write, run: &Run, records: &[Record]) -> io::Result<()> {
    let benchmarks = records.iter().filter_map(|record| Some((name(&record.cell), measures(run, record)?)));
    let mut serializer = serde_json::Serializer::new(&mut out);
    serializer.collect_map(benchmarks)?;
    writeln!(out)
}

/// A measure's name and its value.
type Measures = BTreeMap<&'static str, Value>;

/// By the name of what a device counts, of a time's own measures, or of metrics that this build does not know; `None` without any.
fn measures(run: &Run, record: &Record) -> Option<Measures> {
    let value = |metric| {
        let Counted { low, mid, high, .. } = counted(record, metric)?;
        Some(Value::of(mid, (low < high).then_some((low, high))))
    };
    match counts(record).filter(|_| record.outcome == Outcome::Measured) {
        Some(counts) => Some([(counts.as_str(), value(counts.metric())?)].into()),
        None if measured(record).is_some() => times(record),
        None => {
            let others = other_metrics(run).filter_map(|metric| Some((metric.name(), value(metric)?)));
            Some(others.collect::<Measures>()).filter(|others| !others.is_empty())
        }
    }
}

/// `None` without a whole fork.
fn times(record: &Record) -> Option<Measures> {
    let logs: Vec<f64> = fork_times(record).iter().map(|fork| fork.ns.ln()).collect();
    let (mid, range) = match (logs.as_slice(), interval(&logs, CONFIDENCE)) {
        ([only], _) => (only.exp(), None),
        (_, estimate) => {
            let Estimate { mid, low, high } = estimate?.exp();
            (mid, Some((low, high)))
        }
    };
    // Calls a second; the longest time is the lowest rate.
    let rate = |ns: f64| record.cell.messages_at_once() as f64 * 1e9 / ns;
    let swapped = range.map(|(low, high)| (rate(high), rate(low)));
    Some([("latency", Value::of(mid, range)), ("throughput", Value::of(rate(mid), swapped))].into())
}

#[derive(Serialize)]
struct Value {
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper_value: Option<f64>,
}

impl Value {
    fn of(value: f64, range: Option<(f64, f64)>) -> Self {
        Self { value, lower_value: range.map(|(low, _)| low), upper_value: range.map(|(_, high)| high) }
    }
}
