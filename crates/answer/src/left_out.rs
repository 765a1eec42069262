//! Cells that have no figure.

use std::collections::BTreeSet;
use std::mem::discriminant;

use ciphermeter_core::{CellId, LeftOut, Outcome, Record, escaped};
use serde::Serialize;

use crate::words::{few, heading, size};

/// Cells that have no figure for the same sort of reason.
#[derive(Debug, Clone, Serialize)]
pub struct LeftOutCells {
    /// `wrong-output`, `failed`, `unsupported` or `left-out`.
    pub is: &'static str,
    /// Why, in words; of several figures, those of the cell that needs the most time.
    pub why: String,
    /// Their numbers.
    pub cells: Vec<CellId>,
}

impl LeftOutCells {
    /// `bad aes-256-gcm, 8 cells: expected 00, came 01`.
    pub fn sentence(&self, records: &[Record]) -> String {
        let own: Vec<&Record> = records.iter().filter(|record| self.cells.contains(&record.id)).collect();
        format!("{}: {}", cells_in_words(&own, usize::MAX), self.why)
    }
}

/// The cells that have no figure, by what became of them.
pub fn left_out(records: &[Record]) -> Vec<LeftOutCells> {
    let mut all: Vec<(&Outcome, Vec<CellId>)> = Vec::new();
    for record in records.iter().filter(|record| record.outcome != Outcome::Measured) {
        match all.iter_mut().find(|(known, _)| is_same_sort(known, &record.outcome)) {
            Some((known, cells)) => {
                cells.push(record.id);
                *known =
                    [&record.outcome, *known].into_iter().max_by_key(|outcome| outcome.enough_s()).unwrap_or(known);
            }
            None => all.push((&record.outcome, vec![record.id])),
        }
    }
    let named = |(outcome, cells): (&Outcome, _)| Some(LeftOutCells { is: outcome.word(), why: outcome.why()?, cells });
    all.into_iter().filter_map(named).collect()
}

/// What a run had no time or memory for is one sort, whatever the figures.
fn is_same_sort(one: &Outcome, other: &Outcome) -> bool {
    match (one, other) {
        (Outcome::LeftOut(LeftOut::Earlier { .. }), Outcome::LeftOut(LeftOut::Earlier { .. })) => one == other,
        (Outcome::LeftOut(one), Outcome::LeftOut(other)) => discriminant(one) == discriminant(other),
        _ => one == other,
    }
}

/// `openssl aes-256-ctr, 3 cells`; `aws-lc and openssl, 12 cells of 1 GB`; of more providers than `named`, their number; nothing of no
/// cell.
pub fn cells_in_words(cells: &[&Record], named: usize) -> String {
    let Some(first) = cells.first().map(|record| &record.cell) else { return String::new() };
    let is_alike =
        |record: &&Record| (&record.cell.provider, record.cell.algorithm) == (&first.provider, first.algorithm);
    match cells {
        [_] => format!("{} {}, {}", escaped(&first.provider), first.algorithm, heading(&first.group())),
        all if all.iter().all(is_alike) => {
            format!("{} {}, {} cells", escaped(&first.provider), first.algorithm, all.len())
        }
        all => {
            let providers: BTreeSet<String> = all.iter().map(|record| escaped(&record.cell.provider)).collect();
            let sizes: BTreeSet<u64> = all.iter().map(|record| record.cell.parameters.message()).collect();
            let of_size =
                if sizes.len() == 1 { format!(" of {}", size(first.parameters.message())) } else { String::new() };
            let names = few(&providers.into_iter().collect::<Vec<_>>(), named, "providers");
            format!("{names}, {} cells{of_size}", all.len())
        }
    }
}
