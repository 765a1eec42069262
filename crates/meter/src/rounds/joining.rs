//! Which cells wait until the question has had its time.

use super::bench::Bench;
use super::division::Seen;

/// The most of its time in which a part measures the question's cells alone.
const ALONE: f64 = 0.5;

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
