//! The summary of a record's samples. Rates are computed from it, so they are not read.

use std::collections::BTreeMap;

use ciphermeter_core::{CellId, Interval, SampleRange, Summary};
use serde::Deserialize;

use crate::error::Wrong;
use crate::objects::Named;
use crate::values::{Integer, Number, Text};

#[derive(Deserialize)]
pub(crate) struct Summed {
    reference: Number,
    ratio: Option<Interval>,
    range: SampleRange,
    converged: bool,
    forks: Number,
    rounds: Number,
    undisturbed_limit: Option<Integer>,
    undisturbed_limits: Named<Integer>,
    correlation: f64,
    warnings: Vec<Text>,
}

impl Summed {
    /// The summary in a run that has `cells` cells.
    pub(crate) fn summary(self, cells: usize) -> Result<Summary, Wrong> {
        if self.reference.get() >= cells as u64 {
            return Err(Wrong::new("reference", format!("is the `id` of none of the {cells} records")));
        }
        let ratio = self.ratio.map(|ratio| [ratio.low, ratio.mid, ratio.high]);
        let range = [self.range.low, self.range.mid, self.range.high];
        for (name, numbers) in [("ratio", ratio), ("range", Some(range))] {
            if numbers.is_some_and(|numbers| numbers[0] <= 0.0) {
                return Err(Wrong::new(name, "does not begin above 0"));
            }
            if numbers.is_some_and(|numbers| !numbers.is_sorted()) {
                return Err(Wrong::new(name, "does not ascend from low over mid to high"));
            }
        }
        // Intervals are wider by it, without bounds where it is 1.
        if !(0.0..1.0).contains(&self.correlation) {
            return Err(Wrong::new("correlation", "is not from 0 to below 1"));
        }
        Ok(Summary {
            reference: CellId(self.reference.number()),
            ratio: self.ratio,
            range: self.range,
            converged: self.converged,
            undisturbed_limit: self.undisturbed_limit.map(Integer::get),
            undisturbed_limits: limits(self.undisturbed_limits)?,
            correlation: self.correlation,
            forks: self.forks.number(),
            rounds: self.rounds.number(),
            warnings: self.warnings.into_iter().map(|Text(warning)| warning).collect(),
        })
    }
}

/// Limits by the numbers of their forks, which are names in JSON.
fn limits(named: Named<Integer>) -> Result<BTreeMap<u32, u64>, Wrong> {
    let mut limits = BTreeMap::new();
    for (name, limit) in named.0 {
        let fork: u32 = name
            .parse()
            .map_err(|_| Wrong::new("undisturbed_limits", format!("has {name}, which is no number of a fork")))?;
        if limits.insert(fork, limit.get()).is_some() {
            return Err(Wrong::new("undisturbed_limits", format!("has fork {fork} twice")));
        }
    }
    Ok(limits)
}
