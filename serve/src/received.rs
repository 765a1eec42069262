//! A run as it came in: an export, read by the binary's own parser, and what the tables hold of it.

use std::collections::BTreeMap;
use std::io::Read;

use ciphermeter_answer::fleet::Choice;
use ciphermeter_answer::movement::Code;
use ciphermeter_answer::regression::sides;
use ciphermeter_answer::same_machine::{identity, state};
use ciphermeter_core::{CellId, Outcome, Record, Run, digest, escaped};
use ciphermeter_import::{ImportError, import_samples};
use ciphermeter_report::answer;
use sha2::{Digest, Sha256};
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};

use crate::shown::Shown;

/// Bytes of the longest export that is taken.
pub const MOST: usize = 64 << 20;
/// Zstandard's own default.
const LEVEL: i32 = 3;
/// Bytes that one thread of a CPU encrypts within a nanosecond at most. Copying within the nearest cache is slower
/// everywhere, so what claims more was not measured.
const FASTEST: f64 = 2000.0;

/// Characters of a refusal's longest word.
const LONGEST_WORD: usize = 60;
/// Cells of one run: the time of an answer grows faster than they do.
const MOST_CELLS: usize = 4000;
/// How far two clocks may be apart.
const SKEW: Duration = Duration::HOUR;

/// A run and its rows.
#[derive(Debug)]
pub struct Received {
    pub digest: String,
    pub started: String,
    pub scenario: String,
    pub status: String,
    pub version: String,
    pub method: i64,
    /// Whether a browser measured.
    pub is_of_page: bool,
    pub judged: Judged,
    pub bytes: i64,
    /// The export in Zstandard's format.
    pub document: Vec<u8>,
}

/// What this version decides of a run.
#[derive(Debug)]
pub struct Judged {
    pub measured_on: String,
    pub question: String,
    pub is_answered: bool,
    pub answer: String,
    /// JSON of a [`Choice`].
    pub choice: Option<String>,
    /// Its kind; empty without one.
    pub kind: String,
    /// The cipher that it recommends; empty where it knows none.
    pub recommended: String,
    /// The code of both sides, where something is compared with an older one.
    pub sides: String,
    /// A [`Shown`], as it is stored.
    pub shown: Vec<u8>,
    /// Of everything drawn at random: with its machine and start, it names the run, also where that is resumed.
    pub seed: String,
    pub samples: i64,
    pub series: SeriesKey,
    pub cells: Vec<CellRow>,
}

/// With which other runs of its machine a run is compared.
#[derive(Debug)]
pub struct SeriesKey {
    /// SHA-256 of the facts that tell machines apart, in hex; empty where libraries ran as on another machine, or beside older ones, which
    /// ratios may be to.
    pub identity: String,
    /// JSON of the facts in which runs of one machine differ.
    pub state: String,
}

impl SeriesKey {
    /// That of a run.
    pub fn of(run: &Run) -> Self {
        let is_alone = run.mask.is_some() || run.switches().is_some() || run.against.is_some();
        let identity = if is_alone { String::new() } else { hex::encode(Sha256::digest(identity(&run.host))) };
        Self { identity, state: serde_json::to_string(&state(&run.host)).expect("facts are plain data") }
    }
}

/// A cell of a run.
#[derive(Debug)]
pub struct CellRow {
    pub cell: String,
    pub version: String,
    pub code: Code,
    pub is_ceiling: bool,
    /// The median of an iteration, in nanoseconds.
    pub ns: f64,
    pub reference: String,
    /// Time ÷ time of the reference: the estimate, the lower and the upper end of its 95 % interval.
    pub ratio: Option<[f64; 3]>,
}

/// Why an export is not taken.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    #[error("cannot take this run: {}", brief(.0))]
    NoExport(#[from] ImportError),
    #[error("cannot take this run: it is still being measured; push it when it has ended")]
    Open,
    #[error(
        "cannot take this run: {cell} would encrypt {gb_per_s:.0} GB/s with one thread, which no CPU does; measure again"
    )]
    Impossible { cell: String, gb_per_s: f64 },
    #[error(
        "cannot take this run: it began at {0}, which is in the future; set the clock of its machine, or of this one"
    )]
    Future(String),
    #[error("cannot take this run: {0} is no moment of the calendar; set the clock of its machine, and measure again")]
    NoMoment(String),
    #[error(
        "cannot take this run: it has {0} cells, and {MOST_CELLS} are taken; name fewer algorithms, sizes or libraries"
    )]
    Many(usize),
}

/// An error whose long words, such as a place that is nested deeply, are shortened.
fn brief(error: &ImportError) -> String {
    let words = error.to_string();
    let brief = |word: &str| match word.chars().count() > LONGEST_WORD {
        true => {
            let letters: Vec<char> = word.chars().collect();
            let (first, last) = (&letters[..LONGEST_WORD / 3], &letters[letters.len() - LONGEST_WORD / 3..]);
            first.iter().chain(&['…']).chain(last).collect()
        }
        false => word.to_owned(),
    };
    words.split(' ').map(brief).collect::<Vec<_>>().join(" ")
}

impl Received {
    /// Reads an export. `now` is the present moment as RFC 3339, UTC.
    pub fn of(document: &[u8], now: &str) -> Result<Self, Refused> {
        let (run, records) = import_samples(document)?;
        check(&run, &records, now)?;
        Ok(Self {
            digest: digest(&run, &records),
            started: run.started.clone(),
            scenario: run.scenario.name.clone(),
            status: run.status.to_string(),
            version: run.version.clone(),
            method: i64::from(run.plan.method),
            is_of_page: run.fact("browser").is_some(),
            judged: Judged::of(&run, &records),
            bytes: i64::try_from(document.len()).unwrap_or(i64::MAX),
            document: compressed(document),
        })
    }
}

impl Judged {
    /// What this version says of a run.
    pub fn of(run: &Run, records: &[Record]) -> Self {
        let answer = answer(run, records);
        let shown = Shown::of(&answer, records).stored();
        let choice = Choice::of_answer(run, records, &answer);
        let recommended = choice.as_ref().and_then(|choice| choice.recommended);
        let kind = choice.as_ref().map(Choice::kind).unwrap_or_default();
        let choice = choice.map(|choice| serde_json::to_string(&choice).expect("a choice is plain data"));
        Self {
            measured_on: answer.measured_on,
            question: answer.question,
            is_answered: answer.answered,
            answer: answer.sentences.into_iter().next().unwrap_or_default(),
            choice,
            kind,
            sides: if run.against.is_some() { sides(records).join(" ") } else { String::new() },
            recommended: recommended.map(|cipher| cipher.to_string()).unwrap_or_default(),
            shown,
            seed: run.seed.to_string(),
            samples: samples(records),
            series: SeriesKey::of(run),
            cells: cells(records),
        }
    }
}

/// What is stored of these bytes.
pub fn compressed(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, LEVEL).expect("memory is written")
}

/// The run and its records, from the stored document.
pub fn restored(document: &[u8]) -> anyhow::Result<(Run, Vec<Record>)> {
    Ok(import_samples(&export(document)?)?)
}

/// The export as it came.
pub fn export(document: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut export = Vec::new();
    zstd::Decoder::new(document)?.take(MOST as u64).read_to_end(&mut export)?;
    Ok(export)
}

fn check(run: &Run, records: &[Record], now: &str) -> Result<(), Refused> {
    if run.status == ciphermeter_core::RunStatus::Open {
        return Err(Refused::Open);
    }
    if records.len() > MOST_CELLS {
        return Err(Refused::Many(records.len()));
    }
    let started = moment(&run.started).ok_or_else(|| Refused::NoMoment(escaped(&run.started)))?;
    if moment(now).is_some_and(|now| started - now > SKEW) {
        return Err(Refused::Future(escaped(&run.started)));
    }
    for record in records {
        let Some(summary) = &record.summary else { continue };
        let threads = record.cell.parameters.threads().max(record.cell.parameters.cpus().unwrap_or(1)).max(1);
        let bytes = record.cell.parameters.message() as f64 * record.cell.messages_at_once() as f64;
        let per_thread = bytes / summary.range.low.max(f64::MIN_POSITIVE) / threads as f64;
        if record.cell.device().is_none() && per_thread > FASTEST {
            return Err(Refused::Impossible { cell: record.cell.to_string(), gb_per_s: per_thread });
        }
    }
    Ok(())
}

// The fuzz targets compile this file without the server's clock.
fn moment(text: &str) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(text, &Rfc3339).ok()
}

/// Those that were measured: times of wrong output, or from before a library failed, are no figures, and no reference either.
fn cells(records: &[Record]) -> Vec<CellRow> {
    let measured = || records.iter().filter(|record| record.outcome == Outcome::Measured);
    let names: BTreeMap<CellId, String> = measured().map(|record| (record.id, record.cell.to_string())).collect();
    let row = |record: &Record| {
        let summary = record.summary.as_ref()?;
        let reference = names.get(&summary.reference);
        Some(CellRow {
            cell: record.cell.to_string(),
            version: record.provenance.as_ref().map(|from| from.version.clone()).unwrap_or_default(),
            code: Code::of(record),
            is_ceiling: record.cell.algorithm.is_ceiling(),
            ns: summary.range.mid,
            reference: reference.cloned().unwrap_or_default(),
            // The reference's own is 1 by definition.
            ratio: match summary.reference == record.id {
                true => Some([1.0; 3]),
                false => reference.and(summary.ratio).map(|ratio| [ratio.mid, ratio.low, ratio.high]),
            },
        })
    };
    measured().filter_map(row).collect()
}

/// How many samples a run has.
fn samples(records: &[Record]) -> i64 {
    let samples = records.iter().flat_map(|record| &record.forks).map(|fork| fork.samples.len());
    i64::try_from(samples.sum::<usize>()).unwrap_or(i64::MAX)
}
