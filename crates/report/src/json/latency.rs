//! The percentiles of single calls, or why one is not given.

use ciphermeter_core::Record;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::figure::Figure;
use ciphermeter_answer::latency;

pub(super) struct Percentiles(latency::Percentiles);

impl Percentiles {
    pub(super) fn of(record: &Record) -> Option<Self> {
        latency::Percentiles::of(record).map(Self)
    }
}

impl Serialize for Percentiles {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("calls", &self.0.calls)?;
        map.serialize_entry("clock_ns", &self.0.clock_ns)?;
        for (percentile, figure) in &self.0.at {
            match figure {
                Ok(figure) => map.serialize_entry(percentile.name(), &Figure::from(*figure))?,
                Err(why) => map.serialize_entry(percentile.name(), &Refused { refused: why.to_string() })?,
            }
        }
        map.end()
    }
}

impl From<latency::Figure> for Figure {
    fn from(latency::Figure { ns, range }: latency::Figure) -> Self {
        Self { mid: ns as f64, low: range.map(|(low, _)| low), high: range.map(|(_, high)| high) }
    }
}

#[derive(Serialize)]
struct Refused {
    refused: String,
}
