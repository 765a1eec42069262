//! What is measured in one go: some cells, side by side, under the same conditions.

use std::collections::BTreeSet;

use ciphermeter_core::CellId;

use crate::Affinity;

/// Some cells that are measured side by side, and under which conditions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Part {
    /// The cells, whether they are still in or not.
    pub cells: BTreeSet<CellId>,
    /// Where workers run.
    pub affinity: Affinity,
    /// Whether stack, buffers and keys move from round to round.
    pub layouts: bool,
    /// Whether the contention probe runs between samples.
    pub probed: bool,
    /// Whether cells are released before their processes end. A process that is told to end has half a second for that; removing
    /// gigabytes of files may take longer.
    pub released: bool,
}
