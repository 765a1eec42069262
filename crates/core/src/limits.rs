//! From which reading of the contention probe on a sample counts as disturbed.

use std::collections::BTreeMap;

/// The highest readings that count as undisturbed, in picoseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Limits {
    /// That of the whole run; `None` without a probe: then no disturbance is known.
    pub usual: Option<u64>,
    /// By their numbers, forks with another one, because the machine's clock was another.
    pub of_forks: BTreeMap<u32, u64>,
}

impl Limits {
    /// That of a fork.
    pub fn of(&self, fork: u32) -> Option<u64> {
        self.of_forks.get(&fork).copied().or(self.usual)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fork_without_a_limit_of_its_own_has_the_usual_one() {
        let limits = Limits { usual: Some(100), of_forks: BTreeMap::from([(3, 120)]) };
        assert_eq!((limits.of(2), limits.of(3)), (Some(100), Some(120)));
        assert_eq!(Limits::default().of(3), None);
    }
}
