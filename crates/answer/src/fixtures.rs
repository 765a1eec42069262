//! Records made up for tests: a machine whose speed drifts by a third, and samples that drift with it.

use std::collections::BTreeMap;

use ciphermeter_core::{
    Algorithm, Cell, CellId, Fact, Fork, Form, Histogram, Interval, Latency, METHOD, Memory, Metric, Operation,
    Outcome, Parameters, Provenance, Record, Run, RunPlan, RunStatus, Sample, SampleRange, Scenario, Setup, Summary,
};
use ciphermeter_stats::quantile;

use crate::group::has_several_threads;
use ciphermeter_estimate as estimate;

/// Rounds of each fork.
const ROUNDS: u32 = 15;

/// A cell and the nanoseconds that its call takes.
#[derive(Clone)]
pub struct Made {
    pub provider: &'static str,
    pub algorithm: Algorithm,
    pub operation: Operation,
    pub message: u64,
    pub ns: f64,
    pub form: Form,
    pub parameters: Parameters,
}

impl Made {
    /// The same with several threads, or with one beside several.
    pub fn threads(self, threads: u64, cpus: u32) -> Self {
        Self { parameters: Parameters::message_cell(self.message, 0, threads).on_cpus(cpus), ..self }
    }
}

pub fn cell(provider: &'static str, algorithm: Algorithm, operation: Operation, message: u64, ns: f64) -> Made {
    Made {
        provider,
        algorithm,
        operation,
        message,
        ns,
        form: Form::InPlace,
        parameters: Parameters::message_cell(message, 0, 1),
    }
}

/// A run with two AEADs by three providers, and the ceilings, at four sizes.
pub fn run() -> (Run, Vec<Record>) {
    let mut cells = Vec::new();
    for message in [64, 1024, 16_384] {
        for operation in [Operation::Seal, Operation::Open] {
            let bytes = message as f64;
            cells.extend([
                cell("aws-lc", Algorithm::Aes256Gcm, operation, message, 40.0 + bytes / 8.1),
                cell("ring", Algorithm::Aes256Gcm, operation, message, 55.0 + bytes / 6.3),
                cell("rustcrypto", Algorithm::Aes256Gcm, operation, message, 90.0 + bytes / 1.9),
                cell("aws-lc", Algorithm::ChaCha20Poly1305, operation, message, 60.0 + bytes / 2.6),
                cell("rustcrypto", Algorithm::ChaCha20Poly1305, operation, message, 80.0 + bytes / 1.4),
                cell("ceiling", Algorithm::Memcpy, operation, message, 2.0 + bytes / 60.0),
                cell("ceiling", Algorithm::AesUnit, operation, message, 3.0 + bytes / 10.4),
                cell("ceiling", Algorithm::ClmulUnit, operation, message, 3.0 + bytes / 21.0),
            ]);
        }
    }
    (head(), records(&cells, 6))
}

pub fn head() -> Run {
    let scenario = "name = \"messages\"\ntitle = \"t\"\nbudget = \"60s\"\nprecision = \"2%\"\n[[cells]]\n\
                    algorithms = [\"aes-256-gcm\"]\noperations = [\"seal\"]\nmessages = [\"1KiB\"]\n";
    Run {
        id: 7,
        store: None,
        is_measuring: false,
        started: "2026-11-21T12:00:00Z".into(),
        version: "0.1.0".into(),
        seed: 42,
        scenario: Scenario::parse(scenario).unwrap(),
        host: vec![Fact::present("cpu", "Example EPYC 9"), Fact::absent("governor", "no cpufreq on this machine")],
        status: RunStatus::Complete,
        against: None,
        mask: None,
        plan: RunPlan { method: METHOD, ..RunPlan::default() },
        notes: Vec::new(),
    }
}

/// Measured records of these cells; each group's reference is its first, that of several threads the same provider's one.
pub fn records(cells: &[Made], forks: u32) -> Vec<Record> {
    let mut records: Vec<_> = (0u32..).zip(cells).map(|(id, made)| raw(id, made, forks)).collect();
    for k in 0..records.len() {
        let cell = &records[k].cell;
        let one = cell.with_one_thread();
        let reference = records.iter().position(|record| match has_several_threads(&cell.group()) {
            true => record.cell == one,
            false => record.cell.group() == cell.group(),
        });
        records[k].summary = reference.and_then(|reference| summed(&records[k], &records[reference]));
    }
    records
}

/// The same as a page's.
pub fn of_page(records: &mut [Record]) {
    for record in records {
        record.provenance.as_mut().expect("it is made up").worker = "page".into();
    }
}

/// Single calls of about `ns` nanoseconds, one in a hundred of them twice as long, one in a thousand ten times.
pub fn latency(ns: u64, clock_ns: u64, calls: u64, forks: u32) -> Vec<Latency> {
    let sat = |fork: u32| {
        let mut histogram = Histogram::default();
        let drifted = ns + (ns as f64 / 50.0 * noise(7, fork, 0)) as u64;
        for (length, share) in [(drifted, 800), (drifted + ns / 20, 185), (2 * drifted, 13), (10 * drifted, 2)] {
            histogram.add_many(length, calls * share / 1000 / u64::from(forks));
        }
        Latency { fork: 100 + fork, short: false, clock_ns, calls: histogram }
    };
    (0..forks).map(sat).collect()
}

/// Three processes that made a thousand calls each and needed about `peak` bytes, `counter` giving out `each` bytes a call.
pub fn memory(peak: u64, each: u64, counter: Option<&str>) -> Vec<Memory> {
    let process = |fork: u32| Memory {
        fork: 200 + fork,
        iterations: 1000,
        idle_rss: Some(9_437_184 + 4096 * u64::from(fork)),
        peak_rss: Some(peak + 4096 * u64::from(fork)),
        peak_heap: counter.map(|_| peak + 64),
        allocated: counter.map(|_| 1000 * each),
        counter: counter.map(Into::into),
    };
    (0..3).map(process).collect()
}

fn raw(id: u32, made: &Made, forks: u32) -> Record {
    let path = match (made.provider, made.algorithm) {
        ("rustcrypto", Algorithm::Aes256Gcm) => "aesni",
        (_, Algorithm::Aes256Gcm) => "vaes-avx512",
        ("rustcrypto", _) => "avx2",
        ("ceiling", _) => "vaes-avx512",
        _ => "unknown",
    };
    Record {
        id: CellId(id),
        cell: Cell {
            provider: made.provider.into(),
            algorithm: made.algorithm,
            operation: made.operation,
            form: made.form,
            parameters: made.parameters.clone(),
        },
        provenance: Some(Provenance {
            worker: "native".into(),
            runtime: "rust".into(),
            language: None,
            version: "1.2.3".into(),
            path: path.into(),
            setup: Setup::Outside,
            library: None,
            sha256: None,
            program: None,
            device: None,
        }),
        outcome: Outcome::Measured,
        forks: (0..forks).map(|fork| sat(id, made, fork)).collect(),
        summary: None,
        latency: Vec::new(),
        memory: Vec::new(),
    }
}

fn sat(id: u32, made: &Made, number: u32) -> Fork {
    // Threads that share a message all work for as long as it takes.
    let at_work = if made.form.is_split() { made.parameters.threads() } else { 1 };
    let sample = |round: u32| {
        // The machine's speed moves by a third, alike for all; a cell by a thousandth in a fork and in a round.
        let speed = 1.0 + noise(0, number, round) / 6.0;
        let own = 1.0 + noise(id + 1, number, 0) / 1e3 + noise(id + 1, number, round + 1) / 1e3;
        let iterations = (300_000.0 / made.ns).ceil().max(1.0) as u64;
        let count = (made.ns * speed * own * iterations as f64).round() as u64;
        Sample {
            series: Vec::new(),
            cell: CellId(id),
            after: id.checked_sub(1).map(CellId),
            turn: id,
            iterations,
            counts: vec![(Metric::NS, count), (Metric::CPU_NS, count * at_work - 100)],
        }
    };
    let rounds: Vec<_> = (0..ROUNDS).collect();
    Fork { number, short: false, samples: rounds.iter().map(|round| sample(*round)).collect(), rounds }
}

/// From -1 to 1, always the same for the same arguments.
fn noise(a: u32, b: u32, c: u32) -> f64 {
    let mixed = (u64::from(a) << 40 | u64::from(b) << 20 | u64::from(c)).wrapping_add(1);
    let mixed = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed >> 32) as f64 / f64::from(u32::MAX) * 2.0 - 1.0
}

fn summed(record: &Record, reference: &Record) -> Option<Summary> {
    let samples = record.forks.iter().flat_map(|fork| &fork.samples);
    let mut each: Vec<f64> = samples.map(|sample| sample.ns() as f64 / sample.iterations as f64).collect();
    let ratio = estimate::between(record, reference)
        .and_then(|ratio| ratio.range().map(|(low, high)| Interval { mid: ratio.mid, low, high }));
    Some(Summary {
        reference: reference.id,
        ratio,
        range: SampleRange {
            low: quantile(&mut each, 0.05)?,
            mid: quantile(&mut each, 0.5)?,
            high: quantile(&mut each, 0.95)?,
        },
        converged: true,
        undisturbed_limit: None,
        undisturbed_limits: BTreeMap::new(),
        correlation: 0.0,
        forks: record.forks.len() as u32,
        rounds: record.forks.len() as u32 * ROUNDS,
        warnings: Vec::new(),
    })
}
