//! What a figure of devices draws: of each cipher the cheapest provider's cost by size.

use std::collections::BTreeMap;

use ciphermeter_core::{Algorithm, Operation, Record};

use super::choice::{Question, choices, comparisons};
use crate::device::{Board, Cost, Unit, boards};

/// A device's lines.
pub(crate) struct Drawn<'a> {
    pub(crate) name: String,
    pub(crate) unit: Unit,
    pub(crate) operation: Operation,
    /// By cipher: bytes of message, the record, and what it costs; smallest first.
    pub(crate) ciphers: BTreeMap<Algorithm, Vec<(u64, &'a Record, Cost)>>,
}

/// The devices of which anything was measured, in the order of their numbers.
pub(crate) fn drawn(records: &[Record]) -> Vec<Drawn<'_>> {
    let boards = boards(records);
    let comparisons = comparisons(&boards);
    boards.iter().filter_map(|board| of(board, comparisons)).collect()
}

fn of<'a>(board: &Board<'a>, comparisons: usize) -> Option<Drawn<'a>> {
    let choices = choices(board, Question::Protect, |_| true, comparisons);
    let operation = choices.first()?.offers.first()?.record().cell.operation;
    let mut ciphers = BTreeMap::<Algorithm, Vec<(u64, &'a Record, Cost)>>::new();
    for choice in &choices {
        for offer in &choice.offers {
            let line = ciphers.entry(offer.algorithm).or_default();
            // Of several sizes of aad the first.
            if line.last().is_none_or(|(message, ..)| *message < choice.point.message) {
                line.push((choice.point.message, offer.record(), offer.cost));
            }
        }
    }
    Some(Drawn { name: board.name.clone(), unit: board.unit, operation, ciphers })
}
