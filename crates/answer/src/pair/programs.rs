//! Transfers: which program is fastest at which size.

use ciphermeter_core::Record;
use serde::Serialize;

use super::collect::LibraryPairs;
use crate::group::behind_first;
use crate::measured::{has_enough_forks, measured};
use crate::point::Point;

/// Programs that may be the fastest at some sizes.
#[derive(Debug, Clone, Serialize)]
pub struct FastestPrograms {
    /// The one that came out fastest, and those that are not surely slower.
    pub providers: Vec<String>,
    pub at: Vec<Point>,
}

/// With the first cipher.
pub(super) fn fastest_programs(libraries_pairs: &[LibraryPairs]) -> Vec<FastestPrograms> {
    let mut points: Vec<Point> = libraries_pairs.iter().flat_map(|pairs| &pairs.rows).map(|both| both.point).collect();
    points.sort_unstable();
    points.dedup();
    let mut all: Vec<FastestPrograms> = Vec::new();
    for point in points {
        let providers = fastest_at(libraries_pairs, point);
        match all.iter_mut().find(|known| known.providers == providers) {
            _ if providers.is_empty() => {}
            Some(known) => known.at.push(point),
            None => all.push(FastestPrograms { providers, at: vec![point] }),
        }
    }
    all
}

fn fastest_at(libraries_pairs: &[LibraryPairs], point: Point) -> Vec<String> {
    let fit = libraries_pairs.iter().filter(|pairs| pairs.unfit[0].is_none());
    let rows = fit.flat_map(|pairs| pairs.rows.iter().filter(|both| both.point == point));
    let mut records: Vec<&Record> =
        rows.map(|both| both.records[0]).filter(|record| has_enough_forks(record)).collect();
    let time = |record: &Record| measured(record).map_or(f64::INFINITY, |summary| summary.range.mid);
    records.sort_by(|a, b| time(a).total_cmp(&time(b)));
    let behind = behind_first(&records);
    let may_be = records.iter().zip(behind).filter(|(_, behind)| behind.is_some_and(|behind| behind.may_be_fastest));
    may_be.map(|(record, _)| record.cell.provider.clone()).collect()
}
