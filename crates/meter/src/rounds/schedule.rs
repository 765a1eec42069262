//! In which order cells take turns.
//!
//! A round visits its groups in shuffled order, and within each group the cells in shuffled order, so that a cell and its reference
//! run within milliseconds of each other and every cell follows every other now and then. Groups whose cells are slow join only every
//! k-th round, all their members together; of cells that are far from any decision, those of a group join every third of its visits,
//! together, so that their ratios to each other can be drawn; a slow cell has its reference right before and right after it.

use ciphermeter_core::CellId;

use super::far;

/// What the schedule needs to know of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// The cell.
    pub cell: CellId,
    /// Whether one sample takes over 5 ms.
    pub slow: bool,
    /// Whether it joins only every [`far::EVERY`]-th visit to its group.
    pub far: bool,
}

/// What the schedule needs to know of a group.
#[derive(Debug, Clone, PartialEq)]
pub struct Lineup {
    /// Its cells.
    pub turns: Vec<Turn>,
    /// Its reference.
    pub reference: CellId,
    /// Seconds that a visit takes on average.
    pub cost: f64,
    /// It joins every `every`-th round.
    pub every: u32,
}

/// Sets how often each group joins: so often that no group takes more than four times the cost of the median group, and
/// that a fork of `seconds` has at least `least` visits of each where it can.
pub fn space_out(lineups: &mut [Lineup], seconds: f64, least: u32) {
    let mut costs: Vec<f64> = lineups.iter().map(|lineup| lineup.cost).collect();
    costs.sort_by(f64::total_cmp);
    let Some(usual) = costs.get(costs.len() / 2).copied() else { return };
    let round: f64 = costs.iter().map(|cost| cost.min(4.0 * usual)).sum();
    let most = (seconds / round / f64::from(least)).floor().max(1.0);
    for lineup in lineups {
        lineup.every = (lineup.cost / (4.0 * usual)).ceil().clamp(1.0, most) as u32;
    }
}

/// Seconds that a round takes on average.
pub fn mean_cost(lineups: &[Lineup]) -> f64 {
    lineups.iter().map(|lineup| lineup.cost / f64::from(lineup.every)).sum()
}

/// The cells of round `number` in the order in which they are sampled, group by group.
pub fn round(lineups: &[Lineup], number: u32, random: &mut fastrand::Rng) -> Vec<Vec<CellId>> {
    // A group's place keeps rare visits of several groups, and of their far cells, out of one round.
    let mut groups: Vec<(&Lineup, u32)> = lineups
        .iter()
        .zip(0..)
        .filter(|(lineup, place)| (number + place).is_multiple_of(lineup.every))
        .map(|(lineup, place)| (lineup, (number + place) / lineup.every))
        .collect();
    random.shuffle(&mut groups);
    groups.into_iter().map(|(lineup, visits)| visit(lineup, visits, random)).collect()
}

fn visit(lineup: &Lineup, number: u32, random: &mut fastrand::Rng) -> Vec<CellId> {
    let mut turns = lineup.turns.clone();
    turns.retain(|turn| !turn.far || number.is_multiple_of(far::EVERY));
    random.shuffle(&mut turns);
    let mut order = Vec::with_capacity(turns.len() + 2);
    for turn in turns {
        if turn.slow && turn.cell != lineup.reference {
            order.extend([lineup.reference, turn.cell, lineup.reference]);
        } else {
            order.push(turn.cell);
        }
    }
    // Two slow cells in a row share the reference between them.
    order.dedup();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lineup(cells: std::ops::Range<u32>, slow: &[u32], cost: f64) -> Lineup {
        let reference = CellId(cells.start);
        let turns = cells.map(|cell| Turn { cell: CellId(cell), slow: slow.contains(&cell), far: false }).collect();
        Lineup { turns, reference, cost, every: 1 }
    }

    #[test]
    fn a_round_visits_every_cell_once_and_groups_stay_together() {
        let lineups = [lineup(0..5, &[], 1.0), lineup(5..9, &[], 1.0)];
        let mut random = fastrand::Rng::with_seed(1);
        let mut orders = std::collections::BTreeSet::new();
        for number in 0..50 {
            let order = round(&lineups, number, &mut random).concat();
            let mut sorted = order.clone();
            sorted.sort();
            assert_eq!(sorted, (0..9).map(CellId).collect::<Vec<_>>());
            let changes = order.windows(2).filter(|pair| (pair[0].0 < 5) != (pair[1].0 < 5)).count();
            assert_eq!(changes, 1, "{order:?}");
            orders.insert(order);
        }
        assert!(orders.len() > 45, "orders must differ");
    }

    #[test]
    fn a_slow_cell_stands_between_references() {
        let lineups = [lineup(0..4, &[2, 3], 1.0)];
        for seed in 0..40 {
            let order = round(&lineups, 0, &mut fastrand::Rng::with_seed(seed)).concat();
            for (place, cell) in order.iter().enumerate().filter(|(_, cell)| cell.0 >= 2) {
                assert_eq!(order[place - 1], CellId(0), "{cell:?} in {order:?}");
                assert_eq!(order[place + 1], CellId(0), "{cell:?} in {order:?}");
            }
            assert!(order.windows(2).all(|pair| pair[0] != pair[1]), "{order:?}");
        }
    }

    #[test]
    fn far_cells_of_a_group_join_every_third_visit_together() {
        let mut lineups = [lineup(0..4, &[], 1.0), lineup(4..6, &[], 1.0)];
        for turn in lineups.iter_mut().flat_map(|lineup| &mut lineup.turns) {
            turn.far = [2, 3, 5].contains(&turn.cell.0);
        }
        let visited = |number| {
            let mut order = round(&lineups, number, &mut fastrand::Rng::with_seed(1)).concat();
            order.sort();
            order.into_iter().map(|cell| cell.0).collect::<Vec<_>>()
        };
        assert_eq!([0, 1, 2].map(visited), [vec![0, 1, 2, 3, 4], vec![0, 1, 4], vec![0, 1, 4, 5]]);
        assert_eq!(visited(3), visited(0));
        lineups[0].every = 2;
        let visits = |cell| {
            (0..60)
                .filter(|number| {
                    round(&lineups, *number, &mut fastrand::Rng::with_seed(2)).concat().contains(&CellId(cell))
                })
                .count()
        };
        assert_eq!([0, 2, 5].map(visits), [30, 10, 20]);
    }

    #[test]
    fn slow_groups_join_less_often_but_never_too_rarely() {
        let mut lineups = [lineup(0..2, &[], 0.001), lineup(2..4, &[], 0.001), lineup(4..6, &[], 0.1)];
        space_out(&mut lineups, 10.0, 10);
        assert_eq!(lineups.iter().map(|lineup| lineup.every).collect::<Vec<_>>(), [1, 1, 25]);
        let visits = (0..100)
            .filter(|number| round(&lineups, *number, &mut fastrand::Rng::with_seed(3)).concat().contains(&CellId(4)));
        assert_eq!(visits.count(), 4);
        space_out(&mut lineups, 0.2, 10);
        assert!(lineups.iter().all(|lineup| lineup.every <= 3));
    }
}
