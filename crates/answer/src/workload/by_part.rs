//! The answer at single sizes and in single operations, in sentences: where it is another, and what is decided where all together are not.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, escaped};

use super::choice::{Is, Verdict, from, times};
use super::outcome::Outcome;
use super::part::{AtSize, OfOperation};
use crate::point::{Point, Points};
use crate::words::{capital, listed, reach, size, span, titles};

impl Outcome {
    /// At which sizes, and in which operations, the answer is another.
    pub fn flips(&self) -> Vec<String> {
        let points = self.points();
        let at = |sizes: &[&AtSize]| points.at(&sizes.iter().map(|size| size.point).collect::<Vec<Point>>());
        let [Some(first), Some(last)] = [points.0.first(), points.0.last()] else { return Vec::new() };
        if self.is_alone {
            return Vec::new();
        }
        if points.0.len() < 2 {
            return vec![format!(
                "Whether another size flips it is not known: this is of {} alone.",
                size(first.message)
            )];
        }
        let Some(algorithm) = self.recommended() else { return undecided(self, &points) };
        let decided = self.sizes.iter().filter(|size| size.part.is == Is::Use);
        let (own, other): (Vec<&AtSize>, Vec<&AtSize>) =
            decided.partition(|size| size.part.algorithm == Some(algorithm));
        let is_from_other = |size: &&AtSize| !size.part.providers.iter().any(|name| self.providers.contains(name));
        let other_library: Vec<&AtSize> = own.into_iter().filter(is_from_other).collect();
        let open = open_sizes(self, &points);
        let mut said: Vec<String> = other_operations(self, algorithm).collect();
        if !other.is_empty() {
            said.push(format!("It flips {}: {}", at(&other), fastest(&other)));
        }
        if !other_library.is_empty() {
            let names: BTreeSet<String> =
                other_library.iter().filter_map(|size| size.part.providers.first()).map(|one| escaped(one)).collect();
            let names = names.into_iter().collect::<Vec<_>>().join(" or ");
            if said.is_empty() && open.is_empty() {
                said.push(format!("{} wins at every size", algorithm.title()));
            }
            let libraries: Vec<String> = self.providers.iter().map(|name| escaped(name)).collect();
            said.push(format!("{} {names} is faster than {}", at(&other_library), libraries.join(" or ")));
        }
        said.extend(open);
        match said.is_empty() {
            true => {
                vec![format!("It holds at every size measured, {} to {}.", size(first.message), size(last.message))]
            }
            false => vec![capital(&said.join("; ")) + "."],
        }
    }
}

/// Which cipher is the fastest where: `ChaCha20-Poly1305 from openssl is 1.20× as fast`.
fn fastest(sizes: &[&AtSize]) -> String {
    let mut algorithms: Vec<Algorithm> = sizes.iter().filter_map(|size| size.part.algorithm).collect();
    algorithms.dedup();
    let leads: Vec<_> = sizes.iter().filter_map(|size| size.part.lead.as_ref()).map(|lead| lead.ratio).collect();
    let provider = sizes.iter().filter_map(|size| size.part.providers.first()).next();
    let who = match (&algorithms[..], provider) {
        ([only], Some(provider)) => from(*only, provider),
        (several, _) => titles(several),
    };
    match leads.is_empty() {
        true => format!("{who} is the fastest there"),
        false => format!("{who} is {} as fast there", span(reach(leads.into_iter()))),
    }
}

/// What single sizes decide where all together do not.
fn undecided(outcome: &Outcome, points: &Points) -> Vec<String> {
    let said = match &outcome.verdict {
        Verdict::ByOperation { .. } => Vec::new(),
        Verdict::Unknown { .. } if leading(outcome).is_some() => Vec::new(),
        Verdict::BySize { .. } => open_sizes(outcome, points),
        _ => {
            let each = by_algorithm(outcome).into_iter().zip(std::iter::once("By size: ").chain(std::iter::repeat("")));
            each.map(|((one, at), begin)| format!("{begin}{} is the fastest {}", one.title(), points.at(&at))).collect()
        }
    };
    (!said.is_empty()).then(|| capital(&said.join("; ")) + ".").into_iter().collect()
}

/// Sizes at which ciphers are equal, and at which it is not decided: `equal at 64 B`.
fn open_sizes(outcome: &Outcome, points: &Points) -> Vec<String> {
    let said = [(Is::Equal, "equal"), (Is::Unknown, "not decided")].map(|(is, what)| {
        let those: Vec<Point> = outcome.sizes.iter().filter(|size| size.part.is == is).map(|size| size.point).collect();
        (!those.is_empty()).then(|| format!("{what} {}", points.at(&those)))
    });
    said.into_iter().flatten().collect()
}

/// What is decided at single sizes, where that is for one cipher alone: `At 16 B and 64 B they do: AES-256-GCM is the fastest.`
pub(super) fn leading(outcome: &Outcome) -> Option<String> {
    let points = outcome.points();
    match &by_algorithm(outcome)[..] {
        [(algorithm, at)] if points.0.len() > 1 => {
            Some(format!("{} they do: {} is the fastest there.", capital(&points.at(at)), algorithm.title()))
        }
        _ => None,
    }
}

/// The sizes at which each cipher surely is the fastest, that of the smallest size first.
fn by_algorithm(outcome: &Outcome) -> Vec<(Algorithm, Vec<Point>)> {
    let mut by_algorithm: Vec<(Algorithm, Vec<Point>)> = Vec::new();
    for size in &outcome.sizes {
        let Some(algorithm) = size.part.algorithm else { continue };
        match by_algorithm.iter_mut().find(|(known, _)| *known == algorithm) {
            Some((_, at)) => at.push(size.point),
            None => by_algorithm.push((algorithm, vec![size.point])),
        }
    }
    by_algorithm
}

/// Operations in which a cipher of another kind surely is the fastest: `to open, ChaCha20-Poly1305 from openssl is 2.00× as fast`.
fn other_operations(outcome: &Outcome, algorithm: Algorithm) -> impl Iterator<Item = String> {
    outcome.operations.iter().filter_map(move |OfOperation { operation, part }| {
        let other = part.algorithm.filter(|other| !other.is_alike(algorithm))?;
        let (times, _) = times(part.lead.as_ref()?.ratio)?;
        Some(format!("to {operation}, {} is {times} as fast", from(other, part.providers.first()?)))
    })
}

/// `AES-256-GCM to seal (3.00× as fast), ChaCha20-Poly1305 to open (2.00×)`.
pub(super) fn fastest_by_operation(outcome: &Outcome) -> String {
    let part = |OfOperation { operation, part }: &OfOperation| {
        let algorithm = part.algorithm?;
        let times = part.lead.as_ref().and_then(|lead| times(lead.ratio));
        let times = times.map(|(times, _)| format!(" ({times} as fast)")).unwrap_or_default();
        Some(format!("{} to {operation}{times}", algorithm.title()))
    };
    listed(&outcome.operations.iter().filter_map(part).collect::<Vec<_>>())
}

/// `ChaCha20-Poly1305 up to 1370 B, AES-256-GCM from 4230 B`.
pub(super) fn fastest_by_size(outcome: &Outcome) -> String {
    let points = outcome.points();
    let part = |(algorithm, at): (Algorithm, Vec<Point>)| {
        let place = match &at[..] {
            [_, .., last] if points.0.starts_with(&at) => format!("up to {}", size(last.message)),
            [first, .., _] if points.0.ends_with(&at) => format!("from {}", size(first.message)),
            _ => points.at(&at),
        };
        format!("{} {place}", algorithm.title())
    };
    by_algorithm(outcome).into_iter().map(part).collect::<Vec<_>>().join(", ")
}
