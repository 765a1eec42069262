//! What a transfer could reach at best: the frames without a cipher, and sealing alone, one after the other on one thread.
//!
//! bound = 1 ÷ (1 ÷ tcp-plain + 1 ÷ seal), so a transfer's least time is the sum of both times. Both are taken from the rounds of
//! whatever is compared with them; seal is the time inside the cipher's calls of the provider that seals this suite fastest, measured
//! while it moves files.

use std::cmp::Reverse;

use ciphermeter_core::{Algorithm, Fork, Metric, Record, Sample};
use ciphermeter_stats::median;

use super::figures::{each, of_each};
use crate::group::{Entry, Standing};
use ciphermeter_estimate::{CONFIDENCE, Logs, Ratio};

/// The bound of one suite in one group.
pub struct Bound<'a> {
    /// The suite.
    pub algorithm: Algorithm,
    plain: &'a Record,
    sealer: &'a Record,
    /// Nanoseconds of one transfer, the median over the sealer's rounds.
    pub ns: f64,
}

/// One for each suite of which it is known how long sealing took, where the ceiling was measured.
pub fn bounds<'a>(standing: &Standing<'a>) -> Vec<Bound<'a>> {
    let plain = standing.limits.iter().find(|entry| entry.record.cell.provider == "ceiling");
    let Some(plain) = plain.map(|entry| entry.record) else { return Vec::new() };
    let mut algorithms: Vec<_> = standing.entries.iter().map(|entry| entry.record.cell.algorithm).collect();
    algorithms.sort();
    algorithms.dedup();
    algorithms.into_iter().filter_map(|algorithm| bound(&standing.entries, algorithm, plain)).collect()
}

fn bound<'a>(entries: &[Entry<'a>], algorithm: Algorithm, plain: &'a Record) -> Option<Bound<'a>> {
    let of_suite = entries.iter().map(|entry| entry.record).filter(|record| record.cell.algorithm == algorithm);
    let sealers = of_suite.filter_map(|record| Some((each(record, Metric::SEAL)?, record)));
    let (_, sealer) = sealers.min_by(|a, b| a.0.total_cmp(&b.0))?;
    let bound = Bound { algorithm, plain, sealer, ns: 0.0 };
    let forks = sealer.forks.iter();
    let mut times: Vec<f64> = forks.flat_map(|fork| bound.times(fork)).map(|(_, least)| least).collect();
    Some(Bound { ns: median(&mut times)?, ..bound })
}

impl Bound<'_> {
    /// The provider whose sealing it is.
    pub fn sealer(&self) -> &str {
        &self.sealer.cell.provider
    }

    /// Least time ÷ the record's time: over the forks' medians, like any ratio. `None` if they share no whole fork.
    pub fn share(&self, record: &Record) -> Option<Ratio> {
        let of_fork = |fork: &Fork| {
            let times = self.times(fork).into_iter();
            let log = median(&mut times.map(|(own, least)| (least / own).ln()).collect::<Vec<_>>())?;
            Some((fork.number, log))
        };
        let whole = record.forks.iter().filter(|fork| !fork.short);
        Ratio::from_logs(&Logs::located(&whole.filter_map(of_fork).collect()), CONFIDENCE)
    }

    /// For each sample of a fork: nanoseconds of a transfer, and the least that it could have been in its round.
    fn times(&self, fork: &Fork) -> Vec<(f64, f64)> {
        let same = |record: &'_ Record| record.forks.iter().position(|other| other.number == fork.number);
        let (Some(plain), Some(seals)) = (same(self.plain), same(self.sealer)) else { return Vec::new() };
        let (plain, seals) = (&self.plain.forks[plain], &self.sealer.forks[seals]);
        let least = |(round, sample): (&u32, &Sample)| {
            let plain = of_each(nearest(plain, *round, sample.turn)?, Metric::NS)?;
            let seal = of_each(nearest(seals, *round, sample.turn)?, Metric::SEAL)?;
            Some((of_each(sample, Metric::NS).filter(|ns| *ns > 0.0)?, plain + seal))
        };
        fork.rounds.iter().zip(&fork.samples).filter_map(least).collect()
    }
}

/// The sample of that round that is nearest in time, the later one of two.
fn nearest(fork: &Fork, round: u32, turn: u32) -> Option<&Sample> {
    let of_round = fork.rounds.iter().zip(&fork.samples).filter(|(of, _)| **of == round);
    of_round.map(|(_, sample)| sample).min_by_key(|sample| (sample.turn.abs_diff(turn), Reverse(sample.turn)))
}
