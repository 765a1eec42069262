//! A worker's warm-up: complete calls until a time has passed, in batches, so that the clock is read rarely.

/// The progress of a warm-up.
#[derive(Debug)]
pub struct WarmUp {
    wanted_ns: u64,
    warm_ns: u64,
    batch: u64,
    /// Calls that are left of those that it makes at least.
    owed: u64,
}

impl WarmUp {
    /// A warm-up of at least `wanted_ns`; 0: none at all.
    pub fn new(wanted_ns: u64) -> Self {
        Self { wanted_ns, warm_ns: 0, batch: 1, owed: 0 }
    }

    /// The same, of at least so many calls, if there is one at all.
    pub fn at_least(self, calls: u64) -> Self {
        let owed = if self.wanted_ns == 0 { 0 } else { calls };
        Self { owed, ..self }
    }

    /// How many calls come next; `None` once it is over.
    pub fn batch(&self) -> Option<u64> {
        match self.warm_ns < self.wanted_ns {
            true => Some(self.batch),
            false => Some(self.owed).filter(|owed| *owed > 0),
        }
    }

    /// Records that the batch took `ns`. The next is twice as large, but not far beyond the end.
    pub fn record(&mut self, ns: u64) {
        self.owed = self.owed.saturating_sub(self.batch().unwrap_or(0));
        let ns = ns.max(1);
        self.warm_ns = self.warm_ns.saturating_add(ns);
        let left = self.wanted_ns.saturating_sub(self.warm_ns);
        self.batch = self.batch.saturating_mul(2).min((left.saturating_mul(self.batch) / ns).saturating_add(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batches(wanted_ns: u64, call_ns: u64) -> Vec<u64> {
        batches_of(WarmUp::new(wanted_ns), call_ns)
    }

    fn batches_of(mut warm_up: WarmUp, call_ns: u64) -> Vec<u64> {
        let next = || {
            let batch = warm_up.batch()?;
            warm_up.record(batch * call_ns);
            Some(batch)
        };
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn batches_double_and_end_soon_after_the_time() {
        assert!(batches(0, 10).is_empty());
        assert_eq!(batches(1, 10), [1]);
        assert_eq!(batches(100, 10), [1, 2, 4, 4]);
        // With a clock too coarse for a call, the warm-up still ends.
        assert!(batches(1000, 0).len() < 1001);
    }

    #[test]
    fn calls_that_are_owed_follow_when_the_time_is_over() {
        assert_eq!(batches_of(WarmUp::new(100).at_least(100), 10), [1, 2, 4, 4, 89]);
        assert_eq!(batches_of(WarmUp::new(100).at_least(11), 10), [1, 2, 4, 4]);
        assert!(batches_of(WarmUp::new(0).at_least(100), 10).is_empty());
    }
}
