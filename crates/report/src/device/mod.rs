//! Figures of devices: what a call costs on a board or an emulated core, in what its device counts, and what it takes besides.
//!
//! A device has one unit: time, or a count that is never turned into time. No figure mixes two devices.

mod block;
mod ranking;

pub(crate) use block::device_blocks;
pub(crate) use ciphermeter_answer::devices::{boards, cost, counts};
pub(crate) use ranking::ranking_blocks;

use ciphermeter_core::Record;

/// Whether a record belongs to a device rather than to this machine.
pub(crate) fn is_on_device(record: &Record) -> bool {
    record.cell.parameters.device().is_some()
}

/// The records of this machine; as they are where a run has no device.
pub(crate) fn of_this_machine(records: &[Record]) -> std::borrow::Cow<'_, [Record]> {
    match records.iter().any(is_on_device) {
        true => records.iter().filter(|record| !is_on_device(record)).cloned().collect::<Vec<_>>().into(),
        false => records.into(),
    }
}
