//! Which cells join a round, how often, and what a round costs.

use ciphermeter_core::{CellId, Peers};

use super::bench::Bench;
use super::schedule::{Lineup, Turn};
use super::setting::Setting;

impl Bench<'_, '_> {
    /// The groups with the cells that are in.
    pub(super) fn lineups(&self) -> Vec<Lineup> {
        let (brackets, link) = (self.sampling.brackets(), self.sampling.link());
        let of_group = |Peers { cells, reference }: &Peers| {
            let inside = cells.iter().filter(|id| self.pool.is_on(**id));
            let settings: Vec<_> = inside.filter_map(|id| Some((*id, self.pilot.settings[id.index()]?))).collect();
            // With the reference gone, its group goes on: what was sampled together can be compared to any of its cells.
            let reference = if self.pool.is_on(*reference) { *reference } else { settings.first()?.0 };
            let alone = |setting: &Setting| setting.expected().as_secs_f64() + link;
            let is_slow = |setting: &Setting| brackets && setting.is_slow();
            let bracket = self.pilot.settings[reference.index()].as_ref().map_or(0.0, alone);
            let cost = |(cell, setting): &(CellId, Setting)| {
                alone(setting) + if is_slow(setting) && *cell != reference { bracket } else { 0.0 }
            };
            let cost = settings.iter().map(cost).sum();
            let turn = |(cell, setting): &(CellId, Setting)| Turn {
                cell: *cell,
                slow: is_slow(setting),
                block: self.question.block(*cell),
            };
            let turns = settings.iter().map(turn).collect();
            Some(Lineup { turns, reference, cost, every: 1 })
        };
        self.pilot.plan.groups.iter().filter_map(of_group).collect()
    }

    /// Seconds that a round should take on average, with all groups in it.
    pub(super) fn round_cost(&self) -> f64 {
        self.lineups().iter().map(|lineup| lineup.cost).sum()
    }
}
