//! Which cells are prepared at the other end of a link. Workers on one board share a roster, because they share its memory.

use std::collections::HashMap;

use ciphermeter_core::CellId;

/// What a worker says of a cell that it has forgotten.
pub const FORGOTTEN: &str = "is not prepared";

/// What is known of a prepared cell.
#[derive(Debug, Clone, Copy, Default)]
pub struct Prepared {
    /// Its last iteration: numbers only go up, or a nonce would come twice.
    pub last: u64,
    /// Bytes of a message so long that setting it up takes time beside the sample.
    pub long: u64,
    /// How many keys it has, where several: each is used in the warm-up.
    pub keys: u64,
}

/// The cells that are prepared.
#[derive(Debug, Default)]
pub struct Roster {
    /// The life of the other end in which they were.
    life: u64,
    cells: HashMap<CellId, Prepared>,
}

impl Roster {
    /// The same, in this life of the other end: in another, nothing is prepared any more.
    pub fn in_life(&mut self, life: u64) -> &mut Self {
        if self.life != life {
            self.cells.clear();
            self.life = life;
        }
        self
    }

    /// Nothing is prepared any more.
    pub fn clear(&mut self) {
        self.cells.clear();
    }

    /// Whether a cell is prepared.
    pub fn has(&self, id: CellId) -> bool {
        self.cells.contains_key(&id)
    }

    /// What is known of a cell.
    pub fn get(&self, id: CellId) -> Prepared {
        self.cells.get(&id).copied().unwrap_or_default()
    }

    /// A cell is prepared now.
    pub fn add(&mut self, id: CellId, long: u64, keys: u64) {
        self.cells.insert(id, Prepared { last: 0, long, keys });
    }

    /// A cell is prepared no more.
    pub fn remove(&mut self, id: CellId) {
        self.cells.remove(&id);
    }

    /// Notes a cell's last iteration; comes back with the one before.
    pub fn run_to(&mut self, id: CellId, last: u64) -> u64 {
        std::mem::replace(&mut self.cells.entry(id).or_default().last, last)
    }

    /// All that are prepared.
    pub fn ids(&self) -> Vec<CellId> {
        self.cells.keys().copied().collect()
    }
}
