//! The field of one size: every library that has a cipher of it, by cipher, the fastest first.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, Operation, Record, escaped};
use ciphermeter_estimate::{Cipher, CipherPair};

use ciphermeter_answer::group::{Entry, Standing, standings};
use ciphermeter_answer::measured::has_enough_forks;
use ciphermeter_answer::point::Point;
use ciphermeter_answer::words::listed;

/// At this size of a message, and of a file, bytes count more than calls do.
const USUAL_MESSAGE: f64 = 16_384.0;
const USUAL_FILE: f64 = 104_857_600.0;

/// The cells of one size and direction, of every cipher.
pub(super) struct Field<'a> {
    pub(super) point: Point,
    standings: Vec<Standing<'a>>,
}

impl<'a> Field<'a> {
    /// Those of the pair's form and direction at the size that is nearest to the usual one.
    pub(super) fn find(records: &'a [Record], pair: CipherPair) -> Option<Self> {
        let seals = !pair.first.operation.consumes_sealed();
        let fits = |standing: &Standing| {
            let group = &standing.group;
            group.form == pair.form
                && (group.parameters.cpus().is_none() || pair.moves_files())
                && group.parameters.device().is_none()
                && (group.operation == Operation::Transfer) == pair.moves_files()
                && group.parameters.message() > 0
                && group.operation != Operation::KeySetup
                && group.operation.consumes_sealed() != seals
        };
        let all: Vec<_> = standings(records).into_iter().filter(fits).collect();
        let point = |standing: &Standing| Point::of(&standing.group.parameters);
        let is_main = |standing: &&Standing| {
            let has = |cipher: Cipher| standing.entries.iter().any(|entry| cipher.is_of(&entry.record.cell));
            has(pair.first) || has(pair.second)
        };
        let usual = if pair.moves_files() { USUAL_FILE } else { USUAL_MESSAGE };
        let far = |point: &Point| (point.message as f64 / usual).ln().abs();
        let goes_round = |point: &Point| (point.working_set, point.keys);
        let order = |a: &Point, b: &Point| far(a).total_cmp(&far(b)).then(goes_round(a).cmp(&goes_round(b)));
        let nearest = all.iter().filter(is_main).map(point).min_by(order)?;
        let is_near = |near: Point| near.message == nearest.message && goes_round(&near) == goes_round(&nearest);
        let standings = all.into_iter().filter(|standing| is_near(point(standing))).collect();
        Some(Self { point: nearest, standings })
    }

    /// The entries of one algorithm, fastest first; where several sizes of aad were measured, of the one that was chosen.
    pub(super) fn of(&self, algorithm: Algorithm) -> Vec<&Entry<'a>> {
        let entries = |standing: &'_ Standing<'a>| {
            standing.entries.iter().filter(|entry| entry.record.cell.algorithm == algorithm).count()
        };
        let aad = |standing: &Standing| standing.group.parameters.aad() == self.point.aad;
        let best = self.standings.iter().filter(|standing| entries(standing) > 0).max_by_key(|standing| aad(standing));
        let all = best.into_iter().flat_map(|standing| &standing.entries);
        all.filter(|entry| entry.record.cell.algorithm == algorithm).collect()
    }

    /// Libraries that have too few forks for a figure, of both ciphers.
    pub(super) fn unsettled(&self, pair: CipherPair) -> Option<String> {
        let both = [pair.first, pair.second].into_iter().flat_map(|cipher| self.of(cipher.algorithm));
        let names: BTreeSet<String> = both
            .filter(|entry| !has_enough_forks(entry.record))
            .map(|entry| escaped(&entry.record.cell.provider))
            .collect();
        let names: Vec<_> = names.into_iter().collect();
        let names = match names.len() {
            0 => return None,
            1..=5 => listed(&names),
            more => format!("{more} libraries"),
        };
        Some(format!("Too few undisturbed forks for some figures of {names}."))
    }

    /// Those of the pair, then the others.
    pub(super) fn algorithms(&self, pair: CipherPair) -> Vec<Algorithm> {
        let main = [pair.first.algorithm, pair.second.algorithm];
        let entries = self.standings.iter().flat_map(|standing| &standing.entries);
        let all: BTreeSet<_> = entries.map(|entry| entry.record.cell.algorithm).collect();
        main.into_iter().chain(all.into_iter().filter(|algorithm| !main.contains(algorithm))).collect()
    }
}

/// An algorithm's title, and that it has no tag where others here have one.
pub(super) fn titled(algorithm: Algorithm, pair: CipherPair) -> String {
    let compared = pair.first.has_tag() || pair.second.has_tag();
    match algorithm.tag_bytes() {
        0 if compared => format!("{}, no tag", algorithm.title()),
        _ => algorithm.title().to_owned(),
    }
}
