//! What formats of other benchmarks' tools want of a cell: a name that tells all of it, and one time a whole fork.

use ciphermeter_core::{Cell, Operation, Record};
use ciphermeter_stats::median;

/// `Seal/algorithm=aes-256-gcm/provider=aws-lc/form=in-place/message=16KiB/aad=0-1`: parts as Go's sub-benchmarks have them,
/// behind the last `-` the threads.
pub(crate) fn name(cell: &Cell) -> String {
    let operation = match cell.operation {
        Operation::KeySetup => "KeySetup",
        Operation::Seal => "Seal",
        Operation::Open => "Open",
        Operation::Encrypt => "Encrypt",
        Operation::Decrypt => "Decrypt",
        Operation::Transfer => "Transfer",
    };
    let Cell { algorithm, form, parameters, .. } = cell;
    let (provider, threads) = (escaped(&cell.provider), parameters.threads());
    let message = ciphermeter_core::Bytes(parameters.message());
    let aad = ciphermeter_core::Bytes(parameters.aad());
    let mut name =
        format!("{operation}/algorithm={algorithm}/provider={provider}/form={form}/message={message}/aad={aad}");
    for (parameter, value) in &parameters.0 {
        if !matches!(parameter.as_str(), "message" | "aad" | "threads") {
            name += &format!("/{}={value}", escaped(parameter));
        }
    }
    name + &format!("-{threads}")
}

/// Without what would end the name or one of its parts, and still another text for each other text.
fn escaped(text: &str) -> String {
    let ends = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '/' | '=' | '%');
    let mut bytes = [0; 4];
    let escape = |c: char| match ends(c) {
        true => c.encode_utf8(&mut bytes).bytes().map(|byte| format!("%{byte:02X}")).collect(),
        false => c.to_string(),
    };
    text.chars().map(escape).collect()
}

/// What a cell took in one whole fork.
pub(crate) struct Fork {
    /// Calls of its undisturbed samples, per thread.
    pub(crate) iterations: u64,
    /// The median of its undisturbed samples: nanoseconds for each iteration.
    pub(crate) ns: f64,
}

/// One for each whole fork with undisturbed samples.
pub(crate) fn forks(record: &Record) -> Vec<Fork> {
    let limit = record.summary.as_ref().and_then(|summary| summary.undisturbed_limit);
    let whole = record.forks.iter().filter(|fork| !fork.short);
    let sum_up = |fork: &ciphermeter_core::Fork| {
        let counts = |sample: &&ciphermeter_core::Sample| {
            sample.is_undisturbed(limit) && sample.ns() > 0 && sample.iterations > 0
        };
        let undisturbed: Vec<_> = fork.samples.iter().filter(counts).collect();
        let mut each: Vec<f64> =
            undisturbed.iter().map(|sample| sample.ns() as f64 / sample.iterations as f64).collect();
        let iterations = undisturbed.iter().fold(0, |sum: u64, sample| sum.saturating_add(sample.iterations));
        Some(Fork { iterations, ns: median(&mut each)? })
    };
    whole.filter_map(sum_up).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn names_have_no_blanks_and_stay_apart() {
        let (_, records) = fixtures::run();
        let mut cell = records[0].cell.clone();
        assert_eq!(name(&cell), "Seal/algorithm=aes-256-gcm/provider=aws-lc/form=in-place/message=64/aad=0-1");
        cell.parameters = ciphermeter_core::Parameters::message_cell(16_384, 13, 4).on_cpus(8);
        (cell.operation, cell.provider) = (Operation::KeySetup, "a b/ü%20\n".into());
        let parts = "algorithm=aes-256-gcm/provider=a%20b%2Fü%2520%0A/form=in-place/message=16KiB/aad=13/cpus=8-4";
        assert_eq!(name(&cell), format!("KeySetup/{parts}"));
    }

    #[test]
    fn loud_samples_and_short_forks_are_passed_over() {
        use ciphermeter_core::Metric;
        let (_, mut records) = fixtures::run();
        let record = &mut records[0];
        record.forks[1].short = true;
        record.summary.as_mut().unwrap().undisturbed_limit = Some(100);
        for (k, sample) in record.forks[0].samples.iter_mut().enumerate() {
            (sample.iterations, sample.counts) = (10, vec![(Metric::NS, 1000 * (k as u64 + 1))]);
            sample.counts.push((Metric::PROBE, if k < 3 { 100 } else { 101 }));
        }
        let forks = forks(record);
        assert_eq!((forks.len(), forks[0].iterations, forks[0].ns), (5, 30, 200.0));
    }
}
