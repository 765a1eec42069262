//! What layouts cost a cell, more than the other cell of a pair, so that a fork's median need not be over several levels.
//!
//! A median over two levels is either of them, by chance, and a fork has too few pairs for a median at each. So all forks together say what
//! a level costs: medians of forks and of levels are taken off in turn until little is left (median polish: Tukey, Exploratory Data
//! Analysis, 1977, chapter 11). The stack's place in a cache line and the texts' alignment are taken to cost what they cost independently
//! of each other.

use ciphermeter_core::Layout;
use ciphermeter_stats::median;

use crate::paired::Paired;

/// A level is told apart where each of its factor has so many pairs.
const LEAST_PAIRS: usize = 8;
/// Medians settle after a few turns.
const TURNS: usize = 4;
const PLACES: usize = Layout::STRATA - 1;
/// The share of rounds in which texts are not aligned.
const UNALIGNED: f64 = 1.0 / Layout::STRATA as f64;

/// What differs between layouts.
struct Factor {
    level: fn(Layout) -> usize,
    /// The share of rounds that each level has.
    shares: &'static [f64],
    /// What each level costs, 0 on average; all 0 where levels are not told apart.
    costs: Vec<f64>,
}

/// By factor, what each level costs, on the scale of logarithms.
pub(crate) struct LayoutCosts([Factor; 2]);

impl LayoutCosts {
    /// What forks say together.
    pub(crate) fn of<'f>(forks: impl Iterator<Item = &'f Vec<Paired>> + Clone) -> Self {
        let factor = |level: fn(Layout) -> usize, shares: &'static [f64]| Factor {
            level,
            shares,
            costs: vec![0.0; shares.len()],
        };
        let aligned = |layout: Layout| usize::from(!layout.is_aligned());
        let mut all = Self([
            factor(Layout::stack_place, &[1.0 / PLACES as f64; PLACES]),
            factor(aligned, &[1.0 - UNALIGNED, UNALIGNED]),
        ]);
        let told_apart = [0, 1].map(|number| all.0[number].is_told_apart(forks.clone().flatten()));
        for _ in 0..TURNS {
            for number in (0..told_apart.len()).filter(|number| told_apart[*number]) {
                all.polish(number, forks.clone());
            }
        }
        all
    }

    /// The median of a fork, at the mean over layouts. 0 of nothing.
    pub(crate) fn median(&self, fork: &[Paired]) -> f64 {
        median(&mut fork.iter().map(|pair| pair.log - self.cost(pair)).collect::<Vec<_>>()).unwrap_or(0.0)
    }

    fn cost(&self, pair: &Paired) -> f64 {
        pair.layout.map_or(0.0, |layout| self.0.iter().map(|factor| factor.costs[(factor.level)(layout)]).sum())
    }

    /// What a factor's levels cost after all that is known of forks and of the other factor.
    fn polish<'f>(&mut self, number: usize, forks: impl Iterator<Item = &'f Vec<Paired>>) {
        let mut rests = vec![Vec::new(); self.0[number].costs.len()];
        for fork in forks {
            let mid = self.median(fork);
            for pair in fork {
                let Some(layout) = pair.layout else { continue };
                let level = (self.0[number].level)(layout);
                rests[level].push(pair.log - mid - self.cost(pair) + self.0[number].costs[level]);
            }
        }
        let factor = &mut self.0[number];
        factor.costs = rests.into_iter().map(|mut rest| median(&mut rest).unwrap_or(0.0)).collect();
        let mean: f64 = factor.costs.iter().zip(factor.shares).map(|(cost, share)| cost * share).sum();
        factor.costs.iter_mut().for_each(|cost| *cost -= mean);
    }
}

impl Factor {
    fn is_told_apart<'p>(&self, pairs: impl Iterator<Item = &'p Paired>) -> bool {
        let mut count = vec![0; self.costs.len()];
        pairs.filter_map(|pair| pair.layout).for_each(|layout| count[(self.level)(layout)] += 1);
        count.iter().all(|count| *count >= LEAST_PAIRS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forks of a pair in each layout, with a little noise, at what `log` says.
    fn forks(number: u16, log: impl Fn(Layout) -> f64) -> Vec<Vec<Paired>> {
        let pair = |fork: u16, round: u16| {
            let offset = if round % 5 == 4 { 16 * round + 3 } else { 16 * round };
            let layout = Layout { stack: (fork * 5 + round * 3) % 64 * 16, offset, nonce: 0, instance: 0 };
            let noise = f64::from((fork * 7 + round * 13) % 11) * 1e-4;
            Paired { log: log(layout) + noise, layout: Some(layout) }
        };
        (0..number).map(|fork| (0..10).map(|round| pair(fork, round)).collect()).collect()
    }

    fn mean(forks: &[Vec<Paired>]) -> f64 {
        let costs = LayoutCosts::of(forks.iter());
        forks.iter().map(|fork| costs.median(fork)).sum::<f64>() / forks.len() as f64
    }

    #[test]
    fn forks_lie_at_the_mean_over_layouts() {
        let slow = |layout: Layout| if layout.stack_place() % 2 == 1 { 0.1 } else { 0.0 };
        let found = mean(&forks(12, slow));
        assert!((found - 0.0505).abs() < 0.001, "{found}");
        let found = mean(&forks(12, |layout| slow(layout) + if layout.is_aligned() { 0.0 } else { 0.5 }));
        assert!((found - 0.1505).abs() < 0.001, "{found}");
    }

    #[test]
    fn few_pairs_and_pairs_without_a_layout_stay_as_they_are() {
        let costs = LayoutCosts::of(forks(2, |layout| layout.stack_place() as f64).iter());
        assert!(costs.0.iter().all(|factor| factor.costs.iter().all(|cost| *cost == 0.0)));
        let mut fixed = forks(12, |_| 0.0);
        fixed.iter_mut().flatten().for_each(|pair| pair.layout = None);
        let costs = LayoutCosts::of(fixed.iter());
        assert_eq!(
            costs.median(&fixed[0]),
            median(&mut fixed[0].iter().map(|pair| pair.log).collect::<Vec<_>>()).unwrap()
        );
    }
}
