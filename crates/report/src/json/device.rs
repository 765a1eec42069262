//! The device of a record, what a call counts there, and its footprint, in JSON.

use ciphermeter_core::Record;
use ciphermeter_estimate::counted;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::figure::Figure;
use ciphermeter_answer::devices::{Footprint, counts};

/// Null where the device does not say, or nothing meters it.
pub(super) struct Device<'a>(pub(super) &'a Record);

impl Serialize for Device<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let facts = self.0.provenance.as_ref().and_then(|from| from.device.as_ref());
        let counted = counts(self.0).and_then(|counts| counted(self.0, counts.metric()));
        let counted = counted.map(|counted| Figure::new(counted.mid, Some((counted.low, counted.high))));
        let footprint = Footprint::of(self.0);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &facts.map(|facts| facts.name.as_str()).or(self.0.cell.device()))?;
        map.serialize_entry("board", &facts.map(|facts| &facts.board))?;
        map.serialize_entry("counts", &facts.and_then(|facts| facts.counts))?;
        map.serialize_entry("emulated", &facts.map(|facts| facts.emulated))?;
        map.serialize_entry("clock_hz", &facts.and_then(|facts| facts.clock_hz))?;
        map.serialize_entry("code_in", &facts.and_then(|facts| facts.code_in))?;
        map.serialize_entry("count_per_call", &counted)?;
        map.serialize_entry("stack_bytes", &footprint.stack)?;
        map.serialize_entry("state_bytes", &footprint.state)?;
        map.serialize_entry("code_bytes", &footprint.code)?;
        map.serialize_entry("charge_uc_per_call", &footprint.charge)?;
        map.serialize_entry("energy_uj_per_call", &footprint.energy)?;
        map.serialize_entry("active_ma", &footprint.active)?;
        map.serialize_entry("idle_ma", &footprint.idle)?;
        map.end()
    }
}
