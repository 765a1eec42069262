//! One cell of those that were measured side by side.

use ciphermeter_core::{Cell, CellId, Fork};

/// A cell and what was measured of it.
#[derive(Debug, Clone, Copy)]
pub struct Measured<'a> {
    /// Its number.
    pub id: CellId,
    /// What it is.
    pub cell: &'a Cell,
    /// Its samples.
    pub forks: &'a [Fork],
    /// Whether a page in a browser measured it.
    pub is_of_page: bool,
    /// Whether it is still measured, rather than given up.
    pub is_in: bool,
}
