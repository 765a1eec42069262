//! How far a sustained load fell: the rate of its steps before its first fall ÷ that after its last.

use ciphermeter_core::{Cell, Metric, Record, Sample};
use ciphermeter_stats::{LEAST_STEPS, falls, quantile};

use crate::ratio::Ratio;

/// The rate of a step: 10⁶ bytes a second, or a thousand calls where a call has no message; `None` where it took no time.
pub fn step_rate(cell: &Cell, step: &Sample) -> Option<f64> {
    let ns = step.count(Metric::NS).filter(|ns| *ns > 0)? as f64;
    let calls = step.iterations.saturating_mul(cell.messages_at_once()) as f64;
    Some(step.count(Metric::BYTES).map_or(calls * 1e6, |bytes| bytes as f64 * 1e3) / ns)
}

/// Where the rates of a course fall for good; none of a course that keeps its level, or has too few steps to tell.
pub fn falls_of(rates: &[f64]) -> Vec<usize> {
    falls(&rates.iter().map(|rate| (rate * 1e6) as u64).collect::<Vec<_>>())
}

/// Rate before the first fall ÷ rate after the last, with what single steps allow: the 5 % and 95 % quantiles of both. Of a course that
/// keeps its level, its own rates on both sides. `None` of a course with fewer steps than a fall takes to be seen.
pub fn decline(record: &Record) -> Option<Ratio> {
    let steps = record.forks.iter().flat_map(|fork| &fork.samples);
    let rates: Vec<f64> = steps.filter_map(|step| step_rate(&record.cell, step)).collect();
    if rates.len() < LEAST_STEPS {
        return None;
    }
    let places = falls_of(&rates);
    let (before, after) = match (places.first(), places.last()) {
        (Some(first), Some(last)) => (&rates[..*first], &rates[*last..]),
        _ => (&rates[..], &rates[..]),
    };
    let at = |rates: &[f64], q| quantile(&mut rates.to_vec(), q).filter(|rate| *rate > 0.0);
    let range = (at(before, 0.05)? / at(after, 0.95)?, at(before, 0.95)? / at(after, 0.05)?);
    Some(Ratio::new(at(before, 0.5)? / at(after, 0.5)?, Some(range)))
}

#[cfg(test)]
mod tests {
    use ciphermeter_core::{Algorithm, CellId, Fork, Form, Operation, Outcome, Parameters};

    use super::*;

    /// Steps of a second with so many megabytes each.
    fn sustained(megabytes: impl IntoIterator<Item = u64>) -> Record {
        let step = |megabytes: u64| {
            let counts = vec![(Metric::NS, 1_000_000_000), (Metric::BYTES, megabytes * 1_000_000)];
            Sample { cell: CellId(0), after: None, turn: 0, iterations: 1, counts, series: Vec::new() }
        };
        let cell = Cell {
            provider: "ciphermeter".into(),
            algorithm: Algorithm::Aes256Gcm,
            operation: Operation::Transfer,
            form: Form::Discard,
            parameters: Parameters::message_cell(1 << 20, 0, 1),
        };
        let samples: Vec<Sample> = megabytes.into_iter().map(step).collect();
        let fork = Fork { rounds: (0..samples.len() as u32).collect(), samples, ..Fork::default() };
        let outcome = Outcome::Measured;
        let (latency, memory) = (Vec::new(), Vec::new());
        Record { id: CellId(0), cell, provenance: None, outcome, forks: vec![fork], summary: None, latency, memory }
    }

    #[test]
    fn planted_fall_is_found_with_its_size() {
        let noise = |step: u64| (step * 7) % 5;
        let fell = sustained((0..120).map(|step| if step < 60 { 1000 + noise(step) } else { 400 + noise(step) }));
        let ratio = decline(&fell).unwrap();
        assert!((ratio.mid - 2.5).abs() < 0.02 && ratio.range().unwrap().0 > 2.4, "{ratio:?}");
        let steady = decline(&sustained((0..120).map(|step| 1000 + noise(step)))).unwrap();
        assert!((steady.mid - 1.0).abs() < 0.01 && steady.range().unwrap().1 < 1.02, "{steady:?}");
        assert_eq!(decline(&sustained([1000; 5])), None);
    }
}
