//! What is fastest in a part of the cells: the answer may be another one at single sizes and in single operations.

use ciphermeter_core::{Algorithm, Operation};
use serde::Serialize;

use super::choice::{Choice, Is, Margin, Verdict};
use super::field::Field;
use crate::point::Point;

/// What is fastest in a part of the cells.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Part {
    /// `use`, `equal` or `unknown`.
    pub is: Is,
    /// The cipher that surely is; `None` where that is not decided, or does not matter.
    pub algorithm: Option<Algorithm>,
    /// The libraries from which it may be so, the one that came out first in front.
    pub providers: Vec<String>,
    /// How far it is ahead of the best other one.
    pub lead: Option<Margin>,
}

#[derive(Debug, Clone, Serialize)]
pub struct AtSize {
    #[serde(flatten)]
    pub point: Point,
    /// Its share of the calls; of a mix, of its messages.
    pub weight: f64,
    #[serde(flatten)]
    pub part: Part,
}

#[derive(Debug, Clone, Serialize)]
pub struct OfOperation {
    pub operation: Operation,
    #[serde(flatten)]
    pub part: Part,
}

impl Part {
    /// At these places; so many parts hold at once.
    fn of(field: &Field, places: &[usize], parts: usize) -> Self {
        let choice = Choice::of(field, places, parts);
        match choice.verdict() {
            Verdict::Use { algorithm, lead, .. } => {
                Self { is: Is::Use, algorithm: Some(algorithm), providers: choice.providers(algorithm), lead }
            }
            Verdict::Equal { .. } => Self { is: Is::Equal, ..Self::default() },
            _ => Self::default(),
        }
    }
}

/// Whether one kind of cipher surely is the fastest in some parts, and another in others.
pub(super) fn differ<'p>(parts: impl Iterator<Item = &'p Part>) -> bool {
    let mut all = parts.filter_map(|part| part.algorithm);
    let first = all.next();
    all.any(|other| first.is_some_and(|first| !first.is_alike(other)))
}

/// Each operation by itself, where there are several. All of them hold at once.
pub(super) fn by_operation(field: &Field) -> Vec<OfOperation> {
    let operations = field.operations();
    let parts = operations.len();
    let of =
        |(operation, places): (Operation, Vec<usize>)| OfOperation { operation, part: Part::of(field, &places, parts) };
    operations.into_iter().filter(|_| parts > 1).map(of).collect()
}

/// Each size by itself. All of them hold at once.
pub(super) fn by_size(field: &Field) -> Vec<AtSize> {
    let points = field.points();
    let parts = points.len();
    let calls = |places: &[usize]| -> f64 {
        places.iter().map(|place| field.calls.as_ref().map_or(1.0, |calls| calls[*place])).sum()
    };
    let all = calls(&field.everywhere());
    let at = |(point, places): (Point, Vec<usize>)| AtSize {
        point,
        weight: calls(&places) / all,
        part: Part::of(field, &places, parts),
    };
    points.into_iter().map(at).collect()
}
