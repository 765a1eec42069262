//! From times to rates.

use ciphermeter_core::{Cell, Operation, Record, SampleRange};

use crate::measured::measured;

/// Throughput of a cell whose iterations took `range` nanoseconds, in GB/s (10⁹ bytes a second, all threads together).
/// `None` where there are no message bytes to speak of: empty messages and key set-up.
pub fn gb_per_s(cell: &Cell, range: SampleRange) -> Option<SampleRange> {
    let bytes = cell.parameters.message().saturating_mul(cell.messages_at_once());
    let counts = bytes > 0 && cell.operation != Operation::KeySetup && range.low > 0.0;
    // Bytes a nanosecond are GB/s. The longest time is the lowest rate.
    let rate = |ns: f64| bytes as f64 / ns;
    counts.then(|| SampleRange { low: rate(range.high), mid: rate(range.mid), high: rate(range.low) })
}

/// The median throughput of a record that was measured, in GB/s, of however many forks.
pub fn rate(record: &Record) -> Option<f64> {
    Some(gb_per_s(&record.cell, measured(record)?.range)?.mid)
}
