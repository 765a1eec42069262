//! Where buffers lie in their arena: another place in each fork.

/// Places of a page, one for each cache line.
const PLACES: u64 = 64;
/// Bytes of a cache line.
const LINE: u64 = 64;

/// The places that are left. They are drawn without replacement, so that no place counts twice before each has counted once.
#[derive(Debug, Default)]
pub struct Offsets(Vec<u64>);

impl Offsets {
    /// Bytes from a page's start: a multiple of 64 below 4096.
    pub fn draw(&mut self, random: &mut fastrand::Rng) -> u64 {
        if self.0.is_empty() {
            self.0 = (0..PLACES).map(|place| place * LINE).collect();
        }
        self.0.swap_remove(random.usize(0..self.0.len()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_place_is_drawn_once_before_any_is_drawn_twice() {
        let (mut offsets, mut random) = (Offsets::default(), fastrand::Rng::with_seed(7));
        for _ in 0..3 {
            let drawn: BTreeSet<u64> = (0..PLACES).map(|_| offsets.draw(&mut random)).collect();
            assert_eq!(drawn, (0..4096).step_by(64).collect());
        }
    }

    #[test]
    fn order_depends_on_the_seed() {
        let drawn = |seed| {
            let (mut offsets, mut random) = (Offsets::default(), fastrand::Rng::with_seed(seed));
            (0..8).map(|_| offsets.draw(&mut random)).collect::<Vec<_>>()
        };
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
    }
}
