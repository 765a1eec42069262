//! What a figure of devices draws: of each cipher the cheapest provider's cost by size.

use std::collections::BTreeMap;

use ciphermeter_core::{Algorithm, Operation, Record};

use ciphermeter_answer::devices::{Cost, DeviceAnswer, DevicesAnswer, Unit};

/// A device's lines.
pub(crate) struct Drawn<'a> {
    pub(crate) name: String,
    pub(crate) unit: Unit,
    pub(crate) operation: Operation,
    /// By cipher: bytes of message, the record, and what it costs; smallest first.
    pub(crate) ciphers: BTreeMap<Algorithm, Vec<(u64, &'a Record, Cost)>>,
}

/// The devices of which anything was measured, in the order of their numbers.
pub(crate) fn drawn(records: &[Record]) -> Vec<Drawn<'_>> {
    let answer = DevicesAnswer::of(records);
    answer.iter().flat_map(|answer| &answer.devices).filter_map(|device| of(device, records)).collect()
}

fn of<'a>(device: &DeviceAnswer, records: &'a [Record]) -> Option<Drawn<'a>> {
    let operation = device.choices.first()?.offers.first()?.operation;
    let mut ciphers = BTreeMap::<Algorithm, Vec<(u64, &'a Record, Cost)>>::new();
    for choice in &device.choices {
        for offer in choice.ciphers() {
            let line = ciphers.entry(offer.algorithm).or_default();
            let record = records.iter().find(|record| record.id == offer.cell)?;
            // Of several sizes of aad the first.
            if line.last().is_none_or(|(message, ..)| *message < choice.point.message) {
                line.push((choice.point.message, record, offer.cost));
            }
        }
    }
    Some(Drawn { name: device.name.clone(), unit: device.unit, operation, ciphers })
}
