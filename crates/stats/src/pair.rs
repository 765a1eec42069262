//! Log-ratios of batches that ran close together in time.
//!
//! A machine's speed moves by tens of percent within seconds, but hardly between two batches some milliseconds apart. So
//! a ratio is only ever drawn within one round, and there to the nearest batch of the other cell.

use std::collections::BTreeMap;

/// One timed batch: elapsed nanoseconds and how many calls they held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timed {
    /// Nanoseconds, above 0.
    pub ns: u64,
    /// Calls, above 0.
    pub iterations: u64,
}

impl Timed {
    /// Nanoseconds of one call.
    pub fn each(self) -> f64 {
        self.ns as f64 / self.iterations as f64
    }
}

/// A batch and its place in the order of its round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// From 0.
    pub turn: u32,
    /// The batch.
    pub timed: Timed,
}

/// What one round holds of a cell and of the cell that it is compared with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Round {
    /// The cell's batches.
    pub cell: Vec<Turn>,
    /// The other's; a slow cell has one on either side.
    pub reference: Vec<Turn>,
}

/// Brings together what two cells have in the same rounds of one fork, from (round number, batch) of each.
pub fn rounds(
    cell: impl IntoIterator<Item = (u32, Turn)>,
    reference: impl IntoIterator<Item = (u32, Turn)>,
) -> Vec<Round> {
    let mut rounds = BTreeMap::<u32, Round>::new();
    for (number, turn) in cell {
        rounds.entry(number).or_default().cell.push(turn);
    }
    for (number, turn) in reference {
        rounds.entry(number).or_default().reference.push(turn);
    }
    rounds.into_values().collect()
}

/// ln(time of the cell ÷ time of the reference) for each batch of the cell. A batch is paired with the reference's nearest
/// batch of the same round; with both, in the geometric mean, if they are equally near. Rounds that lack either give nothing.
pub fn pairs(rounds: &[Round]) -> Vec<f64> {
    rounds.iter().flat_map(|round| round.cell.iter().filter_map(|cell| pair(*cell, &round.reference))).collect()
}

fn pair(cell: Turn, references: &[Turn]) -> Option<f64> {
    let near = references.iter().map(|reference| reference.turn.abs_diff(cell.turn)).min()?;
    let logs: Vec<f64> = references
        .iter()
        .filter(|reference| reference.turn.abs_diff(cell.turn) == near)
        .map(|reference| reference.timed.each().ln())
        .collect();
    Some(cell.timed.each().ln() - logs.iter().sum::<f64>() / logs.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(turn: u32, ns: u64) -> Turn {
        Turn { turn, timed: Timed { ns, iterations: 10 } }
    }

    #[test]
    fn a_slow_cell_is_paired_with_the_references_on_either_side() {
        let round = Round { cell: vec![at(5, 400)], reference: vec![at(0, 9), at(4, 100), at(6, 400)] };
        assert!((pairs(&[round])[0] - 2.0_f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn rounds_that_lack_either_give_nothing() {
        let lacking =
            [Round { cell: vec![at(0, 1)], reference: vec![] }, Round { cell: vec![], reference: vec![at(0, 1)] }];
        assert!(pairs(&lacking).is_empty());
    }

    #[test]
    fn batches_of_different_length_compare_by_the_call() {
        let long = Turn { turn: 1, timed: Timed { ns: 2000, iterations: 20 } };
        assert_eq!(pairs(&[Round { cell: vec![at(0, 1000)], reference: vec![long] }]), [0.0]);
    }
}
