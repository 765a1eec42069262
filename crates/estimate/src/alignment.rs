//! What a cell takes longer where its texts don't lie at multiples of 16 bytes, as callers' texts may not.

use ciphermeter_core::{Fork, Layout, Limits, Record, Sample};

use crate::levels::log;
use crate::{Logs, Ratio};

/// Time with texts that are not aligned ÷ time with texts that are: for each fork the ratio of the geometric means, and their mean over
/// forks; `None` under six forks, or where nothing moves texts.
///
/// Means, because a fork has one or two unaligned samples for every five: noise is skewed, so the median of two lies above the median of
/// many, in every fork alike.
pub fn unaligned(record: &Record, confidence: f64) -> Option<Ratio> {
    let limits = record.limits();
    let whole = record.forks.iter().filter(|fork| !fork.short);
    let logs = Logs::mean(whole.filter_map(|fork| Some((fork.number, in_fork(fork, &limits)?))));
    Ratio::from_logs(&logs, confidence).filter(|_| logs.are_enough())
}

fn in_fork(fork: &Fork, limits: &Limits) -> Option<f64> {
    let placed = |sample: &Sample| Some((sample.layout()?, log(sample)?));
    let samples: Vec<(Layout, f64)> = fork.undisturbed(limits).filter_map(|(_, sample)| placed(sample)).collect();
    let mean = |is_aligned: bool| {
        let logs = samples.iter().filter(|(layout, _)| layout.is_aligned() == is_aligned).map(|(_, log)| log);
        let (count, sum) = logs.fold((0.0, 0.0), |(count, sum), log| (count + 1.0, sum + log));
        (count > 0.0).then_some(sum / count)
    };
    Some(mean(false)? - mean(true)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CONFIDENCE;
    use ciphermeter_core::{CellId, Metric};

    /// A fork of ten rounds, two of them unaligned and `slower` times as long.
    fn fork(number: u32, slower: f64) -> Fork {
        let sample = |round: u32| {
            let offset = if round % 5 == 4 { 3 } else { 16 * round as u16 };
            let layout = Layout { stack: 0, offset, nonce: 0, instance: 0 };
            let ns = 100_000.0 * if layout.is_aligned() { 1.0 } else { slower } + f64::from(round * 7 % 5);
            let counts = vec![(Metric::NS, ns as u64), (Metric::LAYOUT, layout.packed())];
            Sample { cell: CellId(0), after: None, turn: 0, iterations: 100, counts, series: Vec::new() }
        };
        Fork { number, short: false, rounds: (0..10).collect(), samples: (0..10).map(sample).collect() }
    }

    fn record(forks: Vec<Fork>) -> Record {
        Record {
            id: CellId(0),
            cell: ciphermeter_core::Cell {
                provider: "p".into(),
                algorithm: ciphermeter_core::Algorithm::Aes256Gcm,
                operation: ciphermeter_core::Operation::Seal,
                form: ciphermeter_core::Form::InPlace,
                parameters: ciphermeter_core::Parameters::message_cell(64, 0, 1),
            },
            provenance: None,
            outcome: ciphermeter_core::Outcome::Measured,
            forks,
            summary: None,
            latency: Vec::new(),
            memory: Vec::new(),
        }
    }

    #[test]
    fn a_cost_of_unaligned_texts_is_found_over_forks() {
        let ratio = unaligned(&record((0..8).map(|number| fork(number, 1.05)).collect()), CONFIDENCE).unwrap();
        let (low, high) = ratio.range().unwrap();
        assert!(low > 1.049 && high < 1.051, "{ratio:?}");
        assert!(
            unaligned(&record((0..5).map(|number| fork(number, 1.05)).collect()), CONFIDENCE).is_none(),
            "too few forks"
        );
        let mut fixed = record((0..8).map(|number| fork(number, 1.05)).collect());
        fixed.forks.iter_mut().flat_map(|fork| &mut fork.samples).for_each(|sample| sample.counts.truncate(1));
        assert!(unaligned(&fixed, CONFIDENCE).is_none(), "nothing moved");
    }

    /// Interruptions prolong a third of the samples, wherever the texts lie.
    #[test]
    fn skewed_noise_is_no_cost_of_unaligned_texts() {
        let mut state = 7_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % 100
        };
        let mut noisy: Vec<Fork> = (0..400).map(|number| fork(number, 1.0)).collect();
        for sample in noisy.iter_mut().flat_map(|fork| &mut fork.samples) {
            let by = if random() < 33 { 1000 + 100 * random() } else { 10 * random() };
            sample.counts[0].1 += by;
        }
        let ratio = unaligned(&record(noisy), CONFIDENCE).unwrap();
        assert!((ratio.mid - 1.0).abs() < 0.003, "{ratio:?}");
    }
}
