//! Sizes of a question at which nothing is compared, or only in one operation, and why: each is named rather than dropped.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, Cell, LeftOut, Operation, Outcome, Record, escaped};
use serde::Serialize;

use super::entries::{Entries, Spot, spot};
use super::field::Field;
use crate::point::{Point, Points};
use crate::words::{capital, doing, listed, of_library, size};

/// Sizes of the question at which nothing is compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lacking {
    /// Of all operations, only this one; `None`: all.
    pub operation: Option<Operation>,
    /// Their messages, in bytes.
    pub messages: Vec<u64>,
    /// `at 1 MiB and 16 MiB`.
    #[serde(skip)]
    at: String,
    #[serde(flatten)]
    pub(super) reason: Reason,
}

/// Why a size is not compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Reason {
    why: String,
    /// Why the run left a cell out, where it did.
    #[serde(skip)]
    pub(super) left_out: Option<LeftOut>,
    /// Whether the run should have measured it: another one may have.
    #[serde(skip)]
    pub(super) is_gap: bool,
}

impl Lacking {
    /// `of opening at 1 MiB`; of all operations, `at 1 MiB`.
    pub(super) fn place(&self) -> String {
        match self.operation {
            Some(operation) => format!("of {} {}", doing(operation), self.at),
            None => self.at.clone(),
        }
    }

    /// `Opening is not compared at 1 MiB: ring's AES-256-GCM has no figure there.`
    pub fn sentence(&self) -> String {
        match self.operation {
            Some(operation) => {
                format!("{} is not compared {}: {}.", capital(doing(operation)), self.at, self.reason.why)
            }
            None => format!("Not compared {}: {}.", self.at, self.reason.why),
        }
    }
}

/// The sizes that are asked for and not compared, by their reasons.
pub(super) fn lacking(entries: &Entries<'_>, field: Option<&Field>) -> Vec<Lacking> {
    let is_choice = entries.asked.values().any(|algorithms| algorithms.len() > 1);
    if field.is_some_and(Field::is_alone) && !is_choice {
        return Vec::new();
    }
    let compared = field.map(Field::compared).unwrap_or_default();
    let points = Points(entries.asked.keys().map(|(_, point)| *point).collect::<BTreeSet<_>>().into_iter().collect());
    let mut by_reason: Vec<(Reason, Option<Operation>, Vec<Point>)> = Vec::new();
    for point in &points.0 {
        for (why, operation) in at_point(entries, *point, &compared, field) {
            match by_reason.iter_mut().find(|(known, of, _)| *known == why && *of == operation) {
                Some((_, _, those)) => those.push(*point),
                None => by_reason.push((why, operation, vec![*point])),
            }
        }
    }
    if by_reason.is_empty() && field.is_none() && !entries.measured().is_empty() {
        let why = "no cipher of a library has figures at all of them".into();
        by_reason.push((Reason { why, left_out: None, is_gap: false }, None, points.0.clone()));
    }
    let lacking = |(reason, operation, those): (Reason, Option<Operation>, Vec<Point>)| {
        // `at every size` names none.
        let at = match operation.is_none() && those.len() == points.0.len() {
            true => format!("at {}", listed(&those.iter().map(|point| size(point.message)).collect::<Vec<_>>())),
            false => points.at(&those),
        };
        let messages = those.iter().map(|point| point.message).collect();
        Lacking { operation, messages, at, reason }
    };
    by_reason.into_iter().map(lacking).collect()
}

/// What is not compared at a size: all operations for one reason, or each for its own.
fn at_point(
    entries: &Entries<'_>,
    point: Point,
    compared: &BTreeSet<Spot>,
    field: Option<&Field>,
) -> Vec<(Reason, Option<Operation>)> {
    let asked: Vec<Spot> = entries.asked.keys().copied().filter(|(_, at)| *at == point).collect();
    let open = asked.iter().filter(|spot| !compared.contains(*spot));
    let reasons: Vec<(Reason, Operation)> =
        open.filter_map(|spot| Some((why_not(entries, *spot, field)?, spot.0))).collect();
    let is_all = reasons.len() == asked.len();
    match &reasons[..] {
        [(first, _), others @ ..] if is_all && others.iter().all(|(other, _)| other == first) => {
            vec![(first.clone(), None)]
        }
        _ => reasons.into_iter().map(|(why, operation)| (why, Some(operation))).collect(),
    }
}

/// `None`: there are figures of each cipher, but no cipher of a library has all sizes.
fn why_not(entries: &Entries<'_>, place: Spot, field: Option<&Field>) -> Option<Reason> {
    let of = |algorithm: Algorithm, provider: Option<&str>| {
        let is_it = |cell: &Cell| cell.algorithm == algorithm && provider.is_none_or(|name| cell.provider == name);
        let all = entries.all.iter().copied();
        all.filter(|record| spot(&record.cell) == place && is_it(&record.cell)).collect::<Vec<_>>()
    };
    let lacks = |(algorithm, provider): &(Algorithm, Option<&str>)| {
        !of(*algorithm, *provider).into_iter().any(|record| entries.is_measured(record))
    };
    let asked: Vec<Algorithm> = entries.asked[&place].iter().copied().collect();
    let mut libraries = field.iter().flat_map(|field| &field.contenders).map(|one| (one.algorithm, Some(one.provider)));
    let (algorithm, provider) = match (asked.iter().map(|algorithm| (*algorithm, None)).find(lacks), &asked[..]) {
        (Some(absent), _) => absent,
        (None, [only]) => {
            let why = format!("the workload has only {} there", only.title());
            return Some(Reason { why, left_out: None, is_gap: false });
        }
        (None, _) => libraries.find(lacks)?,
    };
    let name = provider.map_or_else(|| algorithm.title().to_owned(), |provider| of_library(algorithm, provider));
    let came = came_to(&of(algorithm, provider));
    Some(Reason { why: format!("{name} has no figure there{}", came.why), ..came })
}

/// What became of records without figures, the gravest first; of none at all, that they were never asked for.
fn came_to(records: &[&Record]) -> Reason {
    let reason = |record: &&Record| match &record.outcome {
        Outcome::Measured => None,
        Outcome::WrongOutput { .. } => Some((0, "its output was wrong".to_owned(), None, false)),
        Outcome::Failed { why } => Some((1, why.clone(), None, true)),
        Outcome::Unsupported { why } => Some((2, why.clone(), None, false)),
        Outcome::LeftOut(reason) => {
            Some((2, reason.to_string(), Some(reason.clone()), record.outcome.is_not_reached()))
        }
    };
    let worst = records.iter().filter_map(reason).min_by_key(|(rank, why, ..)| (*rank, why.clone()));
    match worst {
        Some((_, why, left_out, is_gap)) => {
            Reason { why: format!(": {}", escaped(why.trim_end_matches('.'))), left_out, is_gap }
        }
        None => Reason { why: String::new(), left_out: None, is_gap: records.is_empty() },
    }
}
