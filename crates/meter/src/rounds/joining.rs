//! Which cells wait until the question has had its time.

use super::bench::Bench;
use super::division::Seen;

/// The most of its time in which a part measures the question's cells alone.
const ALONE: f64 = 0.5;

impl Bench<'_, '_> {
    /// Has the cells wait that the question is not about, if the question is open and processes start fast: where starting them takes
    /// longer than the rounds of a fork should, each fork has all cells.
    pub(super) fn begin_with_question(&mut self) {
        self.least_of_all = self.least();
        let starts_slowly = self.costs().is_slow_to_start();
        let mut first = self.question.cells();
        // Summaries compare with references.
        let groups = self.pilot.plan.groups.iter();
        let own = groups.filter(|peers| peers.cells.iter().any(|id| first.contains(id))).map(|peers| peers.reference);
        first.extend(own.collect::<Vec<_>>());
        if first.is_empty() || !self.sampling.shares_a_core() {
            return;
        }
        let all = std::mem::take(&mut self.pool.part.cells);
        (self.pool.part.cells, self.later) = all.into_iter().partition(|id| first.contains(id));
        self.are_waiting = !self.later.is_empty();
        let is_known = self.question.is_known(&self.part(), |id| self.pool.is_on(id));
        self.note_answer(is_known);
        if is_known != Some(false) || starts_slowly {
            self.all_join();
        }
    }

    fn all_join(&mut self) {
        self.pool.part.cells.extend(&self.later);
        self.are_waiting = false;
    }

    /// Hands on whether the question is answered, where that has changed.
    pub(super) fn note_answer(&mut self, is_known: Option<bool>) {
        let is_answered = is_known == Some(true) && self.sampling.shares_a_core();
        if is_answered != self.is_answered {
            self.is_answered = is_answered;
            self.pool.sink.answered(is_answered);
        }
    }

    /// Lets all cells join once the question is answered, or no longer asked, or has had its share of the time and there is enough left for
    /// them.
    pub(super) fn end_question(&mut self, is_known: Option<bool>) {
        let now = self.pool.clock.now();
        let left = self.deadline.saturating_sub(now);
        let alone = self.deadline.saturating_sub(self.began).mul_f64(ALONE);
        let is_over = left <= alone && left >= self.least_of_all;
        if is_known != Some(false) || is_over {
            self.all_join();
            (self.seen, self.looks_from, self.looked) = (Seen::default(), now, 0);
        }
    }
}
