//! Two ciphers by one library, at every size at which both were to be measured: what came of it, and what has no figure.

use std::collections::BTreeMap;

use ciphermeter_core::{Outcome, Record};
use ciphermeter_estimate::{self as estimate, Cipher, CipherPair, Comparison, Logs, Thresholds};

use super::library::{Figure, Gap, Lack, Library, Row, Unfit};
use super::page;
use crate::measured::{has_enough_forks, is_here, measured, sets_key_up_inside, wrong_here};
use crate::memory::peak;
use crate::point::Point;
use crate::rate::rate;
use crate::words::version_numbers;

/// What a library has of both, smallest size first.
pub(super) struct LibraryPairs<'a> {
    /// The library of either cipher, which is one but for ciphers of sectors.
    of: [&'a str; 2],
    pub(super) rows: Vec<Both<'a>>,
    gaps: Vec<(Point, [&'a Record; 2])>,
    /// Sizes at which one cipher is asked for and the other is not.
    alone: [Vec<Point>; 2],
    pub(super) unfit: [Option<Unfit>; 2],
}

pub(super) struct Both<'a> {
    pub(super) point: Point,
    pub(super) records: [&'a Record; 2],
    /// For each fork: ln(time of the second ÷ time of the first).
    pub(super) logs: Logs,
}

/// Every library that was to have both at some size that both can have. Those that refuse one of them at every size do not have it. Of
/// ciphers of sectors, the fastest library of one is compared with that of the other; on a page, at each size (`page.rs`).
pub(super) fn libraries_pairs(records: &[Record], pair: CipherPair) -> Vec<LibraryPairs<'_>> {
    let of_sectors = pair.is_of_sectors().then(|| pair.both().map(|cipher| fastest(records, pair, cipher)));
    let at_best = page::fastest(records, pair);
    let bound_to = if at_best.is_some() { Some([page::FASTEST; 2]) } else { of_sectors };
    let mut cells = BTreeMap::<([&str; 2], Point), [Option<&Record>; 2]>::new();
    for record in records.iter().filter(|record| pair.takes(&record.cell) && record.cell.refused().is_none()) {
        for (place, cipher) in pair.both().into_iter().enumerate() {
            let of = bound_to.unwrap_or([record.cell.provider.as_str(); 2]);
            let is_its = at_best.as_ref().map_or(record.cell.provider == of[place], |best| best.contains(&record.id));
            if cipher.is_of(&record.cell) && is_its {
                let key = (of, Point::of(&record.cell.parameters));
                let known = &mut cells.entry(key).or_default()[place];
                if known.is_none() || measured(record).is_some() {
                    *known = Some(record);
                }
            }
        }
    }
    let mut libraries_pairs: Vec<LibraryPairs> = Vec::new();
    for ((of, point), both) in cells {
        if libraries_pairs.last().is_none_or(|pairs| pairs.of != of) {
            let unfit = [0, 1].map(|place| unfit(records, of[place], pair.both()[place], pair));
            let (rows, gaps, alone) = Default::default();
            libraries_pairs.push(LibraryPairs { of, rows, gaps, alone, unfit });
        }
        let Some(pairs) = libraries_pairs.last_mut() else { continue };
        let records = match both {
            [Some(first), Some(second)] => [first, second],
            [first, _] => {
                pairs.alone[usize::from(first.is_none())].push(point);
                continue;
            }
        };
        match records.iter().all(|record| measured(record).is_some()) {
            true => pairs.rows.push(Both { point, records, logs: estimate::logs(records[1], records[0]) }),
            false => pairs.gaps.push((point, records)),
        }
    }
    libraries_pairs.retain(|pairs| !pairs.rows.is_empty() || !pairs.refuses_one());
    libraries_pairs
}

/// The library with most of a cipher's sizes, the fastest of those with as many; none is called nothing.
fn fastest(records: &[Record], pair: CipherPair, cipher: Cipher) -> &str {
    let mut libraries = BTreeMap::<&str, (usize, f64)>::new();
    for record in records.iter().filter(|record| pair.takes(&record.cell) && cipher.is_of(&record.cell)) {
        let library = libraries.entry(record.cell.provider.as_str()).or_default();
        if let Some(summary) = measured(record) {
            library.0 += 1;
            library.1 -= summary.range.mid.ln();
        }
    }
    let rank = |(_, a): &(&str, (usize, f64)), (_, b): &(&str, (usize, f64))| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
    libraries.into_iter().max_by(rank).map_or("", |(provider, _)| provider)
}

fn unfit(records: &[Record], provider: &str, cipher: Cipher, pair: CipherPair) -> Option<Unfit> {
    let is_its = |record: &Record| record.cell.provider == provider && record.cell.algorithm == cipher.algorithm;
    if wrong_here(records).any(is_its) {
        return Some(Unfit::WrongOutput);
    }
    let own = |record: &&Record| is_here(record) && is_its(record);
    let reads = pair.read().both().into_iter().find(|other| other.algorithm == cipher.algorithm)?;
    let mut read =
        records.iter().filter(own).filter(|record| pair.takes(&record.cell) && reads.is_of(&record.cell)).peekable();
    // What was never made is only missing.
    let is_made = records.iter().filter(own).any(|record| cipher.is_of(&record.cell) && measured(record).is_some());
    let is_unreadable = reads.operation != cipher.operation
        && is_made
        && read.peek().is_some()
        && read.all(|record| matches!(record.outcome, Outcome::Failed { .. }));
    is_unreadable.then_some(Unfit::Unreadable)
}

impl LibraryPairs<'_> {
    /// The library's name, or those of both.
    pub(super) fn name(&self) -> String {
        match self.of {
            [one, other] if one != other => format!("{one} and {other}"),
            [one, _] => one.to_owned(),
        }
    }

    /// Whether it refuses one of them at every size.
    fn refuses_one(&self) -> bool {
        let is_refused = |record: &Record| matches!(record.outcome, Outcome::Unsupported { .. });
        (0..2).any(|place| self.gaps.iter().all(|(_, both)| is_refused(both[place])))
    }

    /// As data, each comparison holding at once with all that `thresholds` are for.
    pub(super) fn library(&self, thresholds: Thresholds) -> Library {
        let row = |both: &Both| {
            // What is enough for the ratio is enough for what it is made of.
            let enough = both.logs.are_enough();
            Row {
                point: both.point,
                cells: both.records.map(|record| record.id),
                figures: both.records.map(|record| figure(record, enough)),
                forks: both.logs.forks(),
                comparison: Comparison::of_logs(&both.logs, thresholds),
            }
        };
        let gap = |(point, both): &(Point, [&Record; 2])| Gap {
            point: *point,
            cells: both.map(|record| record.id),
            why: both.map(lack),
        };
        let both = self.rows.first().map(|both| both.records);
        // Of several libraries, none has the others' version.
        let is_one = self.of[0] == self.of[1] && self.of[0] != page::FASTEST;
        let versions = || both.iter().flatten().filter_map(|record| Some(record.provenance.as_ref()?.version.as_str()));
        Library {
            provider: self.name(),
            of: self.of.map(String::from),
            version: versions().next().filter(|_| is_one).map(String::from),
            numbers: if is_one { version_numbers(versions()) } else { String::new() },
            rows: self.rows.iter().map(row).collect(),
            gaps: self.gaps.iter().map(gap).collect(),
            alone: self.alone.clone(),
            unfit: self.unfit,
        }
    }
}

/// What a cell comes to, which takes enough forks of its own unless it is known that they are.
pub(super) fn figure(record: &Record, is_enough: bool) -> Figure {
    Figure {
        gb_per_s: rate(record).filter(|_| is_enough || has_enough_forks(record)),
        peak_bytes: peak(record),
        sets_key_up: sets_key_up_inside(record),
    }
}

fn lack(record: &Record) -> Option<Lack> {
    match record.outcome {
        Outcome::WrongOutput { .. } => Some(Lack::WrongOutput),
        Outcome::Failed { .. } => Some(Lack::Failed),
        Outcome::Unsupported { .. } => Some(Lack::Unsupported),
        Outcome::LeftOut(_) => Some(Lack::LeftOut),
        Outcome::Measured if measured(record).is_none() => Some(Lack::NoSamples),
        Outcome::Measured => None,
    }
}
