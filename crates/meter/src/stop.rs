//! When a run stops although there is more to do: at the user's wish, or because its preparations take too long.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Verification and pilot may last so long in any case: the smallest budget measures something, too.
pub const LEAST_PREPARATIONS: Duration = Duration::from_secs(30);

/// When to stop.
pub struct Stop<'a> {
    interrupted: &'a AtomicBool,
    /// When the budget is used up.
    end: Duration,
    /// When the preparations that are on must end.
    preparations: Option<Duration>,
}

impl<'a> Stop<'a> {
    /// For a run whose budget is used up then.
    pub fn new(interrupted: &'a AtomicBool, end: Duration) -> Self {
        Self { interrupted, end, preparations: None }
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

    /// Whether what is on must end: for the user, or because preparations have used the budget up.
    pub fn is_due(&self, now: Duration) -> bool {
        self.is_interrupted() || self.preparations.is_some_and(|end| now > end)
    }
}
