//! Sizes of a question at which nothing is compared, or only in one operation, and why: each is named rather than dropped.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, LeftOut, Operation, Outcome, Record, escaped};

use super::entries::{Entries, Spot, spot};
use super::field::Field;
use ciphermeter_answer::point::{Point, Points};
use ciphermeter_answer::words::size;
use ciphermeter_answer::words::{capital, doing, listed, of_library};

/// Sizes of the question at which nothing is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lacking {
    /// Of all operations, only this one; `None`: all.
    pub(super) operation: Option<Operation>,
    /// `at 1 MiB and 16 MiB`.
    pub(super) at: String,
    /// Their messages, in bytes.
    pub(super) messages: Vec<u64>,
    pub(super) why: String,
    /// Why the run left a cell out, where it did.
    pub(super) left_out: Option<LeftOut>,
    /// Whether the run should have measured them: another one may have.
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
    pub(super) fn said(&self) -> String {
        match self.operation {
            Some(operation) => format!("{} is not compared {}: {}.", capital(doing(operation)), self.at, self.why),
            None => format!("Not compared {}: {}.", self.at, self.why),
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
    let lacking = |(Reason { why, left_out, is_gap }, operation, those): (Reason, Option<Operation>, Vec<Point>)| {
        // `at every size` names none.
        let at = match operation.is_none() && those.len() == points.0.len() {
            true => format!("at {}", listed(&those.iter().map(|point| size(point.message)).collect::<Vec<_>>())),
            false => points.at(&those),
        };
        let messages = those.iter().map(|point| point.message).collect();
        Lacking { operation, at, messages, why, left_out, is_gap }
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
    let at = || entries.all.iter().copied().filter(move |record| spot(&record.cell) == place);
    let asked = &entries.asked[&place];
    let absent = asked
        .iter()
        .find(|algorithm| !at().any(|record| record.cell.algorithm == **algorithm && entries.is_measured(record)));
    if let Some(algorithm) = absent {
        let came = came_to(at().filter(|record| record.cell.algorithm == *algorithm));
        let why = format!("{} has no figure there{}", algorithm.title(), came.why);
        return Some(Reason { why, ..came });
    }
    if let [only] = asked.iter().collect::<Vec<_>>()[..] {
        return Some(Reason {
            why: format!("the workload has only {} there", only.title()),
            left_out: None,
            is_gap: false,
        });
    }
    let is_of = |record: &Record, algorithm: Algorithm, provider: &str| {
        record.cell.algorithm == algorithm && record.cell.provider == provider
    };
    let lacks = |(algorithm, provider): &(Algorithm, &str)| {
        !at().any(|record| is_of(record, *algorithm, provider) && entries.is_measured(record))
    };
    let names = field.iter().flat_map(|field| &field.contenders).map(|one| (one.algorithm, one.provider));
    let (algorithm, provider) = names.into_iter().find(lacks)?;
    let came = came_to(at().filter(|record| is_of(record, algorithm, provider)));
    let why = format!("{} has no figure there{}", of_library(algorithm, provider), came.why);
    Some(Reason { why, ..came })
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Reason {
    why: String,
    left_out: Option<LeftOut>,
    is_gap: bool,
}

/// What became of records without figures, the gravest first; of none at all, that they were never asked for.
fn came_to<'a>(records: impl Iterator<Item = &'a Record>) -> Reason {
    let reason = |record: &Record| match &record.outcome {
        Outcome::Measured => None,
        Outcome::WrongOutput { .. } => Some((0, "its output was wrong".to_owned(), None, false)),
        Outcome::Failed { why } => Some((1, why.clone(), None, true)),
        Outcome::Unsupported { why } => Some((2, why.clone(), None, false)),
        Outcome::LeftOut(reason) => {
            Some((2, reason.to_string(), Some(reason.clone()), record.outcome.is_not_reached()))
        }
    };
    let mut any = false;
    let worst = records.inspect(|_| any = true).filter_map(reason).min_by_key(|(rank, why, ..)| (*rank, why.clone()));
    match worst {
        Some((_, why, left_out, is_gap)) => {
            Reason { why: format!(": {}", escaped(why.trim_end_matches('.'))), left_out, is_gap }
        }
        None => Reason { why: String::new(), left_out: None, is_gap: !any },
    }
}
