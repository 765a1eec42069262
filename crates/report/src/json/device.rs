//! The device of a record, what a call counts there, and what it takes footprint, in JSON.

use ciphermeter_core::{CodeIn, Counts, Record};
use ciphermeter_estimate::counted;
use serde::Serialize;

use super::figure::Figure;
use crate::device::{counts, is_on_device};
use ciphermeter_answer::devices::Footprint;

/// Null where the device does not say, or nothing meters it.
#[derive(Serialize)]
pub(super) struct Device<'a> {
    name: Option<&'a str>,
    board: Option<&'a str>,
    counts: Option<Counts>,
    emulated: Option<bool>,
    clock_hz: Option<u64>,
    code_in: Option<CodeIn>,
    count_per_call: Option<Figure>,
    stack_bytes: Option<u64>,
    state_bytes: Option<u64>,
    code_bytes: Option<u64>,
    charge_uc_per_call: Option<f64>,
    energy_uj_per_call: Option<f64>,
    active_ma: Option<f64>,
    idle_ma: Option<f64>,
}

impl<'a> Device<'a> {
    /// `None` for what was measured on this machine.
    pub(super) fn of(record: &'a Record) -> Option<Self> {
        let facts = record.provenance.as_ref().and_then(|from| from.device.as_ref());
        let counted = counts(record).and_then(|counts| counted(record, counts.metric()));
        let footprint = Footprint::of(record);
        is_on_device(record).then(|| Self {
            name: facts.map(|facts| facts.name.as_str()).or(record.cell.device()),
            board: facts.map(|facts| facts.board.as_str()),
            counts: facts.and_then(|facts| facts.counts),
            emulated: facts.map(|facts| facts.emulated),
            clock_hz: facts.and_then(|facts| facts.clock_hz),
            code_in: facts.and_then(|facts| facts.code_in),
            count_per_call: counted.map(|counted| Figure {
                mid: counted.mid,
                low: Some(counted.low),
                high: Some(counted.high),
            }),
            stack_bytes: footprint.stack,
            state_bytes: footprint.state,
            code_bytes: footprint.code,
            charge_uc_per_call: footprint.charge,
            energy_uj_per_call: footprint.energy,
            active_ma: footprint.active,
            idle_ma: footprint.idle,
        })
    }
}
