//! Single calls, as a histogram.

use std::collections::BTreeMap;

use serde::ser::{Serialize, SerializeStruct, Serializer};

/// Calls by their length in nanoseconds.
///
/// Lengths below 1024 ns are stored exactly, longer ones to ten binary digits. The error is below 0.1 %, and a
/// histogram stays small however many calls it has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram(BTreeMap<u64, u64>);

/// Binary digits of a length that are stored.
const DIGITS: u32 = 10;

impl Histogram {
    /// Counts a call of `ns` nanoseconds.
    pub fn add(&mut self, ns: u64) {
        self.add_many(ns, 1);
    }

    /// Counts `calls` calls of `ns` nanoseconds each.
    pub fn add_many(&mut self, ns: u64, calls: u64) {
        let entry = self.0.entry(kept(ns)).or_default();
        *entry = entry.saturating_add(calls);
    }

    /// Counts all calls of another histogram.
    pub fn merge(&mut self, other: &Self) {
        other.iter().for_each(|(ns, calls)| self.add_many(ns, calls));
    }

    /// Lengths in nanoseconds, ascending, each with its calls.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.0.iter().map(|(ns, calls)| (*ns, *calls))
    }

    /// How many calls.
    pub fn calls(&self) -> u64 {
        self.0.values().fold(0, |sum, calls| sum.saturating_add(*calls))
    }
}

impl Serialize for Histogram {
    /// `{"ns", "calls"}`: lengths in nanoseconds, ascending, and the calls of each.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (ns, calls): (Vec<u64>, Vec<u64>) = self.iter().unzip();
        let mut histogram = serializer.serialize_struct("Histogram", 2)?;
        histogram.serialize_field("ns", &ns)?;
        histogram.serialize_field("calls", &calls)?;
        histogram.end()
    }
}

/// The middle of the lengths that are stored as one.
fn kept(ns: u64) -> u64 {
    match (u64::BITS - ns.leading_zeros()).saturating_sub(DIGITS) {
        0 => ns,
        cut => ((ns >> cut) << cut) + (1 << (cut - 1)),
    }
}

/// The single calls of one cell in one fork.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Latency {
    /// The fork's number.
    pub fork: u32,
    /// Whether the fork was cut off: percentiles exclude it.
    pub short: bool,
    /// What one reading of the worker's clock cost, in nanoseconds; it is not subtracted.
    pub clock_ns: u64,
    /// The calls.
    #[serde(flatten)]
    pub calls: Histogram,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lengths_are_kept_within_a_thousandth(ns in 0..1u64 << 53) {
            let kept = kept(ns);
            prop_assert!(kept.abs_diff(ns) * 1000 <= ns, "{ns} became {kept}");
            prop_assert_eq!(super::kept(kept), kept, "what was read back is counted as it was");
        }
    }

    #[test]
    fn calls_add_up() {
        let mut histogram = Histogram::default();
        [7, 9, 7, 5000].into_iter().for_each(|ns| histogram.add(ns));
        let mut twice = histogram.clone();
        twice.merge(&histogram);
        assert_eq!(twice.iter().collect::<Vec<_>>(), [(7, 4), (9, 2), (5004, 2)]);
        assert_eq!(twice.calls(), 8);
    }
}
