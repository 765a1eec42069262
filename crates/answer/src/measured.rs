//! Which records count.

use std::borrow::Cow;
use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, Outcome, Record, Setup, Summary};
use ciphermeter_stats::LEAST_FORKS;

/// Whether the cell ran on this machine. What ran on a device is never compared with that, nor with another device.
pub fn is_here(record: &Record) -> bool {
    record.cell.parameters.device().is_none()
}

/// The records of this machine; as they are where a run has no device.
pub fn here(records: &[Record]) -> Cow<'_, [Record]> {
    match records.iter().all(is_here) {
        true => records.into(),
        false => records.iter().filter(|record| is_here(record)).cloned().collect::<Vec<_>>().into(),
    }
}

/// The summary of a record that counts.
pub fn measured(record: &Record) -> Option<&Summary> {
    record.summary.as_ref().filter(|_| record.outcome == Outcome::Measured)
}

/// Whether a cell has as many forks as any figure takes.
pub fn has_enough_forks(record: &Record) -> bool {
    measured(record).is_some_and(|summary| summary.forks as usize >= LEAST_FORKS)
}

/// Whether each of its calls sets the key up, because the library cannot separate it.
pub fn sets_key_up_inside(record: &Record) -> bool {
    record.provenance.as_ref().is_some_and(|from| from.setup == Setup::Inside)
}

/// Those of this machine whose output was wrong: the cipher by its library answers nothing then, at no size.
pub fn wrong_here(records: &[Record]) -> impl Iterator<Item = &Record> {
    records.iter().filter(|record| is_here(record) && matches!(record.outcome, Outcome::WrongOutput { .. }))
}

/// The records that an answer may rest on: of a cipher by a library that gave wrong output anywhere, only those that say so.
pub fn trusted(records: &[Record]) -> Cow<'_, [Record]> {
    let name = |record: &Record| (record.cell.algorithm, record.cell.provider.clone());
    let wrong: BTreeSet<(Algorithm, String)> = wrong_here(records).map(name).collect();
    let may = |record: &&Record| measured(record).is_none() || !is_here(record) || !wrong.contains(&name(record));
    match wrong.is_empty() {
        true => records.into(),
        false => records.iter().filter(may).cloned().collect::<Vec<_>>().into(),
    }
}
