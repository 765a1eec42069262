//! The percentiles of single calls, or why one is not given.

use std::collections::BTreeMap;

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
            let name = percentile.name();
            match figure {
                Ok(figure) => map.serialize_entry(name, &Figure::new(figure.ns as f64, figure.range))?,
                Err(why) => map.serialize_entry(name, &BTreeMap::from([("refused", why.to_string())]))?,
            }
        }
        map.end()
    }
}
