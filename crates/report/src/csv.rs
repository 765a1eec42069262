//! A run's records as CSV, one row each, in the order of their numbers; of a sustained load, its steps ([`crate::sustained`]).

use std::io::{self, Write};

use ciphermeter_core::{Algorithm, Device, Metric, Provenance, Record, Run, SampleRange};
use ciphermeter_estimate::{CONFIDENCE, Counted, Ratio, counted, figures, unaligned};
use ciphermeter_stats::Percentile;

use crate::column::{self, Column, Further};
use crate::gb_per_s;
use crate::other_metrics::other_metrics;
use ciphermeter_answer::devices::{Footprint, counts};
use ciphermeter_answer::latency::Percentiles;
use ciphermeter_answer::measured::measured;
use ciphermeter_answer::memory::{Medians, cpu_range};
use ciphermeter_answer::parallel::{Bound, Energy, is_way};
use ciphermeter_answer::threads::{Gain, gain};

/// A record and what is worked out of it once.
struct Row<'a> {
    run: &'a Run,
    record: &'a Record,
    rates: Option<SampleRange>,
    gain: Option<Gain>,
    percentiles: Option<Percentiles>,
    memory: Medians<'a>,
    bound: Option<Bound>,
    energy: Option<Energy>,
    counted: Option<Counted>,
    footprint: Footprint,
    unaligned: Option<Ratio>,
}

impl<'a> Row<'a> {
    fn new(run: &'a Run, record: &'a Record, records: &[Record]) -> Self {
        let summary = record.summary.as_ref();
        let rates = summary.and_then(|summary| gb_per_s(&record.cell, summary.range));
        let rate = rates.as_ref().filter(|_| measured(record).is_some() && is_way(record)).map(|rates| rates.mid);
        Self {
            run,
            record,
            bound: rate.and_then(|_| Bound::of(run, record, records)),
            energy: rate.and_then(|rate| Energy::of(run, record, rate)),
            rates,
            counted: counts(record).and_then(|counts| counted(record, counts.metric())),
            footprint: Footprint::of(record),
            unaligned: unaligned(record, CONFIDENCE).filter(|_| measured(record).is_some()),
            gain: summary.and_then(|_| gain(record, records)),
            percentiles: Percentiles::of(record),
            memory: Medians::of(record).unwrap_or_default(),
        }
    }

    fn from(&self, pick: fn(&Provenance) -> Option<String>) -> String {
        self.record.provenance.as_ref().and_then(pick).unwrap_or_default()
    }

    fn device<T: ToString>(&self, pick: fn(&Device) -> Option<T>) -> String {
        let device = self.record.provenance.as_ref().and_then(|from| from.device.as_ref());
        text(device.and_then(pick))
    }

    fn summary(&self, pick: fn(&ciphermeter_core::Summary) -> String) -> String {
        self.record.summary.as_ref().map(pick).unwrap_or_default()
    }

    fn ratio(&self, pick: fn(&ciphermeter_core::Interval) -> f64) -> String {
        number(self.record.summary.as_ref().and_then(|summary| summary.ratio).map(|ratio| pick(&ratio)))
    }

    fn rate(&self, pick: fn(&SampleRange) -> f64) -> String {
        number(self.rates.as_ref().map(pick))
    }

    fn gained(&self, pick: fn(&Gain) -> Option<f64>) -> String {
        number(self.gain.as_ref().and_then(pick))
    }

    fn joules(&self, pick: fn(&Energy) -> Option<f64>) -> String {
        number(self.energy.as_ref().and_then(pick))
    }

    /// Of a call on this machine; what devices count has columns of its own.
    fn counts(&self, metric: Metric) -> String {
        let here = self.record.cell.parameters.device().is_none();
        number(here.then(|| figures(self.record, metric)).flatten().map(|range| range.mid))
    }

    fn percentile(&self, at: Percentile) -> String {
        let figure = self.percentiles.as_ref().and_then(|percentiles| percentiles.get(at));
        figure.map(|figure| figure.ns.to_string()).unwrap_or_default()
    }
}

#[rustfmt::skip]
fn columns<'a>() -> Vec<Column<Row<'a>>> {
    vec![
        Column { name: "run", doc: "the run's number", value: |row| row.run.id.to_string() },
        Column { name: "started", doc: "when it began, RFC 3339, UTC", value: |row| row.run.started.clone() },
        Column { name: "cell", doc: "the cell's number within the run", value: |row| row.record.id.0.to_string() },
        Column { name: "provider", doc: "the library that was measured", value: |row| row.record.cell.provider.clone() },
        Column { name: "algorithm", doc: "the algorithm", value: |row| row.record.cell.algorithm.to_string() },
        Column { name: "operation", doc: "the operation", value: |row| row.record.cell.operation.to_string() },
        Column { name: "form", doc: "where input and output lie", value: |row| row.record.cell.form.to_string() },
        Column { name: "message_bytes", doc: "bytes of message", value: |row| row.record.cell.parameters.message().to_string() },
        Column { name: "aad_bytes", doc: "bytes of aad", value: |row| row.record.cell.parameters.aad().to_string() },
        Column { name: "key_bytes", doc: "bytes of XOR's key; empty for other algorithms", value: |row| text(key_bytes(row.record)) },
        Column { name: "working_set_bytes", doc: "bytes of message that calls take turns with; empty where all work on one message", value: |row| text(row.record.cell.parameters.working_set().map(|set| set.0)) },
        Column { name: "keys", doc: "keys that calls take turns with", value: |row| row.record.cell.parameters.keys().to_string() },
        Column { name: "threads", doc: "threads that call at once", value: |row| row.record.cell.parameters.threads().to_string() },
        Column { name: "cpus", doc: "CPUs that they may use; empty where all cells take turns on one", value: |row| text(row.record.cell.parameters.cpus()) },
        Column { name: "outcome", doc: "`measured`, `left-out` by the run, `unsupported` by the provider, `wrong-output` or `failed`", value: |row| row.record.outcome.word().into() },
        Column { name: "why", doc: "why it was not measured", value: |row| row.record.why().unwrap_or_default() },
        Column { name: "worker", doc: "the worker's name; empty where it didn't say, as the next seven", value: |row| row.from(|from| Some(from.worker.clone())) },
        Column { name: "runtime", doc: "its language's runtime", value: |row| row.from(|from| Some(from.runtime.clone())) },
        Column { name: "version", doc: "the library's version", value: |row| row.from(|from| Some(from.version.clone())) },
        Column { name: "path", doc: "the code path on this CPU", value: |row| row.from(|from| Some(from.path.clone())) },
        Column { name: "setup", doc: "`outside` or `inside`: whether each call sets its key up", value: |row| row.from(|from| Some(from.setup.to_string())) },
        Column { name: "library", doc: "the file of a library opened at run time", value: |row| row.from(|from| from.library.clone()) },
        Column { name: "sha256", doc: "that file's SHA-256", value: |row| row.from(|from| from.sha256.clone()) },
        Column { name: "program", doc: "SHA-256 of the worker's program", value: |row| row.from(|from| from.program.clone()) },
        Column { name: "range_low_ns", doc: "nanoseconds for each iteration: 5 % quantile of single samples", value: |row| row.summary(|summary| number(Some(summary.range.low))) },
        Column { name: "median_ns", doc: "their median over undisturbed samples", value: |row| row.summary(|summary| number(Some(summary.range.mid))) },
        Column { name: "range_high_ns", doc: "their 95 % quantile", value: |row| row.summary(|summary| number(Some(summary.range.high))) },
        Column { name: "gb_per_s_low", doc: "the same as 10⁹ message bytes a second; empty for empty messages and `key-setup`", value: |row| row.rate(|rate| rate.low) },
        Column { name: "gb_per_s_mid", doc: "of the median", value: |row| row.rate(|rate| rate.mid) },
        Column { name: "gb_per_s_high", doc: "of the 5 % quantile of times", value: |row| row.rate(|rate| rate.high) },
        Column { name: "reference", doc: "the `cell` by whose time the ratio divides: the pilot picks one for each group of the same operation, form and sizes. Tables divide by the best instead", value: |row| row.summary(|summary| summary.reference.0.to_string()) },
        Column { name: "ratio_mid", doc: "time ÷ time of the reference, in the same rounds", value: |row| row.ratio(|ratio| ratio.mid) },
        Column { name: "ratio_low", doc: "lower end of its 95 % interval", value: |row| row.ratio(|ratio| ratio.low) },
        Column { name: "ratio_high", doc: "upper end", value: |row| row.ratio(|ratio| ratio.high) },
        Column { name: "speed_up", doc: "of several threads: times the rate of the same provider's one", value: |row| row.gained(|gain| Some(gain.speed_up.mid)) },
        Column { name: "efficiency", doc: "speed-up ÷ threads", value: |row| row.gained(|gain| Some(gain.efficiency.mid)) },
        Column { name: "speed_up_low", doc: "lower end of the speed-up's 95 % interval", value: |row| row.gained(|gain| Some(gain.speed_up.range()?.0)) },
        Column { name: "speed_up_high", doc: "upper end", value: |row| row.gained(|gain| Some(gain.speed_up.range()?.1)) },
        Column { name: "converged", doc: "whether the ratio reached the precision asked for", value: |row| row.summary(|summary| summary.converged.to_string()) },
        Column { name: "forks", doc: "forks that the ratio rests on", value: |row| row.summary(|summary| summary.forks.to_string()) },
        Column { name: "rounds", doc: "rounds that it rests on", value: |row| row.summary(|summary| summary.rounds.to_string()) },
        Column { name: "p50_ns", doc: "median of single calls in nanoseconds; empty where absent or refused, as the next three", value: |row| row.percentile(Percentile::P50) },
        Column { name: "p90_ns", doc: "90 % of calls take at most so long", value: |row| row.percentile(Percentile::P90) },
        Column { name: "p99_ns", doc: "99 %", value: |row| row.percentile(Percentile::P99) },
        Column { name: "p999_ns", doc: "99.9 %", value: |row| row.percentile(Percentile::P99_9) },
        Column { name: "limit", doc: "of a split message: the nearest limit, of the ceilings in the same rounds the one that leaves least room", value: |row| text(row.bound.map(|bound| bound.what)) },
        Column { name: "limit_share", doc: "what of it is reached: time at the ceiling ÷ its own time", value: |row| number(row.bound.map(|bound| bound.share)) },
        Column { name: "j_per_gb", doc: "of a split message: joules for 10⁹ bytes; empty without a meter", value: |row| row.joules(|energy| Some(energy.joules)) },
        Column { name: "j_per_gb_low", doc: "lower end of its 95 % interval", value: |row| row.joules(|energy| Some(energy.range?.0)) },
        Column { name: "j_per_gb_high", doc: "upper end", value: |row| row.joules(|energy| Some(energy.range?.1)) },
        Column { name: "net_j_per_gb", doc: "the same above what the machine draws at rest", value: |row| row.joules(|energy| energy.above_idle) },
        Column { name: "warnings", doc: "sentences, joined by `; `", value: |row| row.summary(|summary| summary.warnings.join("; ")) },
        Column { name: "cpu_ns_per_call", doc: "CPU time of a call in nanoseconds: median over samples of what all threads used ÷ the calls of all", value: |row| number(cpu_range(row.record).map(|range| range.mid)) },
        Column { name: "cycles_per_call", doc: "core cycles of a call, in user space: median over samples; empty where nothing counts them, as the next", value: |row| row.counts(Metric::CYCLES) },
        Column { name: "instructions_per_call", doc: "instructions retired in the same stretch", value: |row| row.counts(Metric::INSTRUCTIONS) },
        Column { name: "minor_faults_per_call", doc: "pages that the kernel gave the process for a call, without reading a disk; empty where the worker does not say, as the next", value: |row| row.counts(Metric::FAULTS) },
        Column { name: "collections_per_call", doc: "collections of garbage for a call", value: |row| row.counts(Metric::COLLECTIONS) },
        Column { name: "unaligned_low", doc: "time with texts that don't lie at multiples of 16 bytes ÷ time with texts that do: the interval's lower end; empty where no worker moves texts, or under six forks have samples of both, as the next two", value: |row| number(row.unaligned.and_then(|ratio| Some(ratio.range()?.0))) },
        Column { name: "unaligned_mid", doc: "the ratio", value: |row| number(row.unaligned.map(|ratio| ratio.mid)) },
        Column { name: "unaligned_high", doc: "its upper end", value: |row| number(row.unaligned.and_then(|ratio| Some(ratio.range()?.1))) },
        Column { name: "peak_rss", doc: "bytes, median over processes: the most resident above the idle process", value: |row| text(row.memory.peak_rss) },
        Column { name: "peak_heap", doc: "the same by the runtime's or C library's own count: most in use", value: |row| text(row.memory.peak_heap) },
        Column { name: "allocated_per_call", doc: "bytes given out for one call, by the same count", value: |row| text(row.memory.allocated_per_call) },
        Column { name: "device", doc: "the board or emulated core that it ran on; empty on this machine, as the twelve behind it", value: |row| text(row.record.cell.device()) },
        Column { name: "board", doc: "what the device is, for people", value: |row| row.device(|device| Some(device.board.clone())) },
        Column { name: "emulated", doc: "whether an emulator runs it", value: |row| row.device(|device| Some(device.emulated)) },
        Column { name: "counts", doc: "`instructions` or `cycles`: what its samples count instead of time; empty where that is time", value: |row| row.device(|device| device.counts) },
        Column { name: "count_per_call", doc: "that count of a call: the median of the forks, which are exact and mostly equal", value: |row| number(row.counted.map(|counted| counted.mid)) },
        Column { name: "count_spread", doc: "the most of any sample ÷ the least - 1; 0 where all counted the same", value: |row| number(row.counted.map(Counted::spread)) },
        Column { name: "stack_bytes", doc: "the most stack that the timed calls used", value: |row| text(row.footprint.stack) },
        Column { name: "state_bytes", doc: "the library's objects in RAM, without the message", value: |row| text(row.footprint.state) },
        Column { name: "code_bytes", doc: "code and constant tables of the algorithm in flash", value: |row| text(row.footprint.code) },
        Column { name: "charge_uc_per_call", doc: "microcoulombs of a call, where a meter measured it", value: |row| number(row.footprint.charge) },
        Column { name: "energy_uj_per_call", doc: "microjoules of a call, where a meter measured the voltage, too", value: |row| number(row.footprint.energy) },
        Column { name: "active_ma", doc: "milliamperes of the board while calls run", value: |row| number(row.footprint.active) },
        Column { name: "idle_ma", doc: "milliamperes of the board while it waits", value: |row| number(row.footprint.idle) },
    ]
}

/// Writes a header and one row for each record. Metrics that this build doesn't know stand behind the other columns, as medians.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write_cells(out: impl Write, run: &Run, records: &[Record]) -> io::Result<()> {
    let further = Further::metrics(run, |row: &Row<'_>| {
        other_metrics(row.run).map(|metric| number(figures(row.record, metric).map(|range| range.mid))).collect()
    });
    column::write(out, &columns(), &further, records.iter().map(|record| Row::new(run, record, records)))
}

/// The columns of [`write_cells`] as a table in Markdown.
pub fn csv_columns() -> String {
    column::documented(&columns())
}

/// Every other algorithm has a key of its own length.
fn key_bytes(record: &Record) -> Option<u64> {
    (record.cell.algorithm == Algorithm::Xor).then(|| record.cell.parameters.key())
}

fn text(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// Six digits behind the point: a nanosecond's are more than any clock gives, a ratio's more than any interval.
fn number(value: Option<f64>) -> String {
    value.map(|value| format!("{value:.6}")).unwrap_or_default()
}
