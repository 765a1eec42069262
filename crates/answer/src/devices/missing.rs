//! Figures that are not there: sizes that a device refuses, ciphers that a size lacks.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Algorithm, Outcome, Record, escaped};
use serde::Serialize;

use super::board::Board;
use super::course::Course;
use crate::point::{Point, Points};

/// Sizes that a device refuses whatever the cipher.
#[derive(Debug, Clone, Serialize)]
pub struct Refused {
    /// `at 32 KiB`.
    pub at: String,
    /// Why, escaped.
    pub why: String,
}

/// A cipher that is the cheapest at some size and has no figure at another, where it may be, too.
#[derive(Debug, Clone, Serialize)]
pub struct Absent {
    pub algorithm: Algorithm,
    /// `at 1 KiB`.
    pub at: String,
    /// Why, escaped; `None` where nothing says.
    pub why: Option<String>,
}

pub(super) fn refused(board: &Board) -> Option<Refused> {
    let mut sizes = BTreeMap::<Point, Vec<&Record>>::new();
    for record in board.records.iter().filter(|record| record.cell.parameters.message() > 0) {
        sizes.entry(Point::of(&record.cell.parameters)).or_default().push(record);
    }
    let why = |record: &&Record| match &record.outcome {
        Outcome::Unsupported { why } => Some(why.clone()),
        _ => None,
    };
    let refused: Vec<(Point, BTreeSet<String>)> = sizes
        .iter()
        .filter_map(|(point, records)| Some((*point, records.iter().map(why).collect::<Option<_>>()?)))
        .collect();
    let (_, why) = refused.first()?;
    let points: Vec<Point> = refused.iter().map(|(point, _)| *point).collect();
    Some(Refused { at: Points(sizes.keys().copied().collect()).at(&points), why: escaped(why.first()?) })
}

pub(super) fn absent(board: &Board, course: &Course) -> Vec<Absent> {
    let winners: BTreeSet<_> = course.stretches.iter().flat_map(|stretch| stretch.best.named()).collect();
    let all = course.points();
    let absent = |algorithm| {
        let lacking = course.lacking.iter().filter(|lacking| lacking.algorithm == algorithm);
        let points: Vec<Point> = lacking.map(|lacking| lacking.point).collect();
        let why = |record: &Record| match &record.outcome {
            Outcome::WrongOutput { .. } => None,
            _ if record.cell.algorithm == algorithm && points.contains(&Point::of(&record.cell.parameters)) => {
                Some(escaped(&record.why()?))
            }
            _ => None,
        };
        let why = board.records.iter().find_map(|record| why(record));
        (!points.is_empty()).then(|| Absent { algorithm, at: all.at_any(&points), why })
    };
    winners.into_iter().filter_map(absent).collect()
}
