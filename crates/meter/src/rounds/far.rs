//! Which cells are far from any decision, and so join fewer rounds.
//!
//! You choose a library among the fastest of a cipher, and a cipher by its fastest library. A cell that takes over 1.5 times as long as
//! the fastest of its algorithm decides neither, nor does a ceiling. Such cells join every third round: they stay neighbours of
//! all others and have figures of their own, and the time goes to the contenders.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, CellId, Family};

/// Far cells join every so many-th round.
pub const EVERY: u32 = 3;
/// So many times the time of its algorithm's fastest is far.
const FAR: f64 = 1.5;
/// By how much the pilot, which samples a cell for a moment, may be off.
const LUCK: f64 = 4.0 / 3.0;

/// How long a cell takes, on a scale that its group has in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// The cell.
    pub cell: CellId,
    /// Its algorithm.
    pub algorithm: Algorithm,
    /// The estimate.
    pub mid: f64,
    /// It surely takes as long as this.
    pub low: f64,
}

impl Pace {
    /// As the pilot saw it.
    pub fn at_first(cell: CellId, algorithm: Algorithm, each: f64) -> Self {
        Self { cell, algorithm, mid: each, low: each / LUCK }
    }
}

/// The far cells of one group.
pub fn far(group: &[Pace]) -> BTreeSet<CellId> {
    let fastest = |algorithm: Algorithm| {
        group.iter().filter(|pace| pace.algorithm == algorithm).map(|pace| pace.mid).fold(f64::INFINITY, f64::min)
    };
    let is_far = |pace: &&Pace| pace.algorithm.family() == Family::Ceiling || pace.low > FAR * fastest(pace.algorithm);
    group.iter().filter(is_far).map(|pace| pace.cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(group: &[Pace]) -> Vec<u32> {
        far(group).into_iter().map(|cell| cell.0).collect()
    }

    #[test]
    fn the_fastest_of_each_algorithm_and_what_is_near_are_contenders() {
        let of = |cell, algorithm, mid, low| Pace { cell: CellId(cell), algorithm, mid, low };
        let (aes, chacha) = (Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305);
        let group = [
            of(0, aes, 1.0, 1.0),
            of(1, aes, 1.6, 1.4),
            of(2, aes, 1.6, 1.55),
            of(3, chacha, 13.0, 12.9),
            of(4, chacha, 20.0, 19.0),
        ];
        assert_eq!(places(&group), [2], "19 is less than 1.5 times 13, and 1.4 is what the second may be");
        let group = [of(0, aes, 1.0, 1.0), of(1, Algorithm::Memcpy, 0.1, 0.1)];
        assert_eq!(places(&group), [1], "nobody waits for a ceiling");
        assert!(places(&[]).is_empty());
    }

    #[test]
    fn the_pilot_may_be_off() {
        let of = |cell, each| Pace::at_first(CellId(cell), Algorithm::Aes256Gcm, each);
        assert_eq!(places(&[of(0, 100.0), of(1, 190.0), of(2, 210.0)]), [2]);
    }
}
