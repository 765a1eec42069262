//! A run as one JSON document, raw samples included, so that every figure can be made again from it. `export.schema.json` beside this
//! file says what each member is, in which unit, and when it is null.
//!
//! - `schema` counts changes that a reader notices; docs/columns.md has the old and new names.
//! - A later build may count what this one does not know: `metrics` describes it, and `samples` has it under its name.
//! - What was `left-out` by the run, rather than refused by its provider, has a `reason` with its figures; of runs that kept a sentence
//!   alone, that is `earlier`.
//! - `short` forks were cut off; summaries pass them over.
//! - Of a split message, forks of samples with energy and no `ns` are windows: `elapsed_ns` is how long one was, its calls and the filling
//!   of the message. `off_cpu_ns` is how long the worker's process did not run meanwhile.
//! - A metric that no sample of a fork has is left out, null stands where a single one lacks it.

mod device;
mod figure;
mod latency;
mod split;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use ciphermeter_answer::{Answer, answer};
use ciphermeter_core::{
    Against, CellId, Fact, Fork, Interval, Latency, LeftOut, Mask, Memory, Metric, Outcome, Parameters, Record, Run,
    RunStatus, Sample, SampleRange, Scenario, Series, Summary,
};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::{gb_per_s, kinds};
use ciphermeter_answer::memory::cpu_range;
use ciphermeter_answer::sustained::ExportedCourse;
use ciphermeter_answer::threads::gain;
use device::Device;
use figure::Figure;
use latency::Percentiles;
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
    latency: &'a [Latency],
    memory: &'a [Memory],
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
            latency: &record.latency,
            memory: &record.memory,
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
