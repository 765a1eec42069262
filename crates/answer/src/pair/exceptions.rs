//! Under which other conditions the answer is another one. It is about one key, an undisturbed core, and what most calls take; the same run
//! knows some of what changes with each of these.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Operation, Record};
use ciphermeter_estimate::{Comparison, Logs, MixPart, Ratio, Side, Thresholds, disturbed_logs, mean_logs, mixed};
use serde::Serialize;

use super::collect::{Both, LibraryPairs};
use crate::point::Point;
use crate::words::reach;

/// Another condition than that of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    /// Each message has a key of its own.
    NewKey,
    /// Other work runs on the core.
    Contended,
    /// Mean times count, in which rare slow calls weigh.
    Mean,
}

/// Where the other cipher is the faster one.
#[derive(Debug, Clone, Serialize)]
pub struct Exception {
    pub condition: Condition,
    pub faster: Side,
    pub providers: Vec<String>,
    pub at: Vec<Point>,
    /// The least and the most that it is faster by.
    pub ratios: [f64; 2],
}

/// By condition, then by the faster cipher, libraries of which it is so at the same sizes together.
pub(super) fn exceptions(
    libraries_pairs: &[LibraryPairs],
    records: &[Record],
    thresholds: Thresholds,
) -> Vec<Exception> {
    let mut all = Vec::new();
    for condition in [Condition::NewKey, Condition::Contended, Condition::Mean] {
        let logs = |both: &Both| {
            let [first, second] = both.records;
            match condition {
                Condition::NewKey => with_key(records, both),
                Condition::Contended => Some(disturbed_logs(second, first)),
                Condition::Mean => Some(mean_logs(second, first)),
            }
        };
        for faster in [Side::First, Side::Second] {
            let mut alike = BTreeMap::<BTreeSet<Point>, (BTreeSet<String>, Vec<Ratio>)>::new();
            for pairs in libraries_pairs {
                let turned: Vec<(Point, Ratio)> = pairs
                    .rows
                    .iter()
                    .filter(|both| Comparison::of_logs(&both.logs, thresholds).faster() == Some(faster.other()))
                    .filter_map(|both| Some((both.point, Comparison::of_logs(&logs(both)?, thresholds))))
                    .filter(|(_, now)| now.faster() == Some(faster))
                    .filter_map(|(point, now)| Some((point, now.ratio()?)))
                    .collect();
                if turned.is_empty() {
                    continue;
                }
                let at = turned.iter().map(|(point, _)| *point).collect();
                let (providers, ratios) = alike.entry(at).or_default();
                providers.insert(pairs.name());
                ratios.extend(turned.into_iter().map(|(_, ratio)| ratio));
            }
            all.extend(alike.into_iter().map(|(at, (providers, ratios))| Exception {
                condition,
                faster,
                providers: providers.into_iter().collect(),
                at: at.into_iter().collect(),
                ratios: reach(ratios).into(),
            }));
        }
    }
    all
}

/// ln(time of the second ÷ time of the first) for a call and the set-up of its key; `None` where nothing was measured of that, as in a
/// library whose every call sets the key up.
fn with_key(records: &[Record], both: &Both) -> Option<Logs> {
    let set_up = |call: &Record| {
        let is_its = |record: &&Record| {
            let cell = &record.cell;
            cell.operation == Operation::KeySetup
                && cell.algorithm == call.cell.algorithm
                && cell.provider == call.cell.provider
                && cell.parameters.cpus().is_none()
        };
        records.iter().find(is_its)
    };
    let [first, second] = both.records;
    let key = MixPart::of(set_up(second)?, set_up(first)?);
    let call = MixPart::of(second, first);
    Some(mixed(&[&call, &key], Some(&[1.0, 1.0])))
}
