//! One log-ratio, and what may have moved it.

use ciphermeter_core::Layout;

/// ln(time of a cell ÷ time of another) in one round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paired {
    /// The logarithm.
    pub log: f64,
    /// Where stack and buffers lay, if they were moved for either of the two: both have the round's.
    pub layout: Option<Layout>,
}
