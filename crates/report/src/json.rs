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

use std::collections::BTreeSet;
use std::io::{self, Write};

use ciphermeter_answer::{Answer, answer};
use ciphermeter_core::{Fact, Fork, LeftOut, Metric, Outcome, Record, Run, Sample, Series, Summary};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::{gb_per_s, kinds};
use ciphermeter_answer::measured::is_here;
use ciphermeter_answer::memory::cpu_range;
use ciphermeter_answer::threads::gain;
use device::Device;
use latency::Percentiles;
use split::Split;

/// JSON Schema (draft 2020-12) of what [`write_json`] writes.
pub const EXPORT_SCHEMA: &str = include_str!("export.schema.json");

/// Writes a run and its records as one JSON document and a newline, record by record.
///
/// # Errors
/// Those of `out`.
pub fn write_json(out: impl Write, run: &Run, records: &[Record]) -> io::Result<()> {
    write_document(out, &export(run, records))
}

/// The same without what is computed from the rest, the answer above all: whoever reads it computes that again.
///
/// # Errors
/// Those of `out`.
pub fn write_json_of_samples(out: impl Write, run: &Run, records: &[Record]) -> io::Result<()> {
    write_document(out, &document(run, None, Records { run, records, with_computed: false }))
}

fn write_document(mut out: impl Write, document: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut out, document)?;
    writeln!(out)
}

/// The same for a document that holds several runs.
pub(crate) fn export<'a>(run: &'a Run, records: &'a [Record]) -> impl Serialize + use<'a> {
    document(run, Some(answer(run, records)), Records { run, records, with_computed: true })
}

fn document<'a>(run: &'a Run, answer: Option<Answer>, records: Records<'a>) -> Document<'a> {
    let (schema, ciphermeter) = (ciphermeter_import::SCHEMA, &run.version);
    Document { schema, ciphermeter, run: Head(run), host: Host(&run.host), answer, records }
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    ciphermeter: &'a str,
    run: Head<'a>,
    host: Host<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<Answer>,
    records: Records<'a>,
}

struct Head<'a>(&'a Run);

impl Serialize for Head<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let run = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &run.id)?;
        map.serialize_entry("started", &run.started)?;
        map.serialize_entry("status", &run.status)?;
        map.serialize_entry("seed", &run.seed)?;
        map.serialize_entry("scenario", &run.scenario)?;
        map.serialize_entry("against", &run.against)?;
        map.serialize_entry("mask", &run.mask)?;
        map.serialize_entry("method", &run.plan.method)?;
        map.serialize_entry("metrics", &run.plan.metrics)?;
        map.serialize_entry("notes", &run.notes.iter().map(ToString::to_string).collect::<Vec<_>>())?;
        map.end()
    }
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

struct Records<'a> {
    run: &'a Run,
    records: &'a [Record],
    /// Whether what is computed from the rest is written, too.
    with_computed: bool,
}

impl Serialize for Records<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.records.iter().map(|record| Entry(self, record)))
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
    fn of(record: &'a Record) -> Self {
        let left_out = if let Outcome::LeftOut(reason) = &record.outcome { Some(reason) } else { None };
        Self { is: record.outcome.word(), why: record.why(), left_out }
    }
}

struct Entry<'a>(&'a Records<'a>, &'a Record);

impl Serialize for Entry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(Records { run, records, with_computed }, record) = *self;
        let (cell, from) = (&record.cell, record.provenance.as_ref());
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &record.id)?;
        map.serialize_entry("provider", &cell.provider)?;
        map.serialize_entry("algorithm", cell.algorithm.as_str())?;
        map.serialize_entry("operation", cell.operation.as_str())?;
        map.serialize_entry("form", cell.form.as_str())?;
        map.serialize_entry("parameters", &cell.parameters)?;
        map.serialize_entry("worker", &from.map(|from| &from.worker))?;
        map.serialize_entry("runtime", &from.map(|from| &from.runtime))?;
        if let Some(language) = from.and_then(|from| from.language.as_ref()) {
            map.serialize_entry("language", language)?;
        }
        map.serialize_entry("version", &from.map(|from| &from.version))?;
        map.serialize_entry("path", &from.map(|from| &from.path))?;
        map.serialize_entry("setup", &from.map(|from| from.setup.as_str()))?;
        map.serialize_entry("library", &from.and_then(|from| from.library.as_ref()))?;
        map.serialize_entry("sha256", &from.and_then(|from| from.sha256.as_ref()))?;
        map.serialize_entry("program", &from.and_then(|from| from.program.as_ref()))?;
        map.serialize_entry("outcome", &Ended::of(record))?;
        let rates_from = with_computed.then_some(*records);
        map.serialize_entry("summary", &record.summary.as_ref().map(|summary| Summed(record, summary, rates_from)))?;
        map.serialize_entry("percentiles", &with_computed.then(|| Percentiles::of(record)).flatten())?;
        map.serialize_entry("cpu", &with_computed.then(|| cpu_range(record)).flatten())?;
        map.serialize_entry("samples", &Samples(&record.forks))?;
        map.serialize_entry("latency", &record.latency)?;
        map.serialize_entry("memory", &record.memory)?;
        if !is_here(record) {
            map.serialize_entry("device", &Device(record))?;
        }
        if !with_computed {
            return map.end();
        }
        if let Some(split) = Split::of(run, record, records) {
            map.serialize_entry("split", &split)?;
        }
        if let Some(course) = kinds::of(run, records).course(run, record) {
            map.serialize_entry("course", &course)?;
        }
        map.end()
    }
}

/// A summary, with rates and gains where all records are at hand.
struct Summed<'a>(&'a Record, &'a Summary, Option<&'a [Record]>);

impl Serialize for Summed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(record, summary, records) = *self;
        let gain = records.and_then(|records| gain(record, records));
        let rates = records.and_then(|_| gb_per_s(&record.cell, summary.range));
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("reference", &summary.reference)?;
        map.serialize_entry("ratio", &summary.ratio)?;
        map.serialize_entry("range", &summary.range)?;
        map.serialize_entry("gb_per_s", &rates)?;
        map.serialize_entry("speed_up", &gain.as_ref().map(|gain| gain.speed_up))?;
        map.serialize_entry("efficiency", &gain.as_ref().map(|gain| gain.efficiency))?;
        map.serialize_entry("converged", &summary.converged)?;
        map.serialize_entry("forks", &summary.forks)?;
        map.serialize_entry("rounds", &summary.rounds)?;
        map.serialize_entry("undisturbed_limit", &summary.undisturbed_limit)?;
        map.serialize_entry("undisturbed_limits", &summary.undisturbed_limits)?;
        map.serialize_entry("correlation", &summary.correlation)?;
        map.serialize_entry("warnings", &summary.warnings)?;
        map.end()
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
