//! When the answer would be another: the sizes and the operations at which another cipher, or another library, is surely the fastest, and
//! a CPU without AES instructions.

use ciphermeter_core::{Algorithm, Operation};

use super::choice::{Choice, Margin, Verdict};
use super::field::Field;
use ciphermeter_answer::point::Point;

/// What is fastest in a part of the cells.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct InPart {
    /// The cipher that surely is, with its margin over the best other one; `None` where that is not decided, or does not matter.
    pub(super) fastest: Option<(Algorithm, Option<Margin>)>,
    /// Whether ciphers are equal there.
    pub(super) is_equal: bool,
    /// The libraries from which the fastest cipher may be so, the one that came out first in front.
    pub(super) providers: Vec<String>,
}

/// What is fastest at one size.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AtSize {
    pub(super) point: Point,
    /// Its share of the calls; of a mix, of its messages.
    pub(super) weight: f64,
    pub(super) part: InPart,
}

impl InPart {
    /// At these places; so many parts hold at once.
    fn of(field: &Field, places: &[usize], parts: usize) -> Self {
        let choice = Choice::of(field, places, parts);
        let verdict = choice.verdict();
        let is_equal = matches!(verdict, Verdict::Equal { .. });
        let fastest = match verdict {
            Verdict::Use { algorithm, margin, .. } => Some((algorithm, margin)),
            _ => None,
        };
        let providers = fastest.as_ref().map(|(algorithm, _)| choice.providers(*algorithm)).unwrap_or_default();
        Self { fastest, is_equal, providers: providers.into_iter().map(String::from).collect() }
    }
}

/// Whether one kind of cipher surely is the fastest in some parts, and another in others.
pub(super) fn differ<'p>(parts: impl Iterator<Item = &'p InPart>) -> bool {
    let mut all = parts.filter_map(|part| Some(part.fastest.as_ref()?.0));
    let first = all.next();
    all.any(|other| first.is_some_and(|first| !first.is_alike(other)))
}

/// Each operation by itself, where there are several. All of them hold at once.
pub(super) fn by_operation(field: &Field) -> Vec<(Operation, InPart)> {
    let operations = field.operations();
    let parts = operations.len();
    let each = operations.into_iter().map(|(operation, places)| (operation, InPart::of(field, &places, parts)));
    each.filter(|_| parts > 1).collect()
}

/// Each size by itself. All of them hold at once.
pub(super) fn by_size(field: &Field) -> Vec<AtSize> {
    let points = field.points();
    let families = points.len();
    let calls = |places: &[usize]| -> f64 {
        places.iter().map(|place| field.calls.as_ref().map_or(1.0, |calls| calls[*place])).sum()
    };
    let all = calls(&field.everywhere());
    let at = |(point, places): (Point, Vec<usize>)| AtSize {
        point,
        weight: calls(&places) / all,
        part: InPart::of(field, &places, families),
    };
    points.into_iter().map(at).collect()
}

/// The sizes of a mix or a workload, by whether another cipher is the fastest there than over all of them.
pub(super) struct Flips<'s> {
    /// Another cipher surely is.
    pub(super) other: Vec<&'s AtSize>,
    /// The same cipher is, but surely not from the recommended library.
    pub(super) other_library: Vec<&'s AtSize>,
    /// Ciphers are equal.
    pub(super) equal: Vec<&'s AtSize>,
    /// It is not decided.
    pub(super) unknown: Vec<&'s AtSize>,
}

impl<'s> Flips<'s> {
    /// Beside the cipher that is recommended from these libraries.
    pub(super) fn of(sizes: &'s [AtSize], algorithm: Algorithm, libraries: &[String]) -> Self {
        let those = |test: &dyn Fn(&AtSize) -> bool| sizes.iter().filter(|size| test(size)).collect();
        let own = |size: &AtSize| size.part.fastest.as_ref().is_some_and(|(fastest, _)| *fastest == algorithm);
        let from_other = |size: &AtSize| !size.part.providers.iter().any(|provider| libraries.contains(provider));
        Self {
            other: those(&|size| size.part.fastest.is_some() && !own(size)),
            other_library: those(&|size| own(size) && from_other(size)),
            equal: those(&|size| size.part.is_equal),
            unknown: those(&|size| size.part.fastest.is_none() && !size.part.is_equal),
        }
    }
}
