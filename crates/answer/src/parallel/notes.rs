//! What stands below the answer about split messages: how busy the machine was, OpenMP beside our own threads, what the machine allows,
//! and which way takes the least energy.

use ciphermeter_core::{Algorithm, CipherKind, Form, Record, Run};

use super::bound::{limit, memory, passes};
use super::busy::taken_by_others;
use super::energy::Energy;
use super::openmp::{OpenmpPair, openmp_pairs};
use super::way::{SplitMessage, Way, is_way, name};
use crate::measured::has_enough_forks;
use crate::rate::rate;
use crate::words::{digits, listed, percent, plus_minus, size};

/// More than that is no noise of the clock.
const BUSY: f64 = 0.05;

/// A line each, at the size of so many bytes.
pub(super) fn notes(run: &Run, messages: &[SplitMessage], records: &[Record], bytes: u64) -> Vec<String> {
    let of_size: Vec<&SplitMessage> = messages.iter().filter(|message| message.bytes == bytes).collect();
    let notes = [openmp(records), allowed(run, records, bytes), of_files(&of_size)];
    notes.into_iter().flatten().chain(energy(&of_size, bytes)).collect()
}

/// That nothing shows how busy the machine was: a thread that waits for a file uses no CPU time, either.
fn of_files(messages: &[&SplitMessage]) -> Option<String> {
    let mut ways = messages.iter().flat_map(|message| &message.ways).peekable();
    ways.peek()?;
    let only_files = ways.all(|way| way.record.cell.form.is_of_files());
    only_files.then(|| "Ways from file to file do not show how busy the machine was.".into())
}

/// That other programs ran meanwhile, which no figure is free of.
pub(super) fn busy(records: &[Record]) -> Option<String> {
    let share = taken_by_others(records).filter(|share| *share > BUSY)?;
    Some(format!(
        "The machine was busy: other programs took {} of the CPU time. Close them and run again.",
        percent(share)
    ))
}

/// `OpenMP's speed ÷ that of threads, 1 GB, 2 threads: AES-256-CTR 0.99× ±1.2 % (both OpenSSL 3.0.19); XOR 1.00× ±3.0 %.`, at the largest
/// size that has it.
fn openmp(records: &[Record]) -> Option<String> {
    let pairs = openmp_pairs(records).into_iter().filter(|pair| has_enough_forks(pair.openmp));
    let parameters = |pair: &OpenmpPair| (pair.openmp.cell.parameters.message(), pair.openmp.cell.parameters.threads());
    let pairs: Vec<OpenmpPair> = pairs.collect();
    let (bytes, threads) = pairs.iter().map(parameters).max()?;
    let each = pairs.iter().filter(|pair| parameters(pair) == (bytes, threads)).map(OpenmpPair::in_words);
    let each: Vec<String> = each.collect();
    Some(format!("OpenMP's speed ÷ that of threads, {}, {threads} threads: {}.", size(bytes), each.join("; ")))
}

/// `The machine allows at 1 GB, 2 threads: memory in place 41.2 GB/s and AES units 9.07 GB/s.` A ceiling that ways pass
/// is none.
fn allowed(run: &Run, records: &[Record], bytes: u64) -> Option<String> {
    let has_aes = records.iter().any(|record| record.cell.algorithm.kind() == CipherKind::Aes);
    let ceilings = || {
        records.iter().filter(|record| {
            let cell = &record.cell;
            cell.algorithm.is_ceiling()
                // In place, no way is bound by how fast memory is copied.
                && (cell.algorithm, cell.form) != (Algorithm::Memcpy, Form::Static)
                && (cell.algorithm != Algorithm::AesUnit || has_aes)
                && cell.parameters.message() == bytes
                && !cell.form.is_of_card()
                && has_enough_forks(record)
        })
    };
    let threads = ceilings().map(|record| record.cell.parameters.threads()).max()?;
    let is_passed = |ceiling: &Record| {
        let mut ways = records.iter().filter(|record| is_way(record) && has_enough_forks(record));
        ways.any(|way| passes(way, ceiling, records))
    };
    let is_settled = |record: &&Record| record.cell.parameters.threads() == threads && !is_passed(record);
    let text = |record: &Record| {
        let what = limit(&record.cell).replace("memory", memory(run, &record.cell));
        Some(format!("{what} {} GB/s", digits(rate(record)?)))
    };
    let all: Vec<String> = ceilings().filter(is_settled).filter_map(text).collect();
    let (what, plural) = (size(bytes), if threads == 1 { "" } else { "s" });
    Some(match all.is_empty() {
        true => format!(
            "What the machine allows at {what}, {threads} thread{plural}, is not settled: its limits moved between samples."
        ),
        false => format!("The machine allows at {what}, {threads} thread{plural}: {}.", listed(&all)),
    })
}

/// `Least energy at 1 GB: AES-256-CTR 5.1 J/GB ±2.0% by openssl, 1 thread (counted by the CPU); XOR 1.2 J/GB …`, where each way was
/// metered; else that it isn't known.
fn energy(messages: &[&SplitMessage], bytes: u64) -> Vec<String> {
    let metered = |message: &SplitMessage| message.ways.iter().filter(|way| way.energy.is_some()).count();
    let each: Vec<String> = messages
        .iter()
        .filter(|message| metered(message) == message.ways.len())
        .filter_map(|message| Some(format!("{} {}", message.title(), least(&message.ways)?)))
        .collect();
    let mut lines = Vec::new();
    if !each.is_empty() {
        lines.push(format!("Least energy at {}: {}.", size(bytes), each.join("; ")));
    }
    let lacking = messages.iter().filter(|message| (1..message.ways.len()).contains(&metered(message)));
    lines.extend(lacking.map(|message| {
        format!(
            "Which way of {} takes the least energy at {} isn't known: {} of {} were metered.",
            message.title(),
            size(bytes),
            metered(message),
            message.ways.len()
        )
    }));
    lines
}

/// `5.1 J/GB ±2.0% by openssl, 1 thread (counted by the CPU; 2 more within its interval)`.
fn least(ways: &[Way]) -> Option<String> {
    let known = || ways.iter().filter_map(|way| Some((way, way.energy.as_ref()?)));
    let (way, least) = known().min_by(|(_, a), (_, b)| a.joules.total_cmp(&b.joules))?;
    let around = least.range.map(|range| format!(" {}", plus_minus(least.joules, range))).unwrap_or_default();
    let end = |energy: &Energy, of: fn((f64, f64)) -> f64| energy.range.map_or(energy.joules, of);
    let high = end(least, |(_, high)| high);
    let near =
        known().filter(|(other, energy)| other.record.id != way.record.id && end(energy, |(low, _)| low) <= high);
    let near = match near.count() {
        0 => String::new(),
        few => format!("; {few} more within the error"),
    };
    let (joules, covers) = (digits(least.joules), &least.covers);
    Some(format!("{joules} J/GB{around} by {} (counted by the {covers}{near})", name(way.record)))
}
