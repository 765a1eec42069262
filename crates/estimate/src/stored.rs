//! Summaries for a run whose process was killed before it wrote them.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Cell, CellId, Family, Group, Kind, Outcome, Record, Scenario, Summary};

use crate::part::{Measured, Part, range};
use crate::peers::{Peers, Reference, peers, width};

/// Computes the summary of each record that has samples and none; `against` says whether the run compares old with new. Stored summaries
/// stay as they are.
///
/// What the pilot knew is not stored: the reference of a group is the one that its stored summaries name, else the fastest; wide
/// neighbours are those of the widest code path. A sustained run has no summaries: its statement is drawn from its course.
pub fn fill(scenario: &Scenario, against: bool, records: &mut [Record]) {
    if scenario.kind == Kind::Sustained {
        return;
    }
    let mut parts: BTreeMap<(bool, Option<Group>), Vec<usize>> = BTreeMap::new();
    for (number, record) in records.iter().enumerate().filter(|(_, record)| has_samples(record)) {
        parts.entry(part(&record.cell)).or_default().push(number);
    }
    let mut found = Vec::new();
    for members in parts.into_values() {
        if members.iter().any(|number| records[*number].summary.is_none()) {
            let members: Vec<&Record> = members.into_iter().map(|number| &records[number]).collect();
            found.extend(summaries(scenario.precision.0, against, &members));
        }
    }
    for (id, summary) in found {
        if let Some(record) = records.iter_mut().find(|record| record.id == id) {
            record.summary.get_or_insert(summary);
        }
    }
}

fn has_samples(record: &Record) -> bool {
    record.forks.iter().any(|fork| !fork.samples.is_empty())
}

/// What is measured side by side: cells of one thread, cells of several, each group of transfers.
fn part(cell: &Cell) -> (bool, Option<Group>) {
    (cell.parameters.cpus().is_some(), cell.is_transfer().then(|| cell.group()))
}

fn summaries(precision: f64, against: bool, members: &[&Record]) -> Vec<(CellId, Summary)> {
    let groups = peers(members.iter().map(|record| (record.id, &record.cell)), against);
    let get = |id: CellId| members.iter().copied().find(|record| record.id == id);
    let groups: Vec<Peers> = groups
        .into_iter()
        .map(|Peers { cells, reference }| {
            let stored = || cells.iter().find_map(|id| Some(get(*id)?.summary.as_ref()?.reference));
            let reference = match reference {
                Reference::Fixed(id) => id,
                Reference::Fastest => stored().unwrap_or_else(|| fastest(cells.iter().filter_map(|id| get(*id)))),
            };
            Peers { cells, reference }
        })
        .collect();
    let widest = |peers: &Peers| {
        let width = |id: &CellId| get(*id).and_then(|record| record.provenance.as_ref()).map_or(0, |p| width(&p.path));
        peers.cells.iter().copied().max_by_key(width).filter(|id| width(id) > 0)
    };
    let wide: BTreeSet<CellId> = groups.iter().filter_map(widest).collect();
    let measured = |record: &&'_ Record| record.outcome == Outcome::Measured;
    let cells = members
        .iter()
        .map(|record| Measured { id: record.id, cell: &record.cell, forks: &record.forks, is_in: measured(record) })
        .collect();
    Part::new(cells, groups, wide).summaries(precision)
}

/// The fastest that is not a ceiling, by its median; of ceilings alone, the first.
fn fastest<'a>(records: impl Iterator<Item = &'a Record>) -> CellId {
    let key = |record: &Record| {
        let range = range(&record.forks, None).map_or(f64::INFINITY, |range| range.mid);
        (record.cell.algorithm.family() == Family::Ceiling, range)
    };
    let all: Vec<_> = records.map(|record| (key(record), record.id)).collect();
    let best = all.into_iter().min_by(|((a, x), _), ((b, y), _)| a.cmp(b).then(x.total_cmp(y)));
    best.map_or(CellId(0), |(_, id)| id)
}
