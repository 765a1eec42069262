//! When a run stops although there is more to do: at the user's wish, or because its preparations take too long.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Verification and pilot may last so long in any case: the smallest budget measures something, too.
pub const LEAST_PREPARATIONS: Duration = Duration::from_secs(30);

/// A run may take twice its budget, or so much longer where that is more: workers that answer slowly must not hold it for hours.
const LEAST_OVERRUN: Duration = Duration::from_secs(60);

/// When to stop.
pub struct Stop<'a> {
    interrupted: &'a AtomicBool,
    /// When the budget is used up.
    end: Duration,
    /// How much longer it may take.
    overrun: Duration,
    /// When the preparations that are on must end.
    preparations: Option<Duration>,
}

impl<'a> Stop<'a> {
    /// For a run that began then and has this budget.
    pub fn new(interrupted: &'a AtomicBool, began: Duration, budget: Duration) -> Self {
        Self { interrupted, end: began + budget, overrun: budget.max(LEAST_OVERRUN), preparations: None }
    }

    /// Whether the user wants the run to end.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Something else takes so much time, which is no part of the budget.
    pub fn extend(&mut self, by: Duration) {
        self.end += by;
        self.preparations = self.preparations.map(|end| end + by);
    }

    /// What comes before timing begins now, unless it has begun.
    pub fn begin_preparations(&mut self, now: Duration) {
        self.preparations.get_or_insert(self.end.max(now + LEAST_PREPARATIONS));
    }

    /// What comes before timing is done.
    pub fn end_preparations(&mut self) {
        self.preparations = None;
    }

    /// Whether there is so much time left for what must not wait for the budget's end.
    pub fn leaves(&self, now: Duration, time: Duration) -> bool {
        self.preparations.is_none_or(|end| now + time <= end)
    }

    /// Whether it has taken far longer than its budget.
    pub fn is_overrun(&self, now: Duration) -> bool {
        now > self.end + self.overrun
    }

    /// Whether what is on must end: for the user, or because it has taken far longer than its budget, or preparations have used that up.
    pub fn is_due(&self, now: Duration) -> bool {
        self.is_interrupted() || self.is_overrun(now) || self.preparations.is_some_and(|end| now > end)
    }
}
