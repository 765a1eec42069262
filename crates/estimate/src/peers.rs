//! Which cells are compared with which.

use std::collections::BTreeMap;

use ciphermeter_core::{Against, Cell, CellId, Peers};

/// What a group's cells are divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reference {
    /// This cell, by what is asked: the older one, or one thread.
    Fixed(CellId),
    /// Whichever turns out to be fastest.
    Fastest,
}

/// The groups of a run. Cells of several threads are compared with their own provider's cell of one; old and new with each other; all
/// others with whatever does the same.
pub fn peers<'a>(cells: impl IntoIterator<Item = (CellId, &'a Cell)>, against: bool) -> Vec<Peers<Reference>> {
    let mut groups = BTreeMap::<_, Vec<(CellId, &Cell)>>::new();
    for (id, cell) in cells {
        let mut group = cell.group();
        let own = if has_threads(cell) {
            group.parameters = group.parameters.with_one_thread();
            group.form = group.form.of_one_thread();
            Some((cell.algorithm, cell.provider.clone()))
        } else {
            against.then(|| (cell.algorithm, Against::base(&cell.provider).to_owned()))
        };
        groups.entry((group, own)).or_default().push((id, cell));
    }
    let is_fixed = |cell: &Cell| match has_threads(cell) {
        true => cell.parameters.threads() == 1,
        false => against && Against::is_old(&cell.provider),
    };
    let group = |cells: Vec<(CellId, &Cell)>| {
        let fixed = cells.iter().find(|(_, cell)| is_fixed(cell));
        let reference = fixed.map_or(Reference::Fastest, |(id, _)| Reference::Fixed(*id));
        Peers { cells: cells.into_iter().map(|(id, _)| id).collect(), reference }
    };
    groups.into_values().map(group).collect()
}

/// Whether a cell belongs to a comparison of thread counts.
fn has_threads(cell: &Cell) -> bool {
    cell.parameters.cpus().is_some() && !cell.is_transfer()
}
