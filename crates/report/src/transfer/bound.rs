//! What a transfer could reach at best: the frames without a cipher, and sealing alone, one after the other on one thread.
//!
//! bound = 1 ÷ (1 ÷ tcp-plain + 1 ÷ seal), so a transfer's least time is the sum of both times. Both are taken from the rounds of
//! whatever is held against them; seal is the time inside the cipher's calls of the provider that seals this suite fastest, measured
//! while it moves files.

use std::cmp::Reverse;

use ciphermeter_core::{Algorithm, Metric, Record, Sample, Sitting};
use ciphermeter_stats::median;

use super::{each, of_each};
use crate::group::{Entry, Standing};
use crate::pairs::{CONFIDENCE, Ratio};

/// The bound of one suite in one group.
pub(super) struct Bound<'a> {
    pub(super) algorithm: Algorithm,
    plain: &'a Record,
    sealer: &'a Record,
    /// Nanoseconds of one transfer, the median over the sealer's rounds.
    pub(super) ns: f64,
}

/// One for each suite of which somebody tells how long sealing took, where the ceiling was measured.
pub(super) fn bounds<'a>(standing: &Standing<'a>) -> Vec<Bound<'a>> {
    let plain = standing.limits.iter().find(|entry| entry.record.cell.algorithm == Algorithm::TcpPlain);
    let Some(plain) = plain.map(|entry| entry.record) else { return Vec::new() };
    let mut algorithms: Vec<_> = standing.entries.iter().map(|entry| entry.record.cell.algorithm).collect();
    algorithms.sort();
    algorithms.dedup();
    algorithms.into_iter().filter_map(|algorithm| bound(&standing.entries, algorithm, plain)).collect()
}

fn bound<'a>(entries: &[Entry<'a>], algorithm: Algorithm, plain: &'a Record) -> Option<Bound<'a>> {
    let of_suite = entries.iter().map(|entry| entry.record).filter(|record| record.cell.algorithm == algorithm);
    let sealers = of_suite.filter_map(|record| Some((each(record, Metric::Seal)?, record)));
    let (_, sealer) = sealers.min_by(|a, b| a.0.total_cmp(&b.0))?;
    let bound = Bound { algorithm, plain, sealer, ns: 0.0 };
    let sittings = sealer.sittings.iter();
    let mut times: Vec<f64> = sittings.flat_map(|sitting| bound.times(sitting)).map(|(_, least)| least).collect();
    Some(Bound { ns: median(&mut times)?, ..bound })
}

impl Bound<'_> {
    /// The provider whose sealing it is.
    pub(super) fn sealer(&self) -> &str {
        &self.sealer.cell.provider
    }

    /// Least time ÷ the record's time: over the sittings' medians, like any ratio. `None` if they share no whole sitting.
    pub(super) fn share(&self, record: &Record) -> Option<Ratio> {
        let of_sitting = |sitting: &Sitting| {
            let times = self.times(sitting).into_iter();
            median(&mut times.map(|(own, least)| (least / own).ln()).collect::<Vec<_>>())
        };
        let whole = record.sittings.iter().filter(|sitting| !sitting.short);
        Ratio::from_logs(&whole.filter_map(of_sitting).collect::<Vec<_>>(), CONFIDENCE)
    }

    /// For each sample of a sitting: nanoseconds of a transfer, and the least that it could have been in its round.
    fn times(&self, sitting: &Sitting) -> Vec<(f64, f64)> {
        let same = |record: &'_ Record| record.sittings.iter().position(|other| other.number == sitting.number);
        let (Some(plain), Some(seals)) = (same(self.plain), same(self.sealer)) else { return Vec::new() };
        let (plain, seals) = (&self.plain.sittings[plain], &self.sealer.sittings[seals]);
        let least = |(round, sample): (&u32, &Sample)| {
            let plain = of_each(nearest(plain, *round, sample.turn)?, Metric::Ns)?;
            let seal = of_each(nearest(seals, *round, sample.turn)?, Metric::Seal)?;
            Some((of_each(sample, Metric::Ns).filter(|ns| *ns > 0.0)?, plain + seal))
        };
        sitting.rounds.iter().zip(&sitting.samples).filter_map(least).collect()
    }
}

/// The sample of that round that is nearest in time, the later one of two.
fn nearest(sitting: &Sitting, round: u32, turn: u32) -> Option<&Sample> {
    let of_round = sitting.rounds.iter().zip(&sitting.samples).filter(|(of, _)| **of == round);
    of_round.map(|(_, sample)| sample).min_by_key(|sample| (sample.turn.abs_diff(turn), Reverse(sample.turn)))
}
