//! The question that a run's first screen asks: AES or ChaCha20, by each library at each size. Its cells come first.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{CellId, Operation};
use ciphermeter_estimate::{CipherPair, Part, Thresholds};

use crate::pool::Pool;

/// The cells that the question is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Question {
    /// The two ciphers of each library and size: what is compared.
    pairs: Vec<[CellId; 2]>,
    /// The same of what setting their keys up takes.
    keys: Vec<[CellId; 2]>,
}

impl Question {
    /// That of the pool's part; nothing where no library has both ciphers, or where something else is asked: whether a library became
    /// faster, or whether copies of one are alike.
    pub fn of(pool: &Pool<'_>) -> Self {
        if pool.options.against || pool.plan.copies {
            return Self::default();
        }
        let cells = || pool.plan.ids().filter(|id| pool.is_on(*id)).map(|id| (&pool.plan.get(id).cell, id));
        let Some(pair) = CipherPair::find(cells().map(|(cell, _)| cell)) else { return Self::default() };
        let mut keys: BTreeMap<&str, [Option<CellId>; 2]> = BTreeMap::new();
        for (cell, id) in cells().filter(|(cell, _)| cell.operation == Operation::KeySetup) {
            let place = pair.both().iter().position(|cipher| cipher.algorithm == cell.algorithm);
            if let Some(place) = place.filter(|_| cell.parameters.cpus().is_none()) {
                keys.entry(&cell.provider).or_default()[place] = Some(id);
            }
        }
        let keys = keys.into_values().filter_map(|[first, second]| Some([first?, second?])).collect();
        Self { pairs: pair.matched(cells()), keys }
    }

    /// All its cells.
    pub fn cells(&self) -> BTreeSet<CellId> {
        self.pairs.iter().chain(&self.keys).flatten().copied().collect()
    }

    /// The number of the block in which a cell stands next to what it is compared with.
    pub fn block(&self, id: CellId) -> Option<usize> {
        self.pairs.iter().chain(&self.keys).position(|both| both.contains(&id))
    }

    /// Whether the ratio of each two that are still in is known as well as an answer wants it, all at once; `None` where no two are.
    pub fn is_known(&self, part: &Part<'_>, is_in: impl Fn(CellId) -> bool) -> Option<bool> {
        let both_in = |both: &&[CellId; 2]| both.iter().all(|id| is_in(*id));
        let open: Vec<[CellId; 2]> = self.pairs.iter().filter(both_in).copied().collect();
        (!open.is_empty()).then(|| part.are_known(&open, Thresholds::of(open.len())))
    }
}
