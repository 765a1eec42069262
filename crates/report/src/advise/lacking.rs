//! Sizes of a question at which nothing is compared, and why: each is named rather than dropped.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, Outcome, Record, escaped};

use super::entries::Entries;
use super::field::Field;
use crate::phrases::{listed, of_library};
use crate::screen::{Point, Points};
use crate::text::size;

/// Sizes of the question at which nothing is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lacking {
    /// `at 1 MiB and 16 MiB`.
    pub(super) at: String,
    /// Their messages, in bytes.
    pub(super) messages: Vec<u64>,
    pub(super) why: String,
    /// Whether the run should have measured them: another one may have.
    pub(super) is_gap: bool,
}

/// The sizes that are asked for and not compared, by their reasons.
pub(super) fn lacking(entries: &Entries<'_>, field: Option<&Field>) -> Vec<Lacking> {
    let compared: BTreeSet<Point> = field.iter().flat_map(|field| field.points()).map(|(point, _)| point).collect();
    let points = Points(entries.asked.keys().copied().collect());
    let mut by_reason: Vec<(Reason, Vec<Point>)> = Vec::new();
    for point in points.0.iter().filter(|point| !compared.contains(point)) {
        let Some(why) = why_not(entries, *point, field) else { continue };
        match by_reason.iter_mut().find(|(known, _)| *known == why) {
            Some((_, those)) => those.push(*point),
            None => by_reason.push((why, vec![*point])),
        }
    }
    if by_reason.is_empty() && field.is_none() && !entries.measured().is_empty() {
        let why = "no cipher of a library has figures at all of them".into();
        by_reason.push((Reason { why, is_gap: false }, points.0.clone()));
    }
    let lacking = |(Reason { why, is_gap }, those): (Reason, Vec<Point>)| {
        // `at every size` names none.
        let at = match those.len() == points.0.len() {
            true => format!("at {}", listed(&those.iter().map(|point| size(point.message)).collect::<Vec<_>>())),
            false => points.at(&those),
        };
        Lacking { at, messages: those.iter().map(|point| point.message).collect(), why, is_gap }
    };
    by_reason.into_iter().map(lacking).collect()
}

/// `None`: there are figures of each cipher, but no cipher of a library has all sizes.
fn why_not(entries: &Entries<'_>, point: Point, field: Option<&Field>) -> Option<Reason> {
    let at = || entries.all.iter().copied().filter(move |record| Point::of(&record.cell.parameters) == point);
    let asked = &entries.asked[&point];
    let absent = asked
        .iter()
        .find(|algorithm| !at().any(|record| record.cell.algorithm == **algorithm && entries.is_measured(record)));
    if let Some(algorithm) = absent {
        let came = came_to(at().filter(|record| record.cell.algorithm == *algorithm));
        let why = format!("{} has no figure there{}", algorithm.title(), came.why);
        return Some(Reason { why, is_gap: came.is_gap });
    }
    if let [only] = asked.iter().collect::<Vec<_>>()[..] {
        return Some(Reason { why: format!("the workload has only {} there", only.title()), is_gap: false });
    }
    let lacks = |(algorithm, provider): &(Algorithm, &str)| {
        let own = at().filter(|record| record.cell.algorithm == *algorithm && record.cell.provider == *provider);
        let operations = |records: &mut dyn Iterator<Item = &Record>| {
            records.map(|record| record.cell.operation).collect::<BTreeSet<_>>()
        };
        operations(&mut own.filter(|record| entries.is_measured(record))) != operations(&mut at())
    };
    let names = field.iter().flat_map(|field| &field.contenders).map(|one| (one.algorithm, one.provider));
    let (algorithm, provider) = names.into_iter().find(lacks)?;
    let own = at().filter(|record| record.cell.algorithm == algorithm && record.cell.provider == provider);
    let came = came_to(own);
    let why = format!("{} has no figure there{}", of_library(algorithm, provider), came.why);
    Some(Reason { why, is_gap: came.is_gap })
}

#[derive(Debug, PartialEq, Eq)]
struct Reason {
    why: String,
    is_gap: bool,
}

/// What became of records without figures, the gravest first; of none at all, that they were never asked for.
fn came_to<'a>(records: impl Iterator<Item = &'a Record>) -> Reason {
    let reason = |record: &Record| match &record.outcome {
        Outcome::Measured => None,
        Outcome::WrongOutput { .. } => Some((0, "its output was wrong".to_owned(), false)),
        Outcome::Failed { why } => Some((1, why.clone(), true)),
        Outcome::Unsupported { why } => Some((2, why.clone(), why == Outcome::NOT_REACHED)),
    };
    let mut any = false;
    let worst = records.inspect(|_| any = true).filter_map(reason).min();
    match worst {
        Some((_, why, is_gap)) => Reason { why: format!(": {}", escaped(why.trim_end_matches('.'))), is_gap },
        None => Reason { why: String::new(), is_gap: !any },
    }
}
