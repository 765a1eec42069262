//! The ranking on a device that counts: by the geometric mean of counts over the cells that all contenders have.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Algorithm, Cell, Family, Group, Operation, Record};
use serde::Serialize;

use super::board::{Board, provider};
use super::cost::{Unit, cost};

/// The ranking on a device.
#[derive(Serialize)]
pub struct CountedRanking {
    /// The device, escaped.
    pub on: String,
    /// What it counts.
    pub counts: Unit,
    /// How many cells all contenders have.
    pub cells: usize,
    /// How many any of them has.
    pub of_cells: usize,
    /// Whether all its forks counted the same.
    pub is_exact: bool,
    /// The cheapest first; empty where no two ciphers have a cell in common.
    pub order: Vec<CountedPlace>,
    /// Those that lack cells, each with the reason.
    pub not_ranked: Vec<String>,
}

/// A contender's place.
#[derive(Serialize)]
pub struct CountedPlace {
    /// From 1; equal counts share one.
    pub place: usize,
    /// The cipher.
    pub algorithm: Algorithm,
    /// The library.
    pub provider: String,
    /// Its mean count ÷ that of the first.
    pub ratio: f64,
}

/// An algorithm by a provider: its counts by group.
type Contenders = BTreeMap<(Algorithm, String), BTreeMap<Group, f64>>;

impl CountedRanking {
    /// Of a device that counts.
    pub fn of(board: &Board) -> Self {
        let contenders = contenders(board);
        let all: BTreeSet<&Group> = contenders.values().flat_map(BTreeMap::keys).collect();
        let most = contenders.values().map(BTreeMap::len).max().unwrap_or(0);
        // One that lacks cells would leave all others fewer to be compared on.
        let (whole, apart): (Vec<_>, Vec<_>) = contenders.iter().partition(|(_, cells)| cells.len() == most);
        let ground: Vec<&Group> =
            all.iter().copied().filter(|group| whole.iter().all(|(_, cells)| cells.contains_key(group))).collect();
        let mean = |cells: &BTreeMap<Group, f64>| {
            let logs: f64 = ground.iter().filter_map(|group| cells.get(*group)).map(|count| count.ln()).sum();
            logs / ground.len() as f64
        };
        let ranked = whole.iter().filter(|_| !ground.is_empty());
        let mut order: Vec<_> = ranked.map(|(name, cells)| (mean(cells), *name)).collect();
        order.sort_by(|(a, x), (b, y)| a.total_cmp(b).then(x.cmp(y)));
        let least = order.first().map_or(0.0, |(first, _)| *first);
        let placed = |(log, (algorithm, provider)): &(f64, &(Algorithm, String))| CountedPlace {
            place: 1 + order.iter().filter(|(other, _)| other < log).count(),
            algorithm: *algorithm,
            provider: provider.clone(),
            ratio: (log - least).exp(),
        };
        let lacks = |((algorithm, provider), cells): (&(Algorithm, String), &BTreeMap<Group, f64>)| {
            format!("{} by {provider} has only {} of {} cells", algorithm.title(), cells.len(), all.len())
        };
        let varies = |record: &&Record| cost(record).is_some_and(|cost| cost.low < cost.high);
        Self {
            on: board.name.clone(),
            counts: board.unit,
            cells: ground.len(),
            of_cells: all.len(),
            is_exact: !board.records.iter().any(varies),
            order: order.iter().map(placed).collect(),
            // Where none is ranked, that is said instead.
            not_ranked: apart.into_iter().filter(|_| !order.is_empty()).map(lacks).collect(),
        }
    }
}

fn contenders(board: &Board) -> Contenders {
    let family = |record: &Record| record.cell.algorithm.family();
    let has_aead = board.records.iter().any(|record| family(record) == Family::Aead && cost(record).is_some());
    let wanted = if has_aead { Family::Aead } else { Family::Bare };
    let usual = board.usual_form();
    let mut all = Contenders::new();
    for record in board.records.iter().filter(|record| family(record) == wanted) {
        let Cell { algorithm, operation, .. } = record.cell;
        let Some(cost) = cost(record).filter(|_| algorithm != Algorithm::Xor && operation != Operation::KeySetup)
        else {
            continue;
        };
        if !board.compares(&record.cell, usual) {
            continue;
        }
        // A provider's only form stands among the others'.
        let group = Cell { form: usual, ..record.cell.clone() }.group();
        all.entry((algorithm, provider(record))).or_default().insert(group, cost.mid);
    }
    all
}
