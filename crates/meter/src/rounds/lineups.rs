//! Which cells join a round, how often, and what a round costs.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, CellId, Peers};
use ciphermeter_estimate::Reference;

use super::bench::Bench;
use super::far::{self, Pace};
use super::schedule::{Lineup, Turn};
use super::setting::Setting;

impl Bench<'_, '_> {
    pub(super) fn algorithm(&self, id: CellId) -> Algorithm {
        self.pool.plan.get(id).cell.algorithm
    }

    pub(super) fn far_in_pilot(&self) -> BTreeSet<CellId> {
        self.far(|id| Some(Pace::at_first(id, self.algorithm(id), self.pilot.settings[id.index()]?.each)))
    }

    /// The far cells of all groups whose fastest is not known beforehand. A cell without a pace counts as near.
    pub(super) fn far(&self, pace: impl Fn(CellId) -> Option<Pace>) -> BTreeSet<CellId> {
        if !self.has_far {
            return BTreeSet::new();
        }
        let open = self.pool.plan.peers.iter().filter(|peers| peers.reference == Reference::Fastest);
        open.flat_map(|peers| far::far(&peers.cells.iter().filter_map(|id| pace(*id)).collect::<Vec<_>>())).collect()
    }

    /// The groups with the cells that are in.
    pub(super) fn lineups(&self) -> Vec<Lineup> {
        let (brackets, link) = (self.sampling.brackets(), self.sampling.link());
        let of_group = |Peers { cells, reference }: &Peers| {
            let inside = cells.iter().filter(|id| self.pool.is_on(**id));
            let settings: Vec<_> = inside.filter_map(|id| Some((*id, self.pilot.settings[id.index()]?))).collect();
            // With the reference gone, its group goes on: what was sampled together can be compared to any of its cells.
            let reference = if self.pool.is_on(*reference) { *reference } else { settings.first()?.0 };
            let is_far = |cell: CellId| cell != reference && self.far.contains(&cell);
            let alone = |setting: &Setting| setting.expected().as_secs_f64() + link;
            let is_slow = |setting: &Setting| brackets && setting.is_slow();
            let bracket = self.pilot.settings[reference.index()].as_ref().map_or(0.0, alone);
            let cost = |(cell, setting): &(CellId, Setting)| {
                let cost = alone(setting) + if is_slow(setting) && *cell != reference { bracket } else { 0.0 };
                if is_far(*cell) { cost / f64::from(far::EVERY) } else { cost }
            };
            let cost = settings.iter().map(cost).sum();
            let turns: Vec<Turn> = settings
                .iter()
                .map(|(cell, setting)| Turn { cell: *cell, slow: is_slow(setting), far: is_far(*cell) })
                .collect();
            Some(Lineup { turns, reference, cost, every: 1 })
        };
        self.pilot.plan.groups.iter().filter_map(of_group).collect()
    }

    /// Seconds that a round should take on average, with all groups in it.
    pub(super) fn round_cost(&self) -> f64 {
        self.lineups().iter().map(|lineup| lineup.cost).sum()
    }
}
