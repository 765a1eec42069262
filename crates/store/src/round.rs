//! The samples of one round as one line of JSON text, an array for each property:
//! `{"cell":[4,7],"after":[null,4],"turn":[0,1],"iterations":[40,40],"ns":[31234,29870],"cpu_ns":[31190,null]}`.
//!
//! A metric that no sample of the round has is omitted; null means that a single sample lacks it. A stored round may
//! contain anything, so every length and number is checked. Series of transfers are stored beside it, in rows of their
//! own.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{CellId, MAX_INTEGER, Metric, Sample};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// The stored form of a round's samples.
pub(crate) struct Text<'a>(pub &'a [Sample]);

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let samples = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("cell", &samples.iter().map(|sample| sample.cell).collect::<Vec<_>>())?;
        map.serialize_entry("after", &samples.iter().map(|sample| sample.after).collect::<Vec<_>>())?;
        map.serialize_entry("turn", &samples.iter().map(|sample| sample.turn).collect::<Vec<_>>())?;
        map.serialize_entry("iterations", &samples.iter().map(|sample| sample.iterations).collect::<Vec<_>>())?;
        let counted: BTreeSet<Metric> =
            samples.iter().flat_map(|sample| &sample.counts).map(|(metric, _)| *metric).collect();
        let known = Metric::ALL.iter().filter(|metric| counted.contains(metric));
        for metric in known.chain(counted.iter().filter(|metric| !metric.is_known())) {
            let counts: Vec<_> = samples.iter().map(|sample| sample.count(*metric)).collect();
            map.serialize_entry(metric.name(), &counts)?;
        }
        map.end()
    }
}

/// Reads a round of a run that has `cells` cells and counts these metrics.
///
/// # Errors
/// What is wrong with the text, in a few words.
pub(crate) fn from_text(text: &str, cells: usize, metrics: &[Metric]) -> Result<Vec<Sample>, String> {
    let mut columns: BTreeMap<String, Vec<Option<u64>>> =
        serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut column = |name: &str| columns.remove(name);
    let mut needed = |name: &str| column(name).ok_or_else(|| format!("`{name}` is missing"));
    let (cell, after, turn, iterations) = (needed("cell")?, needed("after")?, needed("turn")?, needed("iterations")?);
    let metrics: Vec<_> = metrics.iter().filter_map(|metric| Some((*metric, column(metric.name())?))).collect();
    let all = [&after, &turn, &iterations].into_iter().chain(metrics.iter().map(|(_, counts)| counts));
    if all.into_iter().any(|column| column.len() != cell.len()) {
        return Err("its arrays differ in length".into());
    }
    let known = |number: u64| match u32::try_from(number) {
        Ok(id) if (id as usize) < cells => Ok(CellId(id)),
        _ => Err(format!("there is no cell {number}")),
    };
    let sample = |k: usize| {
        let counts: Vec<_> = metrics.iter().filter_map(|(metric, counts)| Some((*metric, counts[k]?))).collect();
        if counts.iter().any(|(_, count)| *count > MAX_INTEGER) {
            return Err("a count above 2^53-1".to_string());
        }
        Ok(Sample {
            cell: known(cell[k].ok_or("a sample of no cell")?)?,
            after: after[k].map(known).transpose()?,
            turn: turn[k].and_then(|turn| turn.try_into().ok()).ok_or("an invalid turn")?,
            iterations: iterations[k].filter(|n| (1..=MAX_INTEGER).contains(n)).ok_or("invalid iterations")?,
            counts,
            series: Vec::new(),
        })
    };
    (0..cell.len()).map(sample).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn to_text(samples: &[Sample]) -> String {
        serde_json::to_string(&Text(samples)).unwrap()
    }

    fn samples() -> impl Strategy<Value = Vec<Sample>> {
        let count = || proptest::option::of(0..=MAX_INTEGER);
        let sample = (
            0..9u32,
            proptest::option::of(0..9u32),
            0..99u32,
            1..=MAX_INTEGER,
            proptest::collection::vec(count(), Metric::ALL.len()),
        )
            .prop_map(|(cell, after, turn, iterations, counts)| Sample {
                cell: CellId(cell),
                after: after.map(CellId),
                turn,
                iterations,
                counts: Metric::ALL.iter().zip(counts).filter_map(|(metric, n)| Some((*metric, n?))).collect(),
                series: Vec::new(),
            });
        proptest::collection::vec(sample, 0..20)
    }

    proptest! {
        #[test]
        fn a_round_reads_back_as_written(samples in samples()) {
            prop_assert_eq!(from_text(&to_text(&samples), 9, Metric::ALL), Ok(samples));
        }

        #[test]
        fn no_text_panics(text in ".{0,200}", cut in 0..200usize, samples in samples()) {
            let _ = from_text(&text, 9, Metric::ALL);
            let whole = to_text(&samples);
            let _ = from_text(&whole[..cut.min(whole.len())], 9, Metric::ALL);
        }
    }

    #[test]
    fn stored_round_is_readable() {
        let sample = |cell, after, cpu: Option<u64>| Sample {
            cell: CellId(cell),
            after,
            turn: cell - 4,
            iterations: 40,
            counts: [(Metric::NS, 31234)].into_iter().chain(cpu.map(|ns| (Metric::CPU_NS, ns))).collect(),
            series: Vec::new(),
        };
        let text = to_text(&[sample(4, None, Some(31190)), sample(7, Some(CellId(4)), None)]);
        assert_eq!(
            text,
            r#"{"cell":[4,7],"after":[null,4],"turn":[0,3],"iterations":[40,40],"ns":[31234,31234],"cpu_ns":[31190,null]}"#
        );
    }

    #[test]
    fn impossible_text_is_refused() {
        for (text, why) in [
            ("{}", "is missing"),
            (r#"{"cell":[1],"after":[null,1],"turn":[0],"iterations":[1]}"#, "differ in length"),
            (r#"{"cell":[9],"after":[null],"turn":[0],"iterations":[1]}"#, "there is no cell 9"),
            (r#"{"cell":[1],"after":[4294967297],"turn":[0],"iterations":[1]}"#, "there is no cell 4294967297"),
            (r#"{"cell":[1],"after":[null],"turn":[0],"iterations":[0]}"#, "invalid iterations"),
            (r#"{"cell":[1],"after":[null],"turn":[0],"iterations":[1],"ns":[9007199254740992]}"#, "a count above"),
            (r#"{"cell":[-1],"after":[null],"turn":[0],"iterations":[1]}"#, "invalid value"),
            (r#"{"cell":[1],"after":[null],"turn":[4294967296],"iterations":[1]}"#, "an invalid turn"),
            ("[[[[", "expected a map"),
        ] {
            let error = from_text(text, 9, Metric::ALL).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
