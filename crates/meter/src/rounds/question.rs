//! The question that a run's first screen asks: AES or ChaCha20, by each library at each size. Its cells come first.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{CellId, Operation};
use ciphermeter_estimate::{CipherPair, Part, Thresholds};

use super::bench::Bench;
use super::division::Seen;
use crate::pool::Pool;

/// The most of its time in which a part measures the question's cells alone.
const ALONE: f64 = 0.5;

/// The cells that the question is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Question {
    /// The two ciphers of each library and size: what is compared.
    bouts: Vec<[CellId; 2]>,
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
        Self { bouts: pair.bouts(cells()), keys }
    }

    /// All its cells.
    pub fn cells(&self) -> BTreeSet<CellId> {
        self.bouts.iter().chain(&self.keys).flatten().copied().collect()
    }

    /// The number of the block in which a cell stands next to what it is compared with.
    pub fn block(&self, id: CellId) -> Option<usize> {
        self.bouts.iter().chain(&self.keys).position(|both| both.contains(&id))
    }

    /// Whether the ratio of each two that are still in is known as well as an answer wants it, all at once.
    pub fn is_known(&self, part: &Part<'_>, is_in: impl Fn(CellId) -> bool) -> bool {
        let open: Vec<[CellId; 2]> =
            self.bouts.iter().copied().filter(|both| both.iter().all(|id| is_in(*id))).collect();
        !open.is_empty() && part.are_known(&open, Thresholds::of(open.len()))
    }
}

impl Bench<'_, '_> {
    /// Puts the cells aside that the question is not about, if the question is open and processes start fast: where starting them takes
    /// longer than the rounds of a fork should, each fork has all cells.
    pub(super) fn begin_with_question(&mut self) {
        self.least_of_all = self.least();
        self.is_answered = self.question.is_known(&self.part(), |id| self.pool.is_on(id));
        if self.is_answered {
            self.pool.sink.answered();
        }
        let mut first = self.question.cells();
        if first.is_empty() || self.is_answered || !self.sampling.shares_a_core() {
            return;
        }
        // Summaries compare with references.
        let groups = self.pilot.plan.groups.iter();
        let own = groups.filter(|peers| peers.cells.iter().any(|id| first.contains(id))).map(|peers| peers.reference);
        first.extend(own.collect::<Vec<_>>());
        let all = std::mem::take(&mut self.pool.part.cells);
        (self.pool.part.cells, self.later) = all.into_iter().partition(|id| first.contains(id));
        self.are_waiting = !self.later.is_empty();
        if self.costs().is_slow_to_start() {
            self.all_join();
        }
    }

    fn all_join(&mut self) {
        self.pool.part.cells.extend(&self.later);
        self.are_waiting = false;
    }

    /// Lets all cells join once the question is answered, or has had its share of the time and there is enough left for them.
    pub(super) fn end_question(&mut self) {
        let now = self.pool.clock.now();
        let left = self.deadline.saturating_sub(now);
        let alone = self.deadline.saturating_sub(self.began).mul_f64(ALONE);
        let is_over = left <= alone && left >= self.least_of_all;
        if self.is_answered || is_over || self.lineups().is_empty() {
            self.all_join();
            (self.seen, self.looks_from, self.looked) = (Seen::default(), now, 0);
        }
    }
}
