//! A run in the Go benchmark format (<https://go.dev/design/14313-benchmark-format>), as benchstat reads it.
//!
//! ```text
//! goos: linux
//! goarch: amd64
//! cpu: AMD EPYC
//! BenchmarkSeal/algorithm=aes-256-gcm/provider=aws-lc/form=in-place/message=16KiB/aad=0-1 30000 861.2 ns/op 19024 MB/s
//! ```
//!
//! A line is what a cell took in one whole fork: the fork is the replicate, so benchstat's own intervals rest on
//! what ours rest on. As in Go, `ns/op` of several threads is elapsed time ÷ the calls of all of them, `MB/s` are 10⁶
//! message bytes a second, and the number behind the last `-` is that of the threads. `benchstat -col /provider` sets
//! providers beside each other; benchstat knows nothing of rounds, so its ratios are less sharp than `show`'s.
//!
//! A cell of a device that counts has `instructions/op` or `cycles/op` in place of `ns/op`, and no `MB/s`. Metrics that this build does not
//! know have lines of their own, with their names as units.
//!
//! Configuration is only what stays the same from run to run, because benchstat takes runs that differ in it for
//! incomparable; the rest stands in comments.

use std::io::{self, Write};

use ciphermeter_core::{Fact, Metric, Operation, Outcome, Record, Run, escaped};

use crate::benchmark::name;
use crate::other_metrics::other_metrics;
use ciphermeter_answer::devices::counts;
use ciphermeter_answer::measured::measured;
use ciphermeter_estimate::{fork_counts, fork_times};

/// Writes configuration, then a line for each whole fork of each measured record.
///
/// # Errors
/// Those of `out`.
pub fn write_benchstat(mut out: impl Write, run: &Run, records: &[Record]) -> io::Result<()> {
    writeln!(out, "# ciphermeter {}, run {}: {}", escaped(&run.version), run.id, escaped(&run.scenario.name))?;
    for (key, value) in configuration(run) {
        writeln!(out, "{key}: {}", escaped(value))?;
    }
    if let Some(mask) = run.mask {
        writeln!(out, "mask: {mask}")?;
    }
    for Fact { name, value, .. } in run.host.iter().filter(|fact| !matches!(fact.name.as_str(), "cpu" | "architecture"))
    {
        if let Some(value) = value {
            writeln!(out, "# {}: {}", escaped(name), escaped(value))?;
        }
    }
    for record in records {
        match counts(record).filter(|_| record.outcome == Outcome::Measured) {
            Some(counts) => write_counts(&mut out, record, counts.metric(), &format!("{counts}/op"))?,
            None if measured(record).is_some() => write_lines(&mut out, record)?,
            None => {}
        }
        for metric in other_metrics(run) {
            write_counts(&mut out, record, metric, metric.name())?;
        }
    }
    out.flush()
}

/// Of a device that counts, `instructions/op` or `cycles/op`; of a metric that this build does not know, its name.
fn write_counts(out: &mut impl Write, record: &Record, metric: Metric, unit: &str) -> io::Result<()> {
    for fork in fork_counts(record, metric) {
        writeln!(out, "Benchmark{} {} {:.4} {unit}", name(&record.cell), fork.iterations, fork.count)?;
    }
    Ok(())
}

fn write_lines(out: &mut impl Write, record: &Record) -> io::Result<()> {
    let cell = &record.cell;
    let at_once = cell.messages_at_once();
    let counts = cell.parameters.message() > 0 && cell.operation != Operation::KeySetup;
    for fork in fork_times(record) {
        let each = fork.ns / at_once as f64;
        let calls = fork.iterations.saturating_mul(at_once);
        write!(out, "Benchmark{} {calls} {each:.4} ns/op", name(cell))?;
        if counts {
            write!(out, " {:.3} MB/s", cell.parameters.message() as f64 * 1e3 / each)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// With the keys and words of Go's own tests.
fn configuration(run: &Run) -> Vec<(&'static str, &str)> {
    let system = run.fact("kernel").and_then(|kernel| kernel.split(' ').next()).map(|system| match system {
        "Linux" => "linux",
        "Darwin" => "darwin",
        other => other,
    });
    let architecture = run.fact("architecture").map(|architecture| match architecture {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    });
    let all = [("goos", system), ("goarch", architecture), ("cpu", run.fact("cpu"))];
    all.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
}
