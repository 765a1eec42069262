//! From times to rates.

use ciphermeter_core::{Cell, Operation, SampleRange};

/// Throughput of a cell whose iterations took `range` nanoseconds, in GB/s (10⁹ bytes a second, all threads together).
/// `None` where there are no message bytes to speak of: empty messages and key set-up.
pub fn gb_per_s(cell: &Cell, range: SampleRange) -> Option<SampleRange> {
    let bytes = cell.parameters.message().saturating_mul(cell.messages_at_once());
    let counts = bytes > 0 && cell.operation != Operation::KeySetup && range.low > 0.0;
    // Bytes a nanosecond are GB/s. The longest time is the lowest rate.
    let rate = |ns: f64| bytes as f64 / ns;
    counts.then(|| SampleRange { low: rate(range.high), mid: rate(range.mid), high: rate(range.low) })
}
