//! The logarithm of a ratio of two times, by fork.

use std::collections::BTreeMap;

use ciphermeter_stats::{Effect, LEAST_FORKS, Located};

/// What each whole fork contributes to ln(one time ÷ another): their mean is that logarithm.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Logs {
    by_fork: BTreeMap<u32, f64>,
    freedom: f64,
}

impl Logs {
    /// From a value of each fork, located or mixed.
    pub(crate) fn new(forks: impl IntoIterator<Item = u32>, located: Located) -> Self {
        Self { by_fork: forks.into_iter().zip(located.values).collect(), freedom: located.freedom }
    }

    /// From what each fork took of the one and of the other, located.
    pub fn located(by_fork: &BTreeMap<u32, f64>) -> Self {
        let mids: Vec<f64> = by_fork.values().copied().collect();
        Self::new(by_fork.keys().copied(), ciphermeter_stats::located(&mids))
    }

    /// The same, but its mean: for values that are no log-ratios of medians.
    pub fn mean(by_fork: impl IntoIterator<Item = (u32, f64)>) -> Self {
        let (forks, values): (Vec<u32>, Vec<f64>) = by_fork.into_iter().unzip();
        Self::new(forks, Located::mean(values))
    }

    /// The same where each fork's value is correlated by so much with that of the next: n such forks know as much as n (1 − r) ÷ (1 + r)
    /// independent ones (Bayley and Hammersley, J. R. Stat. Soc. Suppl. 8, 1946).
    #[must_use]
    pub fn correlated(mut self, correlation: f64) -> Self {
        let Some(mid) = self.mid() else { return self };
        let fewer = (1.0 - correlation) / (1.0 + correlation);
        self.by_fork.values_mut().for_each(|value| *value = mid + (*value - mid) / fewer.sqrt());
        self.freedom = (self.freedom * fewer).max(self.freedom.min(2.0));
        self
    }

    /// In how many forks both were measured.
    pub fn forks(&self) -> usize {
        self.by_fork.len()
    }

    /// Whether these are as many as a figure rests on.
    pub fn are_enough(&self) -> bool {
        self.forks() >= LEAST_FORKS
    }

    /// The logarithm; `None` without forks.
    pub fn mid(&self) -> Option<f64> {
        let n = self.forks() as f64;
        (n > 0.0).then(|| self.by_fork.values().sum::<f64>() / n)
    }

    /// The logarithm with what it takes to test it; `None` with fewer than two forks.
    pub fn effect(&self) -> Option<Effect> {
        Effect::paired(&self.as_located())
    }

    /// The change from `before` to these, of two runs; `None` if either has fewer than two forks.
    pub fn effect_since(&self, before: &Self) -> Option<Effect> {
        Effect::unpaired(&before.as_located(), &self.as_located())
    }

    /// Each fork's value, by its number.
    pub fn by_fork(&self) -> &BTreeMap<u32, f64> {
        &self.by_fork
    }

    /// Student's degrees of freedom of the logarithm's error.
    pub(crate) fn freedom(&self) -> f64 {
        self.freedom
    }

    fn as_located(&self) -> Located {
        Located { values: self.by_fork.values().copied().collect(), freedom: self.freedom }
    }
}
