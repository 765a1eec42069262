//! What several threads gain over one of the same provider, on the same CPUs and in the same rounds.

use ciphermeter_core::Record;

use crate::measured::measured;
use ciphermeter_estimate::{self as estimate, Ratio};

/// What a cell of several threads came to beside its provider's cell of one.
pub struct Gain {
    /// How many times as many calls a second.
    pub speed_up: Ratio,
    /// What a thread still does of what it does alone, as a fraction.
    pub efficiency: Ratio,
}

/// `None` for one thread, and where the cell of one thread was not measured.
pub fn gain(record: &Record, records: &[Record]) -> Option<Gain> {
    let cell = &record.cell;
    let threads = cell.parameters.threads();
    if threads < 2 || cell.parameters.cpus().is_none() {
        return None;
    }
    let one = cell.with_one_thread();
    let one = records.iter().find(|other| other.cell == one && measured(other).is_some())?;
    let slower = estimate::ratio(record, one).filter(|ratio| ratio.mid.is_normal() && ratio.mid > 0.0)?;
    // Threads that share one message do no more of them at once.
    let at_once = cell.messages_at_once() as f64;
    let speed_up = slower.inverse().times(at_once);
    Some(Gain { speed_up, efficiency: speed_up.times(1.0 / threads as f64) })
}
