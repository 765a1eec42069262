//! The samples of one fork: columns in the document, samples in a record.

use std::collections::BTreeMap;
use std::fmt;

use ciphermeter_core::{CellId, Fork, Metric, Sample, Series};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

use crate::error::{Wrong, entries};
use crate::objects::{List, once};
use crate::values::{Integer, Number, Text};

/// A fork as the document has it: entry k of each column is of sample k.
pub(crate) struct Columns {
    fork: Number,
    short: bool,
    round: Vec<Number>,
    turn: Vec<Number>,
    after: Vec<Option<Number>>,
    iterations: Vec<Integer>,
    counts: BTreeMap<String, Vec<Option<Integer>>>,
    series: Vec<(Series, Vec<Option<Entries>>)>,
}

/// What a transfer's series holds.
type Entries = List<Integer, { Series::MOST }>;

impl Columns {
    /// The samples of a cell in a run that has `cells` cells and counts these metrics.
    pub(crate) fn of(self, cell: CellId, cells: usize, metrics: &[Metric]) -> Result<Fork, Wrong> {
        self.check(cells)?;
        let Self { fork, short, round, turn, after, iterations, mut counts, series } = self;
        let places = turn.into_iter().zip(after).zip(iterations);
        let sample = |((turn, after), iterations): ((Number, Option<Number>), Integer)| Sample {
            cell,
            after: after.map(|after| CellId(after.number())),
            turn: turn.number(),
            iterations: iterations.get(),
            counts: Vec::new(),
            series: Vec::new(),
        };
        let mut samples: Vec<Sample> = places.map(sample).collect();
        // In the order in which a store has them.
        for metric in metrics {
            let column = counts.remove(metric.name()).unwrap_or_default();
            for (sample, count) in samples.iter_mut().zip(column) {
                sample.counts.extend(count.map(|count| (*metric, count.get())));
            }
        }
        if let Some((name, _)) = counts.pop_first() {
            return Err(Wrong::new(name, "is a metric that neither this version nor `run.metrics` describes"));
        }
        for (series, column) in series {
            for (sample, entries) in samples.iter_mut().zip(column) {
                sample.series.extend(entries.map(|List(all)| (series, all.into_iter().map(Integer::get).collect())));
            }
        }
        Ok(Fork { number: fork.number(), short, rounds: round.into_iter().map(Number::number).collect(), samples })
    }

    fn check(&self, cells: usize) -> Result<(), Wrong> {
        let rounds = self.round.len();
        if let Some((name, other)) = self.lengths().into_iter().find(|(_, other)| *other != rounds) {
            return Err(Wrong::new(name, format!("has {}, `round` has {rounds}", entries(other))));
        }
        if let Some(place) = self.round.windows(2).position(|pair| pair[0] > pair[1]) {
            return Err(Wrong::new(format!("round[{}]", place + 1), "is below the round before it"));
        }
        let turns: Vec<_> = self.round.iter().zip(&self.turn).collect();
        if let Some(place) = turns.windows(2).position(|pair| pair[0] >= pair[1]) {
            return Err(Wrong::new(format!("turn[{}]", place + 1), "is not above the turn before it, in one round"));
        }
        let is_no_cell = |after: &Option<Number>| after.is_some_and(|after| after.get() >= cells as u64);
        if let Some(place) = self.after.iter().position(is_no_cell) {
            return Err(Wrong::new(format!("after[{place}]"), format!("is the `id` of none of the {cells} records")));
        }
        match self.iterations.iter().position(|iterations| iterations.get() == 0) {
            Some(place) => Err(Wrong::new(format!("iterations[{place}]"), "is 0, and a sample has at least one call")),
            None => Ok(()),
        }
    }

    /// How many entries each other column has.
    fn lengths(&self) -> Vec<(&str, usize)> {
        let places = [("turn", self.turn.len()), ("after", self.after.len()), ("iterations", self.iterations.len())];
        let counts = self.counts.iter().map(|(name, column)| (name.as_str(), column.len()));
        let series = self.series.iter().map(|(series, column)| (series.as_str(), column.len()));
        places.into_iter().chain(counts).chain(series).collect()
    }
}

impl<'de> Deserialize<'de> for Columns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Columns;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of columns")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Columns, A::Error> {
        let (mut fork, mut short, mut round) = (None, None, None);
        let (mut turn, mut after, mut iterations) = (None, None, None);
        let (mut counts, mut series) = (BTreeMap::<String, _>::new(), Vec::<(Series, _)>::new());
        while let Some(Text(name)) = map.next_key()? {
            match name.as_str() {
                "fork" => once(&mut fork, map.next_value()?)?,
                "short" => once(&mut short, map.next_value()?)?,
                "round" => once(&mut round, map.next_value()?)?,
                "turn" => once(&mut turn, map.next_value()?)?,
                "after" => once(&mut after, map.next_value()?)?,
                "iterations" => once(&mut iterations, map.next_value()?)?,
                word if word.starts_with("series_") => {
                    let found: Series = word.parse().map_err(A::Error::custom)?;
                    if series.iter().any(|(other, _)| *other == found) {
                        return Err(A::Error::custom("its name is there twice"));
                    }
                    series.push((found, map.next_value()?));
                }
                _ if counts.contains_key(&name) => {
                    return Err(A::Error::custom("its name is there twice"));
                }
                _ if counts.len() == Metric::MOST => {
                    return Err(A::Error::custom(format!("there are more than {} metrics", Metric::MOST)));
                }
                _ => drop(counts.insert(name, map.next_value()?)),
            }
        }
        let missing = |name| move || A::Error::missing_field(name);
        Ok(Columns {
            fork: fork.ok_or_else(missing("fork"))?,
            short: short.ok_or_else(missing("short"))?,
            round: round.ok_or_else(missing("round"))?,
            turn: turn.ok_or_else(missing("turn"))?,
            after: after.ok_or_else(missing("after"))?,
            iterations: iterations.ok_or_else(missing("iterations"))?,
            counts,
            series,
        })
    }
}
