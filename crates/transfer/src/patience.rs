//! How long a lost end is waited for: one rule for both ends.
//!
//! Promises: patience begins with a loss, and anew after progress. An end that comes back again and again and brings
//! nothing has an end. One that comes while another is silent takes its place and has the whole patience, once.

use std::time::{Duration, Instant};

/// How long is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    /// No end was lost yet.
    Unlimited,
    /// At most so long.
    AtMost(Duration),
    /// Nothing.
    Over,
}

/// A user's patience. The clock is the caller's.
pub(crate) struct Patience {
    limit: Duration,
    lost_since: Option<Instant>,
    furthest: u64,
    /// An end has come in another's place since there was progress.
    was_replaced: bool,
    /// It has not had its turn yet.
    is_let_in: bool,
}

impl Patience {
    pub(crate) const fn new(limit: Duration) -> Self {
        Self { limit, lost_since: None, furthest: 0, was_replaced: false, is_let_in: false }
    }

    /// An attempt was lost when `done` bytes were there. `is_replaced`: another end is waiting in its place. Returns
    /// whether there was progress.
    pub(crate) fn lose(&mut self, now: Instant, done: u64, is_replaced: bool) -> bool {
        let is_progress = done > self.furthest;
        if is_progress {
            self.furthest = done;
            self.renew();
        }
        if is_replaced && !std::mem::replace(&mut self.was_replaced, true) {
            (self.lost_since, self.is_let_in) = (None, true);
        }
        self.lost_since.get_or_insert(now);
        is_progress
    }

    /// A person was asked, who may take any time.
    pub(crate) fn renew(&mut self) {
        (self.lost_since, self.was_replaced) = (None, false);
    }

    /// How long to wait for the next end.
    pub(crate) fn left(&mut self, now: Instant) -> Left {
        let Some(since) = self.lost_since else { return Left::Unlimited };
        let left = self.limit.saturating_sub(now.saturating_duration_since(since));
        if std::mem::take(&mut self.is_let_in) || !left.is_zero() { Left::AtMost(left) } else { Left::Over }
    }

    /// Whether a pause ends within it.
    pub(crate) fn allows(&self, now: Instant, pause: Duration) -> bool {
        self.lost_since.is_none_or(|since| now.saturating_duration_since(since) + pause <= self.limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(10);

    /// Patience of 10 s, and a clock that the test turns.
    fn patience() -> (Patience, impl Fn(u64) -> Instant) {
        let begin = Instant::now();
        (Patience::new(LIMIT), move |seconds| begin + Duration::from_secs(seconds))
    }

    fn at_most(seconds: u64) -> Left {
        Left::AtMost(Duration::from_secs(seconds))
    }

    #[test]
    fn patience_begins_with_a_loss_and_ends() {
        let (mut patience, at) = patience();
        assert_eq!(patience.left(at(99)), Left::Unlimited);
        assert!(!patience.lose(at(100), 0, false));
        assert_eq!(patience.left(at(101)), at_most(9));
        assert_eq!(patience.left(at(110)), Left::Over);
    }

    #[test]
    fn only_progress_and_questions_renew_it() {
        let (mut patience, at) = patience();
        patience.lose(at(0), 0, false);
        patience.lose(at(9), 0, false);
        assert_eq!(patience.left(at(9)), at_most(1));
        assert!(patience.lose(at(9), 5, false));
        assert_eq!(patience.left(at(9)), at_most(10));
        patience.lose(at(12), 5, false);
        assert_eq!(patience.left(at(12)), at_most(7));
        patience.renew();
        patience.lose(at(50), 5, false);
        assert_eq!(patience.left(at(51)), at_most(9));
    }

    #[test]
    fn end_that_takes_anothers_place_has_the_whole_patience_once() {
        let (mut patience, at) = patience();
        patience.lose(at(0), 0, false);
        // The first comes back, and is silent for longer than the patience; then the second comes.
        patience.lose(at(11), 0, true);
        assert_eq!(patience.left(at(11)), at_most(10));
        patience.lose(at(20), 0, false);
        assert_eq!(patience.left(at(20)), at_most(1));
        // Whatever comes after it: without a byte there is an end.
        patience.lose(at(22), 0, true);
        assert_eq!(patience.left(at(22)), Left::Over);
        // With one, all begins anew.
        patience.lose(at(23), 1, true);
        assert_eq!(patience.left(at(23)), at_most(10));
    }

    #[test]
    fn end_that_has_come_has_its_turn_without_any_patience() {
        let now = Instant::now();
        let mut none = Patience::new(Duration::ZERO);
        none.lose(now, 0, true);
        assert_eq!((none.left(now), none.left(now)), (at_most(0), Left::Over));
    }
}
