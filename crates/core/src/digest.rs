//! What tells one run from another: a hash of what was measured.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use sha2::{Digest, Sha256};

use crate::{Fork, Record, Run, Sample};

/// SHA-256 in lower-case hex of a run's start, seed, host, cells, samples and wrong outputs: the same for a run in its store, in its
/// export, and imported elsewhere. Summaries and notes are left out, as each version makes them anew.
pub fn digest(run: &Run, records: &[Record]) -> String {
    let mut hash = Hashed(Sha256::new());
    // A hash takes all that is written.
    let _ = write(&mut hash, run, records);
    hash.0.finalize().iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

struct Hashed(Sha256);

impl Write for Hashed {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text);
        Ok(())
    }
}

/// A line for each thing, so that no two runs are written alike. Stored digests stay comparable only if these lines
/// stay as they are.
fn write(to: &mut Hashed, run: &Run, records: &[Record]) -> fmt::Result {
    writeln!(to, "run {:?} {}", run.started, run.seed)?;
    // An export has facts without a value behind the others.
    let facts: BTreeMap<_, _> = run.host.iter().filter_map(|fact| Some((&fact.name, fact.value.as_ref()?))).collect();
    facts.iter().try_for_each(|(name, value)| writeln!(to, "host {name:?} {value:?}"))?;
    for record in records {
        writeln!(to, "cell {} {:?}", record.id.0, record.cell.to_string())?;
        // The same samples say nothing where the output was wrong.
        if record.outcome.is_wrong() {
            writeln!(to, "wrong output")?;
        }
        for fork in &record.forks {
            write_fork(to, fork)?;
        }
        for calls in &record.latency {
            writeln!(to, "calls {} {} {}", calls.fork, calls.short, calls.clock_ns)?;
            calls.calls.iter().try_for_each(|(ns, count)| writeln!(to, "{ns} {count}"))?;
        }
        for memory in &record.memory {
            let bytes = (memory.idle_rss, memory.peak_rss, memory.peak_heap, memory.allocated);
            writeln!(to, "memory {} {} {bytes:?} {:?}", memory.fork, memory.iterations, memory.counter)?;
        }
    }
    Ok(())
}

fn write_fork(to: &mut Hashed, fork: &Fork) -> fmt::Result {
    writeln!(to, "fork {} {}", fork.number, fork.short)?;
    for (round, sample) in fork.rounds.iter().zip(&fork.samples) {
        write_sample(to, *round, sample)?;
    }
    Ok(())
}

fn write_sample(to: &mut Hashed, round: u32, sample: &Sample) -> fmt::Result {
    let after = sample.after.map(|cell| cell.0);
    write!(to, "sample {round} {} {after:?} {}", sample.turn, sample.iterations)?;
    // A worker counts its metrics in an order of its own.
    let mut counts: Vec<(&str, u64)> = sample.counts.iter().map(|(metric, count)| (metric.name(), *count)).collect();
    counts.sort_unstable();
    counts.into_iter().try_for_each(|(metric, count)| write!(to, " {metric:?}={count}"))?;
    sample.series.iter().try_for_each(|(series, entries)| write!(to, " {series}={entries:?}"))?;
    writeln!(to)
}
