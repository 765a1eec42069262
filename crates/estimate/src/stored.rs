//! Summaries for a run whose process was killed before it wrote them, that an older method wrote, or that comes from elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{
    Cell, CellId, Group, Kind, Limits, METHOD, Outcome, PartPlan, Peers, Record, RunPlan, Scenario, Summary,
};

use crate::measured::Measured;
use crate::part::{Part, range};
use crate::peers::{Reference, peers};

/// Computes the summary of each record that has timed samples and none; `against` says whether the run compares old with new. Stored
/// summaries stay as they are if they are by this build's method: all figures of a screen are by one.
///
/// Runs older than their stored plan don't say what the pilot knew: there the reference of a group is the one that its stored summaries
/// name, else the fastest. A sustained run has no summaries: its statement is drawn from its course.
pub fn fill(scenario: &Scenario, against: bool, plan: &RunPlan, records: &mut [Record]) {
    if scenario.kind == Kind::Sustained {
        return;
    }
    let is_older = plan.method != METHOD;
    let needs = |members: &[&Record]| is_older || members.iter().any(|record| record.summary.is_none());
    for (id, summary) in found(scenario, against, plan, records, needs) {
        if let Some(record) = records.iter_mut().find(|record| record.id == id) {
            record.summary = record.summary.take().filter(|_| !is_older).or(Some(summary));
        }
    }
}

/// Computes all summaries anew, for a run from elsewhere: of those that came with it, only which cell is the reference of a group is
/// believed.
pub fn anew(scenario: &Scenario, against: bool, plan: &RunPlan, records: &mut [Record]) {
    let mut found: BTreeMap<CellId, Summary> = match scenario.kind {
        Kind::Sustained => BTreeMap::new(),
        _ => found(scenario, against, plan, records, |_| true).into_iter().collect(),
    };
    for record in records {
        record.summary = found.remove(&record.id);
    }
}

/// The summaries of those parts that need them.
fn found(
    scenario: &Scenario,
    against: bool,
    plan: &RunPlan,
    records: &[Record],
    needs: impl Fn(&[&Record]) -> bool,
) -> Vec<(CellId, Summary)> {
    let of_part = move |plan: PartPlan| {
        let members: Vec<&Record> = plan.cells().filter_map(|id| records.get(id.index())).collect();
        if needs(&members) { summaries(scenario.precision.0, plan, &members) } else { Vec::new() }
    };
    parts(against, plan, records).into_iter().flat_map(of_part).collect()
}

/// The parts that the run stored, and those of all other records with samples.
fn parts(against: bool, plan: &RunPlan, records: &[Record]) -> Vec<PartPlan> {
    let known: BTreeSet<CellId> = plan.parts.iter().flat_map(PartPlan::cells).collect();
    let mut others: BTreeMap<Side, Vec<&Record>> = BTreeMap::new();
    for record in records.iter().filter(|record| has_samples(record) && !known.contains(&record.id)) {
        others.entry(part(&record.cell)).or_default().push(record);
    }
    let derived = others.into_values().map(|members| derived(against, &members));
    plan.parts.iter().cloned().chain(derived).collect()
}

fn has_samples(record: &Record) -> bool {
    record.forks.iter().flat_map(|fork| &fork.samples).any(|sample| sample.ns() > 0)
}

/// What is measured side by side: cells of one thread, cells of several, those whose calls have processes of their own, those of each
/// device, each group of transfers.
type Side = (bool, bool, Option<u64>, Option<Group>);

fn part(cell: &Cell) -> Side {
    let transfer = cell.is_transfer().then(|| cell.group());
    (cell.parameters.cpus().is_some(), cell.has_processes(), cell.parameters.device(), transfer)
}

/// What the pilot must have found.
fn derived(against: bool, members: &[&Record]) -> PartPlan {
    let groups = peers(members.iter().map(|record| (record.id, &record.cell)), against);
    let get = |id: CellId| members.iter().copied().find(|record| record.id == id);
    let groups: Vec<Peers> = groups
        .into_iter()
        .map(|Peers { cells, reference }| {
            let stored = || {
                let named = cells.iter().find_map(|id| Some(get(*id)?.summary.as_ref()?.reference));
                named.filter(|id| cells.contains(id))
            };
            let reference = match reference {
                Reference::Fixed(id) => id,
                Reference::Fastest => stored().unwrap_or_else(|| fastest(cells.iter().filter_map(|id| get(*id)))),
            };
            Peers { cells, reference }
        })
        .collect();
    PartPlan { groups, ..PartPlan::default() }
}

fn summaries(precision: f64, plan: PartPlan, members: &[&Record]) -> Vec<(CellId, Summary)> {
    let cells = members.iter().map(|record| {
        let is_in = record.outcome == Outcome::Measured;
        Measured { id: record.id, cell: &record.cell, forks: &record.forks, is_of_page: record.is_of_page(), is_in }
    });
    Part::new(cells.collect(), plan).summaries(precision)
}

/// The fastest that is not a ceiling, by its median; of ceilings alone, the first.
fn fastest<'a>(records: impl Iterator<Item = &'a Record>) -> CellId {
    let key = |record: &Record| {
        let range = range(&record.forks, &Limits::default()).map_or(f64::INFINITY, |range| range.mid);
        (record.cell.algorithm.is_ceiling(), range)
    };
    let all: Vec<_> = records.map(|record| (key(record), record.id)).collect();
    let best = all.into_iter().min_by(|((a, x), _), ((b, y), _)| a.cmp(b).then(x.total_cmp(y)));
    best.map_or(CellId(0), |(_, id)| id)
}
