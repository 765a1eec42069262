//! What forks of a run must agree in.

use std::collections::BTreeMap;

use ciphermeter_core::Record;

use crate::error::Wrong;

/// The forks of a record under `name` ascend, each once.
pub(crate) fn ascend(name: &str, forks: impl IntoIterator<Item = u32>) -> Result<(), Wrong> {
    let mut before = None;
    for (place, fork) in forks.into_iter().enumerate() {
        if before >= Some(fork) {
            return Err(Wrong::new(format!("{name}[{place}].fork"), "is not above the fork before it"));
        }
        before = Some(fork);
    }
    Ok(())
}

/// A fork is cut off in all records or in none: `cut_off` has what those before say of each.
pub(crate) fn agree(record: &Record, cut_off: &mut BTreeMap<u32, bool>) -> Result<(), Wrong> {
    let samples = record.forks.iter().map(|fork| (fork.number, fork.short)).enumerate();
    let latency = record.latency.iter().map(|calls| (calls.fork, calls.short)).enumerate();
    let both = samples.map(|at| ("samples", at)).chain(latency.map(|at| ("latency", at)));
    for (name, (place, (fork, short))) in both {
        if *cut_off.entry(fork).or_insert(short) != short {
            let what = format!("is {short}, and is not where fork {fork} stands before");
            return Err(Wrong::new(format!("{name}[{place}].short"), what));
        }
    }
    Ok(())
}
