//! A run for others: of everything that a run holds, only what is named here is taken over.
//!
//! Promises: no host name, user, path, command, note, device or environment is in it; every text is of a closed list or of a plain
//! alphabet; its moment is a day; its summaries are made anew from its samples, so that they say what these say; and sharing what was
//! shared changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_answer::measured::trusted;
use ciphermeter_core::{
    CellId, Fork, Kind, Latency, Memory, Metric, Outcome, Provenance, Record, Run, RunPlan, RunStatus, Sample, Summary,
    escaped, shortened,
};
use ciphermeter_estimate::anew;

use crate::allowed::{is_code_path, is_day, is_hex, is_plain};
use crate::known::{COUNTERS, LANGUAGES, WORKERS, is_known_provider};
use crate::{facts, scenario};

/// The most characters of a version.
const MOST_VERSION: usize = 80;
/// What stands for a text that is not shared where one has to be.
const UNKNOWN: &str = "unknown";
/// The names of a cell's parameters.
const PARAMETERS: [&str; 7] = ["message", "aad", "threads", "cpus", "key", "working_set", "keys"];
/// Hexadecimal digits of SHA-256.
const SHA256: usize = 64;

/// A run that may be given away.
#[derive(Debug, Clone, PartialEq)]
pub struct Shared {
    /// Its head.
    pub run: Run,
    /// What was verified and measured.
    pub records: Vec<Record>,
    /// What stays out, a line each; for the user, as it may name what is not shared.
    pub left_out: Vec<String>,
}

/// Why a run is not shared at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotShared {
    /// It has not ended.
    #[error("it has not ended; resume it with `ciphermeter run --resume`, and share it then")]
    Open,
    /// It is of another kind.
    #[error("it is of kind {0}, and only calls on messages say something of a CPU; measure `ciphermeter run messages`")]
    Kind(Kind),
    /// It compares versions or copies.
    #[error("it compares versions or copies of a library, which say nothing of a machine; measure without --against")]
    Comparison,
    /// Libraries ran as on another CPU.
    #[error("libraries ran as on another CPU ({0}); measure without that")]
    Masked(String),
    /// It has no CPU's name.
    #[error("it doesn't say on which CPU it was made, or in a name that is not plain text; measure on that machine")]
    NoCpu,
    /// Nothing is left.
    #[error("none of its cells was verified and measured here by a library that Ciphermeter knows; measure again")]
    Empty,
}

/// What of a run is for others.
///
/// # Errors
/// Nothing of it is, for the reason given.
pub fn share(run: &Run, records: &[Record]) -> Result<Shared, NotShared> {
    check(run)?;
    let host = facts::shared(&run.host);
    if host.iter().all(|fact| fact.name != "cpu") {
        return Err(NotShared::NoCpu);
    }
    let (records, mut left_out) = chosen(records);
    if records.iter().all(|record| record.cell.algorithm.is_ceiling()) {
        return Err(NotShared::Empty);
    }
    let (facts_left, notes_left) = (run.host.len() - host.len(), run.notes.len());
    left_out.extend((facts_left > 0).then(|| format!("{facts_left} facts of the machine")));
    left_out.extend((notes_left > 0).then(|| format!("{notes_left} notes")));
    let metrics: Vec<Metric> = run.plan.metrics.iter().copied().filter(|metric| metric.is_known()).collect();
    let plan = RunPlan { method: run.plan.method, metrics, ..RunPlan::default() };
    let shared = Run {
        id: 0,
        store: None,
        is_measuring: false,
        started: day(&run.started),
        version: plain_or_unknown(&run.version),
        seed: run.seed,
        scenario: scenario::shared(&run.scenario),
        against: None,
        mask: None,
        plan,
        host,
        status: run.status,
        notes: Vec::new(),
    };
    let ids: BTreeMap<CellId, CellId> = (0..).zip(&records).map(|(place, record)| (record.id, CellId(place))).collect();
    let mut records: Vec<Record> = records.iter().map(|record| cleaned(record, &ids)).collect();
    anew(&shared.scenario, false, &shared.plan, &mut records);
    records.iter_mut().filter_map(|record| record.summary.as_mut()).for_each(|summary| summary.warnings.clear());
    Ok(Shared { run: shared, records, left_out })
}

fn check(run: &Run) -> Result<(), NotShared> {
    if run.status == RunStatus::Open {
        return Err(NotShared::Open);
    }
    if run.scenario.kind != Kind::Message {
        return Err(NotShared::Kind(run.scenario.kind));
    }
    if run.against.is_some() || run.scenario.copies.is_some() {
        return Err(NotShared::Comparison);
    }
    match (run.mask, run.switches()) {
        (Some(mask), _) => Err(NotShared::Masked(format!("--cpu {mask}"))),
        (None, Some(switches)) => Err(NotShared::Masked(format!("{} is set", escaped(&shortened(switches))))),
        (None, None) => Ok(()),
    }
}

/// The midnight before a moment.
fn day(moment: &str) -> String {
    let day = moment.get(..10).filter(|day| is_day(day));
    format!("{}T00:00:00Z", day.unwrap_or("1970-01-01"))
}

/// The records that are verified and of a library that Ciphermeter knows, and what became of the others.
fn chosen(records: &[Record]) -> (Vec<Record>, Vec<String>) {
    let trusted = trusted(records);
    let mut out: BTreeMap<String, usize> = BTreeMap::new();
    let mut chosen = Vec::new();
    let stays: BTreeSet<CellId> = trusted.iter().map(|record| record.id).collect();
    for record in records {
        let provider = &record.cell.provider;
        let why = match &record.outcome {
            Outcome::WrongOutput { .. } => Some(format!("of {provider} with wrong output")),
            _ if !stays.contains(&record.id) => Some(format!("of {provider} by a cipher with wrong output")),
            Outcome::Measured if record.forks.is_empty() => Some(format!("of {provider} without samples")),
            Outcome::Measured if record.cell.parameters.device().is_some() => Some("of a device".into()),
            Outcome::Measured if !is_known_provider(provider) => {
                Some(format!("of {provider}, which is no library that Ciphermeter has"))
            }
            Outcome::Measured if !has_known_parameters(record) => Some("with parameters that are not known".into()),
            Outcome::Measured => None,
            _ => Some(format!("of {provider} that were not measured")),
        };
        match why {
            Some(why) => *out.entry(why).or_default() += 1,
            None => chosen.push(record.clone()),
        }
    }
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    (chosen, out.into_iter().map(|(why, count)| format!("{count} cell{} {why}", plural(count))).collect())
}

fn has_known_parameters(record: &Record) -> bool {
    record.cell.parameters.0.keys().all(|name| PARAMETERS.contains(&name.as_str()))
}

/// A record under its new number, each member by itself.
fn cleaned(record: &Record, ids: &BTreeMap<CellId, CellId>) -> Record {
    let id = ids.get(&record.id).copied().unwrap_or(record.id);
    // Of a summary only the reference of its group counts; the rest is computed again.
    let summary = record.summary.as_ref();
    let summary =
        summary.and_then(|summary| Some(Summary { reference: *ids.get(&summary.reference)?, ..summary.clone() }));
    Record {
        id,
        cell: record.cell.clone(),
        provenance: record.provenance.as_ref().map(provenance),
        outcome: Outcome::Measured,
        forks: record.forks.iter().map(|fork| fork_of(fork, id, ids)).collect(),
        summary,
        latency: record.latency.iter().map(latency).collect(),
        memory: record.memory.iter().map(memory).collect(),
    }
}

fn fork_of(fork: &Fork, id: CellId, ids: &BTreeMap<CellId, CellId>) -> Fork {
    let sample = |sample: &Sample| Sample {
        cell: id,
        after: sample.after.and_then(|after| ids.get(&after).copied()),
        turn: sample.turn,
        iterations: sample.iterations,
        counts: sample.counts.iter().copied().filter(|(metric, _)| metric.is_known()).collect(),
        series: Vec::new(),
    };
    Fork {
        number: fork.number,
        short: fork.short,
        rounds: fork.rounds.clone(),
        samples: fork.samples.iter().map(sample).collect(),
    }
}

fn latency(of: &Latency) -> Latency {
    Latency { fork: of.fork, short: of.short, clock_ns: of.clock_ns, calls: of.calls.clone() }
}

fn memory(of: &Memory) -> Memory {
    let counter = of.counter.clone().filter(|counter| COUNTERS.contains(&counter.as_str()));
    Memory { counter, ..of.clone() }
}

fn provenance(of: &Provenance) -> Provenance {
    let Provenance { worker, runtime, language, version, path, setup, library, sha256, program: _, device: _ } = of;
    let known = |text: &String, list: &[&str]| list.contains(&text.as_str()).then(|| text.clone());
    Provenance {
        worker: known(worker, WORKERS).unwrap_or_else(|| UNKNOWN.into()),
        runtime: plain_or_unknown(runtime),
        language: language.as_ref().and_then(|language| known(language, LANGUAGES)),
        version: plain_or_unknown(version),
        path: if is_code_path(path) { path.clone() } else { UNKNOWN.into() },
        setup: *setup,
        library: library.as_deref().and_then(file_name),
        sha256: sha256.clone().filter(|text| is_hex(text, SHA256)),
        // A build of one's own: its hash would tell which runs are of one person.
        program: None,
        device: None,
    }
}

fn plain_or_unknown(text: &str) -> String {
    if is_plain(text, MOST_VERSION) { text.to_owned() } else { UNKNOWN.into() }
}

/// What libraries' files are called that the built-in worker opens.
const LIBRARIES: [&str; 8] =
    ["libcrypto", "libsodium", "libmbedcrypto", "libgcrypt", "libnettle", "libhogweed", "libbotan-2", "libbotan-3"];

/// The name of a library's file without its folder, where it is one that libraries have: `libcrypto.so.3`.
fn file_name(path: &str) -> Option<String> {
    let name = path.rsplit('/').next()?;
    let (stem, version) = name.split_once('.')?;
    let is_number = |part: &str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_fine =
        LIBRARIES.contains(&stem) && version.split('.').all(|part| part == "so" || part == "dylib" || is_number(part));
    is_fine.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moment_is_a_day() {
        assert_eq!(day("2026-11-30T15:21:07Z"), "2026-11-30T00:00:00Z");
        for other in ["", "joes-laptop", "2026-11-3é"] {
            assert_eq!(day(other), "1970-01-01T00:00:00Z");
        }
    }

    #[test]
    fn file_of_a_library_has_no_folder_and_a_known_name() {
        assert_eq!(file_name("/usr/lib/x86_64-linux-gnu/libcrypto.so.3").unwrap(), "libcrypto.so.3");
        assert_eq!(file_name("libsodium.so.23.3.0").unwrap(), "libsodium.so.23.3.0");
        assert_eq!(file_name("libcrypto.3.dylib").unwrap(), "libcrypto.3.dylib");
        for other in ["/home/joe/libcrypto.so.joe", "/home/libjoe.so", "libcrypto", "/", ""] {
            assert_eq!(file_name(other), None, "{other}");
        }
    }
}
