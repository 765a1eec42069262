//! An estimate in JSON.

use serde::Serialize;

/// An estimate whose interval may be missing.
#[derive(Serialize)]
pub(super) struct Figure {
    mid: f64,
    low: Option<f64>,
    high: Option<f64>,
}

impl Figure {
    pub(super) fn new(mid: f64, range: Option<(f64, f64)>) -> Self {
        let (low, high) = range.unzip();
        Self { mid, low, high }
    }
}
