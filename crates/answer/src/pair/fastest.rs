//! Every library at one size: those of each cipher, the fastest first.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, Group, Operation, Provenance, Record, escaped};
use ciphermeter_estimate::{self as estimate, Cipher, CipherPair, Comparison};
use serde::Serialize;

use crate::group::{self, Entry, behind_first, standings};
use crate::measured::has_enough_forks;
use crate::point::Point;
use crate::rate::rate;

/// At this size of a message, and of a file, bytes count more than calls do.
const USUAL_MESSAGE: f64 = 16_384.0;
const USUAL_FILE: f64 = 104_857_600.0;

/// The libraries of every cipher at one size, in the pair's form and direction.
#[derive(Debug, Clone, Serialize)]
pub struct Fastest {
    /// The size.
    #[serde(flatten)]
    pub point: Point,
    /// Those of the pair, then the others.
    pub ciphers: Vec<Libraries>,
}

/// A cipher's libraries.
#[derive(Debug, Clone, Serialize)]
pub struct Libraries {
    /// The cipher.
    pub algorithm: Algorithm,
    /// The group that all of them are of; `None` without any.
    #[serde(skip)]
    pub group: Option<Group>,
    /// Its libraries, the fastest first; last those with too few forks.
    pub libraries: Vec<Standing>,
}

/// A library of a cipher.
#[derive(Debug, Clone, Serialize)]
pub struct Standing {
    /// Its name.
    pub provider: String,
    /// Its version, where it says one.
    pub version: Option<String>,
    /// The language that it is called from, where that is known.
    pub language: Option<String>,
    /// GB/s; `None` before there are enough forks for a figure.
    pub gb_per_s: Option<f64>,
    /// GB/s so far, of however many forks: for progress, as it may not be compared.
    #[serde(skip)]
    pub so_far: Option<f64>,
    /// Whether it has enough forks for a figure.
    pub is_settled: bool,
    /// It beside the first that has enough forks, whose time divides its own; `None` for that one.
    pub behind: Option<Comparison>,
}

impl Fastest {
    /// At the size that is nearest to the usual one. `None` where there is no such cell.
    pub fn of(records: &[Record], pair: CipherPair) -> Option<Self> {
        let seals = !pair.first.operation.consumes_sealed();
        let fits = |standing: &group::Standing| {
            let group = &standing.group;
            group.form == pair.form
                && (group.parameters.cpus().is_none() || pair.moves_files())
                && group.parameters.device().is_none()
                && (group.operation == Operation::Transfer) == pair.moves_files()
                && group.parameters.message() > 0
                && pair
                    .both()
                    .iter()
                    .all(|own| own.algorithm.refuses_to(group.operation, group.parameters.message()).is_none())
                && group.operation != Operation::KeySetup
                && group.operation.consumes_sealed() != seals
        };
        let all: Vec<_> = standings(records).into_iter().filter(fits).collect();
        let point = |standing: &group::Standing| Point::of(&standing.group.parameters);
        let is_main = |standing: &&group::Standing| {
            let has = |cipher: Cipher| standing.entries.iter().any(|entry| cipher.is_of(&entry.record.cell));
            has(pair.first) || has(pair.second)
        };
        let usual = if pair.moves_files() { USUAL_FILE } else { USUAL_MESSAGE };
        let far = |point: &Point| (point.message as f64 / usual).ln().abs();
        let goes_round = |point: &Point| (point.working_set, point.keys);
        let order = |a: &Point, b: &Point| far(a).total_cmp(&far(b)).then(goes_round(a).cmp(&goes_round(b)));
        let nearest = all.iter().filter(is_main).map(point).min_by(order)?;
        let is_near = |near: Point| near.message == nearest.message && goes_round(&near) == goes_round(&nearest);
        let near: Vec<_> = all.into_iter().filter(|standing| is_near(point(standing))).collect();
        let main = [pair.first.algorithm, pair.second.algorithm];
        let entries = near.iter().flat_map(|standing| &standing.entries);
        let others: BTreeSet<_> = entries.map(|entry| entry.record.cell.algorithm).collect();
        let others = others.into_iter().filter(|algorithm| !main.contains(algorithm));
        let libraries = |algorithm| Libraries::of(&near, algorithm, nearest.aad);
        Some(Self { point: nearest, ciphers: main.into_iter().chain(others).map(libraries).collect() })
    }

    /// The libraries of a cipher.
    pub fn of_cipher(&self, algorithm: Algorithm) -> &[Standing] {
        self.cipher(algorithm).map_or(&[], |cipher| &cipher.libraries)
    }

    /// A cipher with its libraries.
    pub fn cipher(&self, algorithm: Algorithm) -> Option<&Libraries> {
        self.ciphers.iter().find(|cipher| cipher.algorithm == algorithm)
    }
}

impl Libraries {
    /// Where several sizes of aad were measured, those of the one that was chosen.
    fn of(near: &[group::Standing], algorithm: Algorithm, aad: u64) -> Self {
        let is_own =
            |standing: &&group::Standing| standing.entries.iter().any(|entry| entry.record.cell.algorithm == algorithm);
        let is_of_aad = |standing: &&group::Standing| standing.group.parameters.aad() == aad;
        let best = near.iter().filter(is_own).max_by_key(is_of_aad);
        let libraries = best.map(|best| libraries(best, algorithm)).unwrap_or_default();
        Self { algorithm, group: best.map(|best| best.group.clone()), libraries }
    }
}

/// Those of one algorithm, fastest first, and last those with too few forks.
fn libraries(group: &group::Standing, algorithm: Algorithm) -> Vec<Standing> {
    let entries = group.entries.iter();
    let mut entries: Vec<&Entry> = entries.filter(|entry| entry.record.cell.algorithm == algorithm).collect();
    entries.sort_by_key(|entry| !has_enough_forks(entry.record));
    let settled: Vec<&Record> =
        entries.iter().map(|entry| entry.record).filter(|record| has_enough_forks(record)).collect();
    let behind = behind_first(&settled);
    let beside = |record: &Record| {
        let place = settled.iter().position(|other| other.id == record.id).filter(|place| *place > 0)?;
        let enough = estimate::logs(record, settled[0]).are_enough();
        Some(Comparison::of(behind[place].filter(|_| enough).map(|behind| behind.ratio)))
    };
    let standing = |entry: &&Entry| {
        let (record, from) = (entry.record, entry.record.provenance.as_ref());
        Standing {
            provider: record.cell.provider.clone(),
            version: from.map(|from| from.version.clone()),
            language: language(record),
            gb_per_s: rate(record).filter(|_| has_enough_forks(record)),
            so_far: rate(record),
            is_settled: has_enough_forks(record),
            behind: beside(record),
        }
    };
    entries.iter().map(standing).collect()
}

/// The language that a library is called from. The built-in worker calls C's, which it opens, from Rust.
fn language(record: &Record) -> Option<String> {
    let Provenance { worker, language, library, .. } = record.provenance.as_ref()?;
    let known = match (library, worker.as_str()) {
        _ if language.is_some() => language.as_deref(),
        (Some(_), "native") => Some("C"),
        (None, "native") => Some("Rust"),
        (_, earlier) => EARLIER.iter().find(|(worker, _)| *worker == earlier).map(|(_, language)| *language),
    };
    known.map(escaped)
}

/// The workers of runs that are older than languages in records.
const EARLIER: [(&str, &str); 5] =
    [("rustcrypto-soft", "Rust"), ("go", "Go"), ("java", "Java"), ("node", "JavaScript"), ("python", "Python")];
