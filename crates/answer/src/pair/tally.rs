//! How many comparisons each of two came out ahead in.

use ciphermeter_estimate::{Comparison, Side, recommended};

use super::library::Library;

/// How many comparisons each came out ahead in.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    pub first: usize,
    pub second: usize,
    pub equal: usize,
    /// Neither is known.
    pub unknown: usize,
    /// A cell has no figure.
    pub missing: usize,
    /// Which of the two they recommend together.
    pub recommended: Option<Side>,
}

impl Tally {
    /// Of all sizes of these libraries.
    pub fn of<'l>(libraries: impl IntoIterator<Item = &'l Library>) -> Self {
        let (mut all, mut missing) = (Vec::new(), 0);
        for library in libraries {
            all.extend(library.rows.iter().map(|row| row.comparison));
            missing += library.gaps.len();
        }
        let mut tally = Self { missing, recommended: recommended(&all, missing), ..Self::default() };
        for comparison in &all {
            *match comparison {
                Comparison::First(_) => &mut tally.first,
                Comparison::Second(_) => &mut tally.second,
                Comparison::Equal(_) => &mut tally.equal,
                Comparison::Unknown(_) => &mut tally.unknown,
            } += 1;
        }
        tally
    }

    /// How many have figures.
    pub fn measured(&self) -> usize {
        self.first + self.second + self.equal + self.unknown
    }

    /// How many there are.
    pub fn all(&self) -> usize {
        self.measured() + self.missing
    }

    /// Whether at least half of all are decided.
    pub fn is_mostly_known(&self) -> bool {
        2 * (self.unknown + self.missing) <= self.all() && self.all() > 0
    }
}

impl Library {
    /// Whether each cipher that this library recommends may be: a comparison with a cipher that may not counts where that one loses.
    pub(super) fn counts(&self) -> bool {
        let tally = Tally::of([self]);
        match self.unfit.map(|unfit| unfit.is_none()) {
            [true, true] => true,
            [first, second] => {
                (first && tally.second == 0 && tally.first > 0) || (second && tally.first == 0 && tally.second > 0)
            }
        }
    }
}
