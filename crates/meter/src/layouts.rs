//! Where stack, buffers and keys lie in the samples of a round: drawn anew for each round, without replacement, and balanced, so that a
//! few rounds have seen each stratum as often as any other.
//!
//! All cells of a round get the same layout. Each figure averages over layouts all the same; a comparison does not carry the difference
//! of two layouts besides.

use ciphermeter_core::Layout;

/// The steps of stack and nonce.
const STEP: u16 = 16;
/// Objects of the key that are prepared for each cell whose worker moves layouts.
pub const INSTANCES: u8 = 4;

/// The layouts that are left.
#[derive(Debug)]
pub struct Layouts {
    random: fastrand::Rng,
    strata: Vec<usize>,
    /// The stack's positions, for each place in a cache line.
    stacks: [Vec<u16>; Layout::STRATA - 1],
    aligned: Vec<u16>,
    nonces: Vec<u16>,
    instances: Vec<u8>,
}

impl Layouts {
    /// An order of its own for each seed.
    pub fn new(seed: u64) -> Self {
        // Orders of cells are drawn from the seed itself.
        let random = fastrand::Rng::with_seed(seed ^ 0x6c61_796f_7574);
        Self {
            random,
            strata: Vec::new(),
            stacks: Default::default(),
            aligned: Vec::new(),
            nonces: Vec::new(),
            instances: Vec::new(),
        }
    }

    /// The next round's.
    pub fn draw(&mut self) -> Layout {
        let random = &mut self.random;
        let stratum = next(&mut self.strata, 0..Layout::STRATA, random);
        let is_aligned = stratum < Layout::STRATA - 1;
        // Texts that are not aligned are a stratum of their own, in which the stack may lie anywhere.
        let place = if is_aligned { stratum } else { random.usize(0..Layout::STRATA - 1) };
        let of_place = (0..Layout::STACK / STEP).filter(|step| usize::from(step % 4) == place).map(|step| step * STEP);
        let stack = next(&mut self.stacks[place], of_place, random);
        let line =
            next(&mut self.aligned, (0..Layout::PAGE / Layout::ALIGNED).map(|step| step * Layout::ALIGNED), random);
        let offset = if is_aligned { line } else { line + random.u16(1..Layout::ALIGNED) };
        let nonce = next(&mut self.nonces, (0..Layout::PAGE / STEP).map(|step| step * STEP), random);
        let instance = next(&mut self.instances, 0..INSTANCES, random);
        Layout { stack, offset, nonce, instance }
    }
}

/// One of those that are left; all of `anew` once none is.
fn next<T>(left: &mut Vec<T>, anew: impl Iterator<Item = T>, random: &mut fastrand::Rng) -> T {
    if left.is_empty() {
        left.extend(anew);
    }
    left.swap_remove(random.usize(0..left.len()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn strata_stacks_and_instances_are_balanced() {
        let mut layouts = Layouts::new(7);
        let drawn: Vec<Layout> = (0..5 * 64).map(|_| layouts.draw()).collect();
        for round in drawn.chunks(Layout::STRATA) {
            let mut strata: Vec<usize> = round.iter().map(|layout| layout.stratum()).collect();
            strata.sort_unstable();
            assert_eq!(strata, [0, 1, 2, 3, 4]);
        }
        let count = |of: fn(&Layout) -> u16| {
            let mut counts = BTreeMap::new();
            drawn.iter().for_each(|layout| *counts.entry(of(layout)).or_insert(0) += 1);
            counts
        };
        assert!(count(|layout| layout.instance.into()).values().all(|n| *n == 80));
        let stacks = count(|layout| layout.stack);
        assert_eq!(stacks.len(), 64);
        assert!(stacks.values().all(|n| (4..=7).contains(n)), "{stacks:?}");
        assert!(drawn.iter().all(|layout| Layout::from_packed(layout.packed()) == Some(*layout)));
    }

    #[test]
    fn order_depends_on_the_seed() {
        let drawn = |seed| {
            let mut layouts = Layouts::new(seed);
            (0..9).map(|_| layouts.draw()).collect::<Vec<_>>()
        };
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
    }
}
