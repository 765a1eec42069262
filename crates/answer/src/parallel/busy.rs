//! How much of the CPUs' time went to other programs while messages were encrypted. The contention probe looks at one core, so here the
//! threads' own CPU time tells.

use ciphermeter_core::{Form, Metric, Record, Sample};

/// A share, 0 for none; `None` where no sample has its CPU time.
///
/// Of ways in which every thread has work until the end: chunks, which whoever is free takes, or one thread. Slices of equal length end
/// at different times on cores of different speed, so that waiting for the last one is no sign of other programs.
pub fn taken_by_others(records: &[Record]) -> Option<f64> {
    let chunked = share(records, |record| record.cell.form == Form::Dynamic);
    let alone = || share(records, |record| record.cell.form == Form::Static && record.cell.parameters.threads() == 1);
    chunked.or_else(alone)
}

fn share(records: &[Record], test: fn(&Record) -> bool) -> Option<f64> {
    let (mut used, mut had) = (0.0, 0.0);
    for record in records.iter().filter(|record| test(record)) {
        let threads = record.cell.parameters.threads() as f64;
        for sample in record.forks.iter().flat_map(|fork| &fork.samples) {
            if let Some((cpu, ns)) = times(sample) {
                used += cpu as f64;
                had += ns as f64 * threads;
            }
        }
    }
    (used > 0.0).then(|| (1.0 - used / had).max(0.0))
}

fn times(sample: &Sample) -> Option<(u64, u64)> {
    sample.count(Metric::CPU_NS).map(|cpu| (cpu, sample.ns())).filter(|(cpu, ns)| *cpu > 0 && *ns > 0)
}
