//! A run's records as CSV, one row each, in the order of their numbers; of a sustained load, its steps ([`crate::sustained`]).
//!
//! | column | meaning |
//! | --- | --- |
//! | `run`, `started`, `cell` | the run's number, when it began (RFC 3339, UTC), the cell's number within it |
//! | `provider` … `form` | what was measured |
//! | `message_bytes`, `aad_bytes`, `threads`, `cpus` | its parameters; `cpus` is empty where all take turns on one |
//! | `outcome`, `why` | `measured`, `unsupported`, `wrong-output` or `failed`, and why not measured |
//! | `worker` … `program` | which code gave the figures; empty where it didn't say |
//! | `range_low_ns`, `median_ns`, `range_high_ns` | nanoseconds for each iteration: 5 %, 50 %, 95 % quantile of single samples |
//! | `gb_per_s_low`, `gb_per_s_mid`, `gb_per_s_high` | the same as 10⁹ message bytes a second; empty for empty messages and `key-setup` |
//! | `reference` | the cell whose time divides the ratio |
//! | `ratio_mid`, `ratio_low`, `ratio_high` | time ÷ time of the reference, and its 95 % interval |
//! | `speed_up`, `efficiency` | of several threads: times the rate of the same provider's one, and that ÷ threads |
//! | `converged`, `forks`, `rounds` | whether the ratio reached the precision asked for; what it rests on |
//! | `p50_ns`, `p90_ns`, `p99_ns`, `p999_ns` | percentiles of single calls in nanoseconds; empty where absent or refused |
//! | `warnings` | sentences, joined by `; ` |
//! | `cpu_ns_per_call` | CPU time of a call in nanoseconds: median over samples of what all threads used ÷ the calls of all |
//! | `peak_rss` | bytes, median over processes: the most resident above the idle process |
//! | `peak_heap`, `allocated_per_call` | the same by the runtime's or C library's own count: most in use, given out for one call |

use std::io::{self, Write};

use ciphermeter_core::{Kind, Outcome, Record, Run};
use ciphermeter_stats::Percentile;
use csv::Writer;

use crate::csv_error::unwrapped;
use crate::gb_per_s;
use crate::latency::Percentiles;
use crate::memory::{Medians, cpu_range};
use crate::sustained::write_course_csv;
use crate::threads::gain;

const COLUMNS: [&str; 45] = [
    "run",
    "started",
    "cell",
    "provider",
    "algorithm",
    "operation",
    "form",
    "message_bytes",
    "aad_bytes",
    "threads",
    "cpus",
    "outcome",
    "why",
    "worker",
    "runtime",
    "version",
    "path",
    "setup",
    "library",
    "sha256",
    "program",
    "range_low_ns",
    "median_ns",
    "range_high_ns",
    "gb_per_s_low",
    "gb_per_s_mid",
    "gb_per_s_high",
    "reference",
    "ratio_mid",
    "ratio_low",
    "ratio_high",
    "speed_up",
    "efficiency",
    "converged",
    "forks",
    "rounds",
    "p50_ns",
    "p90_ns",
    "p99_ns",
    "p999_ns",
    "warnings",
    "cpu_ns_per_call",
    "peak_rss",
    "peak_heap",
    "allocated_per_call",
];

/// Writes a header and one row for each record, of a sustained load one for each step.
///
/// # Errors
/// Those of `out`.
pub fn write_csv(out: impl Write, run: &Run, records: &[Record]) -> io::Result<()> {
    if run.scenario.kind == Kind::Sustained {
        return write_course_csv(out, records);
    }
    let mut writer = Writer::from_writer(out);
    writer.write_record(COLUMNS).map_err(unwrapped)?;
    for record in records {
        writer.write_record(row(run, record, records)).map_err(unwrapped)?;
    }
    writer.flush()
}

fn row(run: &Run, record: &Record, records: &[Record]) -> [String; COLUMNS.len()] {
    let (cell, summary) = (&record.cell, record.summary.as_ref());
    let from = record.provenance.as_ref();
    let (outcome, why) = outcome(&record.outcome);
    let range = |pick: fn(&ciphermeter_core::SampleRange) -> f64| number(summary.map(|summary| pick(&summary.range)));
    let rates = summary.and_then(|summary| gb_per_s(cell, summary.range));
    let ratio = summary.and_then(|summary| summary.ratio);
    let gain = summary.and_then(|_| gain(record, records));
    let percentiles = Percentiles::of(record);
    let percentile = |at| {
        let figure = percentiles.as_ref().and_then(|percentiles| percentiles.get(at));
        figure.map(|figure| figure.ns.to_string()).unwrap_or_default()
    };
    let memory = Medians::of(record).unwrap_or_default();
    let bytes = |bytes: Option<u64>| bytes.map(|bytes| bytes.to_string()).unwrap_or_default();
    let said = |text: Option<&String>| text.cloned().unwrap_or_default();
    [
        run.id.to_string(),
        run.started.clone(),
        record.id.0.to_string(),
        cell.provider.clone(),
        cell.algorithm.to_string(),
        cell.operation.to_string(),
        cell.form.to_string(),
        cell.parameters.message().to_string(),
        cell.parameters.aad().to_string(),
        cell.parameters.threads().to_string(),
        cell.parameters.cpus().map(|cpus| cpus.to_string()).unwrap_or_default(),
        outcome.to_string(),
        why.to_string(),
        said(from.map(|from| &from.worker)),
        said(from.map(|from| &from.runtime)),
        said(from.map(|from| &from.version)),
        said(from.map(|from| &from.path)),
        from.map(|from| from.setup.to_string()).unwrap_or_default(),
        said(from.and_then(|from| from.library.as_ref())),
        said(from.and_then(|from| from.sha256.as_ref())),
        said(from.and_then(|from| from.program.as_ref())),
        range(|range| range.low),
        range(|range| range.mid),
        range(|range| range.high),
        number(rates.map(|rate| rate.low)),
        number(rates.map(|rate| rate.mid)),
        number(rates.map(|rate| rate.high)),
        summary.map(|summary| summary.reference.0.to_string()).unwrap_or_default(),
        number(ratio.map(|ratio| ratio.mid)),
        number(ratio.map(|ratio| ratio.low)),
        number(ratio.map(|ratio| ratio.high)),
        number(gain.as_ref().map(|gain| gain.speed_up.mid)),
        number(gain.as_ref().map(|gain| gain.efficiency.mid)),
        summary.map(|summary| summary.converged.to_string()).unwrap_or_default(),
        summary.map(|summary| summary.forks.to_string()).unwrap_or_default(),
        summary.map(|summary| summary.rounds.to_string()).unwrap_or_default(),
        percentile(Percentile::P50),
        percentile(Percentile::P90),
        percentile(Percentile::P99),
        percentile(Percentile::P99_9),
        summary.map(|summary| summary.warnings.join("; ")).unwrap_or_default(),
        number(cpu_range(record).map(|range| range.mid)),
        bytes(memory.peak_rss),
        bytes(memory.peak_heap),
        bytes(memory.allocated_per_call),
    ]
}

fn outcome(outcome: &Outcome) -> (&'static str, &str) {
    match outcome {
        Outcome::Measured => ("measured", ""),
        Outcome::Unsupported { why } => ("unsupported", why),
        Outcome::WrongOutput { why } => ("wrong-output", why),
        Outcome::Failed { why } => ("failed", why),
    }
}

/// Six digits behind the point: a nanosecond's are more than any clock gives, a ratio's more than any interval.
fn number(value: Option<f64>) -> String {
    value.map(|value| format!("{value:.6}")).unwrap_or_default()
}
