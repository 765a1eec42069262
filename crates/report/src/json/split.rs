//! What a way of encrypting a long message reaches, and what it takes, in JSON.

use ciphermeter_core::{Record, Run};
use serde::Serialize;

use super::figure::Figure;
use ciphermeter_answer::parallel::{Bound, Energy, is_way};
use ciphermeter_answer::rate::rate;

/// Null where it is not known.
#[derive(Serialize)]
pub(super) struct Split {
    limit: Option<&'static str>,
    limit_share: Option<f64>,
    j_per_gb: Option<Figure>,
    net_j_per_gb: Option<f64>,
}

impl Split {
    /// `None` for what is no such way, and for one that was not measured.
    pub(super) fn of(run: &Run, record: &Record, records: &[Record]) -> Option<Self> {
        let rate = rate(record).filter(|_| is_way(record))?;
        let (bound, energy) = (Bound::of(run, record, records), Energy::of(run, record, rate));
        Some(Self {
            limit: bound.map(|bound| bound.what),
            limit_share: bound.map(|bound| bound.share),
            j_per_gb: energy.as_ref().map(|energy| Figure::new(energy.joules, energy.range)),
            net_j_per_gb: energy.as_ref().and_then(|energy| energy.above_idle),
        })
    }
}
