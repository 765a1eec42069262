//! A run as one JSON document, raw samples included, so that every figure can be made again from it.
//! `export.schema.json` beside this file says the same to programs.
//!
//! ```json
//! {"schema": 2, "ciphermeter": "<version that measured>",
//!  "run": {"id", "started", "status", "seed", "scenario": {…}, "against": {"old", "threshold"}, "mask",
//!          "method", "metrics": [{"name", "unit", "better", "sums"}], "notes": ["…"]},
//!  "host": {"<fact>": "<value>" or null, …, "absent": {"<fact>": "<why there is no value>"}},
//!  "answer": {"question", "answered", "sentences": ["…"], "config": ["…"], "about": {"is": "ciphers" | "libraries", …} or null,
//!             "rests_on": {…}, "notes": ["…"], "left_out": [{"is", "why", "cells"}], "next": [{"to", "command": ["…"]}]},
//!  "records": [{
//!    "id", "provider", "algorithm", "operation", "form",
//!    "parameters": {"message", "aad", "threads", "cpus"},
//!    "worker", "runtime", "language", "version", "path", "setup", "library", "sha256", "program",
//!    "outcome": {"is": "measured" | "left-out" | "unsupported" | "wrong-output" | "failed", "why", "reason", …},
//!    "summary": {"reference", "ratio": {"mid", "low", "high"}, "range": {"low", "mid", "high"},
//!                "gb_per_s": {"low", "mid", "high"}, "speed_up": {"mid", "low", "high"},
//!                "efficiency": {"mid", "low", "high"}, "converged", "forks", "rounds", "undisturbed_limit",
//!                "undisturbed_limits": {"fork": limit}, "correlation", "warnings": ["…"]},
//!    "percentiles": {"calls", "clock_ns", "p50": {"mid", "low", "high"} or {"refused": "why"}, "p90", "p99", "p99.9"},
//!    "cpu": {"low", "mid", "high"},
//!    "samples": [{"fork", "short", "round": […], "turn": […], "after": […], "iterations": […],
//!                 "ns": […], "cpu_ns": […]}],
//!    "latency": [{"fork", "short", "clock_ns", "ns": […], "calls": […]}],
//!    "memory": [{"fork", "iterations", "idle_rss", "peak_rss", "peak_heap", "allocated", "counter"}],
//!    "device": {"name", "board", "counts", "emulated", "clock_hz", "code_in", "count_per_call": {"mid", "low", "high"},
//!               "stack_bytes", "state_bytes", "code_bytes", "charge_uc_per_call", "energy_uj_per_call",
//!               "active_ma", "idle_ma"},
//!    "split": {"limit", "limit_share", "j_per_gb": {"mid", "low", "high"}, "net_j_per_gb"},
//!    "course": {"falls_s": […], "before": {"low", "mid", "high"}, "after", "statement"}
//!  }]}
//! ```
//!
//! - `schema` counts changes that a reader notices; docs/columns.md has the old and new names. `ciphermeter schema` prints the JSON Schema.
//! - `started` is RFC 3339 in UTC. `against` is null unless something older was measured in the same rounds. `mask` says
//!   which of the CPU's instructions providers were kept from, null for none: `no-aes`, `no-vaes`, `no-avx512`, `no-avx2`.
//! - `method` is the number of the method (METHODOLOGY.md lists them), 0 in runs older than these numbers; figures of two methods
//!   are not comparable.
//! - `metrics` describes what samples count: `unit`, which direction is `better`, and whether a figure is `per-call` (count ÷
//!   iterations) or the count itself. A later build may count what this one doesn't know; the names of `samples` are those.
//! - `parameters` are bytes, but for `threads` and `cpus`, which is there where the worker had several CPUs.
//! - `worker` to `program` are null where the provider never said; `sha256` is that of `library`, `program` that of the
//!   worker's own file. `why` is there unless `measured`. What was `left-out` by the run, rather than refused by its provider, has a `reason`
//!   and its figures: `not-reached`, `coarse-clock`, `slow-set-up`, `slow-sample`, `slow-forks`, `no-memory`, `emulated-card`; and
//!   `earlier`, of runs that kept a sentence alone.
//! - `summary` is null without samples. `reference` is the record's `id` whose time divides `ratio`, which has no unit and
//!   is null with fewer than two forks; low and high hold the truth with 95 %. `range` is nanoseconds for each
//!   iteration, the 5 %, 50 % and 95 % quantiles of single samples. `gb_per_s` is 10⁹ message bytes a second, null for
//!   empty messages and `key-setup`. `speed_up` (times the rate of the same provider's one thread on the same CPUs) and
//!   `efficiency` (that ÷ threads) are null but for several threads, their low and high with fewer than two forks.
//! - `percentiles` are nanoseconds of single calls over whole forks, null without any; low and high hold the truth
//!   with 95 %, null with fewer than two forks. `clock_ns` is what one reading of the clock costs; it is in the
//!   calls, nothing is subtracted.
//! - `cpu` is nanoseconds of CPU time for each call, all threads' together ÷ the calls of all: the median over undisturbed
//!   samples, the 5 % and 95 % quantiles of all; null where no sample tells.
//! - `samples` holds one object a fork, entry k of each array being sample k: `round` and `turn` place it, `after`
//!   is the `id` sampled just before on the same core (null: none), `iterations` the calls of the batch for each
//!   thread, the others what was counted over the whole batch: `ns` and `cpu_ns` nanoseconds, `cycles`,
//!   `instructions`; of transfers `handshake_ns`, `durable_ns`, `seal_ns`, `open_ns` and `peer_cpu_ns`, and in bytes
//!   `peak_rss` and `peer_peak_rss`, the most of all iterations. `off_cpu_ns` is how long the worker's process did not run
//!   meanwhile. `series_cpu` and `series_peer_cpu` (microseconds),
//!   `series_rss` and `series_peer_rss` (KiB) hold an array a sample, of its last transfer, an entry for each 50 ms. A metric that no sample of the fork has is left out, null stands where a single one lacks it.
//!   `short` forks were cut off; summaries pass them over.
//!   Of a sustained load a sample is a step of about a second and has the `bytes` that went through the cipher in it, `elapsed_ns`
//!   since the step before, `rss` (older runs: `peer_rss`, too) in bytes, `frequency_khz`, `temperature_mc` (thousandths of a degree Celsius) at its end, and of all CPUs
//!   that may be used `steal_ns` (the hypervisor's) and `others_ns` (the CPU time of all other processes). Where a counter tells,
//!   `energy_cpu_uj`, `energy_chip_uj`, `energy_gpu_uj` and `energy_machine_uj` are microjoules. Of a split message, forks of samples with
//!   energy and no `ns` are windows: `elapsed_ns` is how long one was, its calls and the filling of the message.
//! - `course` is there of sustained loads: seconds from the start to each fall of the rate that lasts, 10⁶ bytes a second
//!   before the first and after it (5 %, 50 % and 95 % quantiles of the steps), and what a person is told.
//! - `latency` holds one object a fork: `ns` the lengths of single calls, ascending, each with its number of `calls`.
//!   Lengths from 1024 ns on are kept to ten binary digits.
//! - `memory` holds one object a process that did nothing but this cell's `iterations` calls, in bytes: `idle_rss` was
//!   resident before the cell was prepared, `peak_rss` at most above that; `peak_heap` was in use at most above the idle
//!   process, `allocated` given out for all calls, both as `counter` counts. Null where it is not known.
//! - `device` is there where a cell was measured on a board or an emulated core, `parameters` then has its number as `device`.
//!   `counts` is `instructions` or `cycles` where its samples hold that and no `ns`; `count_per_call` is the median of the forks, low and
//!   high the least and the most of any sample, equal where all counted the same. Null where the device does not say.
//! - `split` is there where a message was split among threads or sent to a card: the nearest limit and which share of it was
//!   reached; joules for 10⁹ bytes and the same above what the machine draws at rest. Null where it is not known.

mod device;
mod figure;
mod latency;
mod memory;
mod split;

use std::collections::BTreeMap;

use std::collections::BTreeSet;
use std::io::{self, Write};

use ciphermeter_answer::Answer;
use ciphermeter_core::{
    Against, CellId, Fact, Fork, Interval, LeftOut, Mask, Metric, Outcome, Parameters, Record, Run, RunStatus, Sample,
    SampleRange, Scenario, Series, Summary,
};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::gb_per_s;
use crate::kinds;
use ciphermeter_answer::answer;
use ciphermeter_answer::memory::cpu_range;
use ciphermeter_answer::sustained::ExportedCourse;
use ciphermeter_answer::threads::gain;
use device::Device;
use figure::Figure;
use latency::{Calls, Percentiles};
use memory::Processes;
use split::Split;

/// JSON Schema (draft 2020-12) of what [`write_json`] writes.
pub const EXPORT_SCHEMA: &str = include_str!("export.schema.json");

/// Writes a run and its records as one JSON document and a newline, record by record.
///
/// # Errors
/// Those of `out`.
pub fn write_json(mut out: impl Write, run: &Run, records: &[Record]) -> io::Result<()> {
    let head = Head {
        id: run.id,
        started: &run.started,
        status: run.status,
        seed: run.seed,
        scenario: &run.scenario,
        against: run.against.as_ref(),
        mask: run.mask,
        method: run.plan.method,
        metrics: &run.plan.metrics,
        notes: run.notes.iter().map(ToString::to_string).collect(),
    };
    let records = Records(run, records);
    serde_json::to_writer(
        &mut out,
        &Document {
            schema: ciphermeter_import::SCHEMA,
            ciphermeter: &run.version,
            run: head,
            host: Host(&run.host),
            answer: answer(run, records.1),
            records,
        },
    )?;
    writeln!(out)
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    ciphermeter: &'a str,
    run: Head<'a>,
    host: Host<'a>,
    answer: Answer,
    records: Records<'a>,
}

#[derive(Serialize)]
struct Head<'a> {
    id: i64,
    started: &'a str,
    status: RunStatus,
    seed: u64,
    scenario: &'a Scenario,
    against: Option<&'a Against>,
    mask: Option<Mask>,
    method: u32,
    metrics: &'a [Metric],
    notes: Vec<String>,
}

struct Host<'a>(&'a [Fact]);

impl Serialize for Host<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for fact in self.0 {
            map.serialize_entry(&fact.name, &fact.value)?;
        }
        map.serialize_entry("absent", &Absent(self.0))?;
        map.end()
    }
}

struct Absent<'a>(&'a [Fact]);

impl Serialize for Absent<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().filter_map(|fact| Some((&fact.name, fact.why.as_ref()?))))
    }
}

struct Records<'a>(&'a Run, &'a [Record]);

impl Serialize for Records<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.1.iter().map(|record| Entry::of(self.0, record, self.1)))
    }
}

/// How a cell ended, with the sentence of the reason beside its data.
#[derive(Serialize)]
struct Ended<'a> {
    is: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(flatten)]
    left_out: Option<&'a LeftOut>,
}

impl<'a> Ended<'a> {
    fn of(outcome: &'a Outcome) -> Self {
        let left_out = if let Outcome::LeftOut(reason) = outcome { Some(reason) } else { None };
        Self { is: outcome.word(), why: outcome.why(), left_out }
    }
}

#[derive(Serialize)]
struct Entry<'a> {
    id: CellId,
    provider: &'a str,
    algorithm: &'static str,
    operation: &'static str,
    form: &'static str,
    parameters: &'a Parameters,
    worker: Option<&'a str>,
    runtime: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'a str>,
    version: Option<&'a str>,
    path: Option<&'a str>,
    setup: Option<&'static str>,
    library: Option<&'a str>,
    sha256: Option<&'a str>,
    program: Option<&'a str>,
    outcome: Ended<'a>,
    summary: Option<Summed<'a>>,
    percentiles: Option<Percentiles>,
    cpu: Option<SampleRange>,
    samples: Samples<'a>,
    latency: Calls<'a>,
    memory: Processes<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<Device<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    split: Option<Split>,
    #[serde(skip_serializing_if = "Option::is_none")]
    course: Option<ExportedCourse>,
}

impl<'a> Entry<'a> {
    fn of(run: &Run, record: &'a Record, records: &[Record]) -> Self {
        let (cell, provenance) = (&record.cell, record.provenance.as_ref());
        Self {
            id: record.id,
            provider: &cell.provider,
            algorithm: cell.algorithm.as_str(),
            operation: cell.operation.as_str(),
            form: cell.form.as_str(),
            parameters: &cell.parameters,
            worker: provenance.map(|p| p.worker.as_str()),
            runtime: provenance.map(|p| p.runtime.as_str()),
            language: provenance.and_then(|p| p.language.as_deref()),
            version: provenance.map(|p| p.version.as_str()),
            path: provenance.map(|p| p.path.as_str()),
            setup: provenance.map(|p| p.setup.as_str()),
            library: provenance.and_then(|p| p.library.as_deref()),
            sha256: provenance.and_then(|p| p.sha256.as_deref()),
            program: provenance.and_then(|p| p.program.as_deref()),
            outcome: Ended::of(&record.outcome),
            summary: record.summary.as_ref().map(|summary| Summed::of(record, summary, records)),
            percentiles: Percentiles::of(record),
            cpu: cpu_range(record),
            samples: Samples(&record.forks),
            latency: Calls(&record.latency),
            memory: Processes(&record.memory),
            device: Device::of(record),
            split: Split::of(run, record, records),
            course: kinds::of(run, records).course(run, record),
        }
    }
}

#[derive(Serialize)]
struct Summed<'a> {
    reference: CellId,
    ratio: Option<Interval>,
    range: SampleRange,
    gb_per_s: Option<SampleRange>,
    speed_up: Option<Figure>,
    efficiency: Option<Figure>,
    converged: bool,
    forks: u32,
    rounds: u32,
    undisturbed_limit: Option<u64>,
    undisturbed_limits: &'a BTreeMap<u32, u64>,
    correlation: f64,
    warnings: &'a [String],
}

impl<'a> Summed<'a> {
    fn of(record: &Record, summary: &'a Summary, records: &[Record]) -> Self {
        let gain = gain(record, records);
        Self {
            reference: summary.reference,
            ratio: summary.ratio,
            range: summary.range,
            gb_per_s: gb_per_s(&record.cell, summary.range),
            speed_up: gain.as_ref().map(|gain| gain.speed_up.into()),
            efficiency: gain.as_ref().map(|gain| gain.efficiency.into()),
            converged: summary.converged,
            forks: summary.forks,
            rounds: summary.rounds,
            undisturbed_limit: summary.undisturbed_limit,
            undisturbed_limits: &summary.undisturbed_limits,
            correlation: summary.correlation,
            warnings: &summary.warnings,
        }
    }
}

struct Samples<'a>(&'a [Fork]);

impl Serialize for Samples<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Columns))
    }
}

struct Columns<'a>(&'a Fork);

impl Serialize for Columns<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let samples = &self.0.samples;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("fork", &self.0.number)?;
        map.serialize_entry("short", &self.0.short)?;
        map.serialize_entry("round", &self.0.rounds)?;
        map.serialize_entry("turn", &Column(samples, |sample: &Sample| sample.turn))?;
        map.serialize_entry("after", &Column(samples, |sample: &Sample| sample.after))?;
        map.serialize_entry("iterations", &Column(samples, |sample: &Sample| sample.iterations))?;
        let others = samples.iter().flat_map(|sample| &sample.counts).map(|(metric, _)| *metric);
        let others: BTreeSet<Metric> = others.filter(|metric| !metric.is_known()).collect();
        for &metric in Metric::ALL.iter().chain(&others) {
            if samples.iter().any(|sample| sample.count(metric).is_some()) {
                map.serialize_entry(metric.name(), &Column(samples, |sample: &Sample| sample.count(metric)))?;
            }
        }
        for &series in Series::ALL {
            if samples.iter().any(|sample| sample.series(series).is_some()) {
                let followed = |sample: &Sample| sample.series(series).map(<[u64]>::to_vec);
                map.serialize_entry(series.as_str(), &Column(samples, followed))?;
            }
        }
        map.end()
    }
}

/// One property of all samples, written as it is read.
struct Column<'a, F>(&'a [Sample], F);

impl<T: Serialize, F: Fn(&Sample) -> T> Serialize for Column<'_, F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(&self.1))
    }
}
