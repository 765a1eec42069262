//! In which order cells take turns.
//!
//! A round visits its groups in shuffled order, and within each group the cells in shuffled order, so that a cell and its reference
//! run within milliseconds of each other and every cell follows every other now and then. The two that a question compares stay next to
//! each other, in shuffled order: the machine is hardly ever another for the one than for the other, and what disturbs one of them mostly
//! disturbs both, so that a busy machine leaves more pairs. Groups whose cells are slow join only every k-th round, all their members
//! together; a slow cell has its reference right before and right after it.

use std::collections::BTreeMap;

use ciphermeter_core::CellId;

/// So many samples at most are taken between two looks at the probe.
const BETWEEN_LOOKS: usize = 4;

/// What the schedule needs to know of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// The cell.
    pub cell: CellId,
    /// Whether one sample takes over 5 ms.
    pub slow: bool,
    /// The number of the block of cells that are sampled next to each other; `None` where it stands alone.
    pub block: Option<usize>,
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

/// The cells of round `number` in the order in which they are sampled; the probe looks between each two stretches of them.
pub fn round(lineups: &[Lineup], number: u32, random: &mut fastrand::Rng) -> Vec<Vec<CellId>> {
    // A group's place keeps rare visits of several groups out of one round.
    let mut groups: Vec<&Lineup> = lineups
        .iter()
        .zip(0..)
        .filter(|(lineup, place)| (number + place).is_multiple_of(lineup.every))
        .map(|(lineup, _)| lineup)
        .collect();
    random.shuffle(&mut groups);
    groups.into_iter().flat_map(|lineup| visit(lineup, random)).collect()
}

/// The cells of one group, in stretches.
fn visit(lineup: &Lineup, random: &mut fastrand::Rng) -> Vec<Vec<CellId>> {
    let mut order: Vec<Vec<CellId>> = Vec::new();
    let mut last = None;
    for block in shuffled(&lineup.turns, random) {
        let mut cells = Vec::with_capacity(3 * block.len());
        for turn in block {
            let around = (turn.slow && turn.cell != lineup.reference).then_some(lineup.reference);
            cells.extend(around.into_iter().chain([turn.cell]).chain(around));
        }
        // Two slow cells in a row share the reference between them.
        cells.dedup();
        if cells.first() == last.as_ref() {
            cells.remove(0);
        }
        last = cells.last().copied().or(last);
        order.push(cells);
    }
    stretches(order)
}

/// The blocks in shuffled order, and the turns of each.
fn shuffled(turns: &[Turn], random: &mut fastrand::Rng) -> Vec<Vec<Turn>> {
    let mut together: BTreeMap<usize, Vec<Turn>> = BTreeMap::new();
    let mut blocks = Vec::new();
    for turn in turns {
        match turn.block {
            Some(block) => together.entry(block).or_default().push(*turn),
            None => blocks.push(vec![*turn]),
        }
    }
    together.values_mut().for_each(|block| random.shuffle(block));
    blocks.extend(together.into_values());
    random.shuffle(&mut blocks);
    blocks
}

/// As many blocks as fit go into a stretch; none is parted that fits into one.
fn stretches(blocks: Vec<Vec<CellId>>) -> Vec<Vec<CellId>> {
    let mut stretches: Vec<Vec<CellId>> = Vec::new();
    for block in blocks.iter().flat_map(|block| block.chunks(BETWEEN_LOOKS)) {
        match stretches.last_mut().filter(|stretch| stretch.len() + block.len() <= BETWEEN_LOOKS) {
            Some(stretch) => stretch.extend(block),
            None => stretches.push(block.to_vec()),
        }
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lineup(cells: std::ops::Range<u32>, slow: &[u32], cost: f64) -> Lineup {
        let reference = CellId(cells.start);
        let turns = cells.map(|cell| Turn { cell: CellId(cell), slow: slow.contains(&cell), block: None }).collect();
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
    fn cells_of_a_block_are_neighbours_between_the_same_looks() {
        let mut lineups = [lineup(0..9, &[], 1.0)];
        for turn in &mut lineups[0].turns {
            turn.block = (turn.cell.0 < 6).then_some(turn.cell.index() / 2);
        }
        let (mut first, mut random) = (0, fastrand::Rng::with_seed(1));
        for number in 0..200 {
            let stretches = round(&lineups, number, &mut random);
            assert!(stretches.iter().all(|stretch| stretch.len() <= BETWEEN_LOOKS), "{stretches:?}");
            let place = |cell| stretches.concat().iter().position(|id| *id == CellId(cell)).unwrap();
            for cell in [0, 2, 4] {
                assert_eq!(place(cell).abs_diff(place(cell + 1)), 1, "{stretches:?}");
                assert!(
                    stretches.iter().any(|stretch| [cell, cell + 1].iter().all(|id| stretch.contains(&CellId(*id))))
                );
            }
            first += u32::from(place(0) < place(1));
        }
        assert!((70..130).contains(&first), "either is the first: {first} of 200");
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
