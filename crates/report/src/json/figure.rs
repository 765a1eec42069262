//! An estimate in JSON.

use serde::Serialize;

use ciphermeter_estimate::Ratio;

/// An estimate whose interval may be missing.
#[derive(Serialize)]
pub(super) struct Figure {
    pub(super) mid: f64,
    pub(super) low: Option<f64>,
    pub(super) high: Option<f64>,
}

impl From<Ratio> for Figure {
    fn from(ratio: Ratio) -> Self {
        let (low, high) = ratio.range().unzip();
        Self { mid: ratio.mid, low, high }
    }
}
