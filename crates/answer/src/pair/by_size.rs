//! Two ciphers of a library, size by size, in sentences. They claim no size that has no comparison.

use std::collections::BTreeSet;

use ciphermeter_core::escaped;
use ciphermeter_estimate::{CipherPair, Comparison};

use super::library::{Lack, Library};
use crate::point::Point;
use crate::words::{first_of, listed, of_library, reach, span};

/// So many libraries are named.
pub(super) const NAMED: usize = 3;

/// At most so many sizes without a figure, or an answer, are named.
const NAMED_GAPS: usize = 2;

impl Library {
    /// Where each is faster, where they are equal, and where there is no answer: `AES-256-GCM is faster at every size (1.21× to 2.10×)`.
    pub fn sentence(&self, pair: CipherPair) -> String {
        sentence(&[self], pair)
    }

    /// What each size came to, without its figures.
    pub(super) fn course(&self) -> Vec<(Point, Option<std::mem::Discriminant<Comparison>>)> {
        let known = self.rows.iter().map(|row| (row.point, Some(std::mem::discriminant(&row.comparison))));
        known.chain(self.gaps.iter().map(|gap| (gap.point, None))).collect()
    }

    /// What has no figure, and why: `openssl's AES-256-GCM failed at 64 B`.
    fn missing(&self, pair: CipherPair) -> Vec<String> {
        let points = self.points();
        let sorts: [(&str, &[Lack]); 4] = [
            ("gave wrong output", &[Lack::WrongOutput]),
            ("failed", &[Lack::Failed]),
            ("was not measured", &[Lack::Unsupported, Lack::LeftOut]),
            ("has no samples", &[Lack::NoSamples]),
        ];
        let each = pair.both().into_iter().enumerate().flat_map(|each| sorts.map(|sort| (each, sort)));
        let said = each.filter_map(|((place, cipher), (what, lacks))| {
            let gaps = self.gaps.iter().filter(|gap| gap.why[place].is_some_and(|why| lacks.contains(&why)));
            let at: Vec<Point> = gaps.map(|gap| gap.point).collect();
            (!at.is_empty())
                .then(|| format!("{} {what} {}", of_library(cipher.algorithm, &self.of[place]), points.at(&at)))
        });
        said.collect()
    }
}

pub(super) fn names<'l>(libraries: impl IntoIterator<Item = &'l Library>) -> Vec<String> {
    libraries.into_iter().map(|library| escaped(&library.provider)).collect()
}

/// Of libraries that agree, the ratios reaching from the least to the most.
pub(super) fn sentence(alike: &[&Library], pair: CipherPair) -> String {
    let Some(any) = alike.first() else { return String::new() };
    let points = any.points();
    let rows: Vec<(Point, Comparison)> =
        alike.iter().flat_map(|library| &library.rows).map(|row| (row.point, row.comparison)).collect();
    let those = |test: fn(&Comparison) -> bool| {
        let some: Vec<_> = rows.iter().filter(|(_, comparison)| test(comparison)).collect();
        let at: BTreeSet<Point> = some.iter().map(|(point, _)| *point).collect();
        let ratios = some.iter().filter_map(|(_, comparison)| comparison.ratio());
        (!some.is_empty()).then(|| (at.into_iter().collect::<Vec<_>>(), span(reach(ratios))))
    };
    let mut parts = Vec::new();
    let faster = [
        (pair.first, those(|comparison| matches!(comparison, Comparison::First(_)))),
        (pair.second, those(|comparison| matches!(comparison, Comparison::Second(_)))),
    ];
    for (cipher, (at, reach)) in faster.into_iter().filter_map(|(cipher, those)| Some((cipher, those?))) {
        parts.push(format!("{} is faster {} ({reach})", cipher.title(), points.at(&at)));
    }
    if let Some((at, _)) = those(|comparison| matches!(comparison, Comparison::Equal(_))) {
        parts.push(format!("they are equal {}", points.at(&at)));
    }
    if let Some((at, _)) = those(|comparison| matches!(comparison, Comparison::Unknown(_))) {
        parts.push(format!("there is no answer yet {}", points.at_any(&at)));
    }
    let gaps: Vec<Point> = any.gaps.iter().map(|gap| gap.point).collect();
    if !gaps.is_empty() {
        parts.push(format!("there is no figure {}", points.at_any(&gaps)));
    }
    listed(&parts)
}

/// What has no figure, and why; of many the first.
pub(super) fn missing<'l>(libraries: impl Iterator<Item = &'l Library>, pair: CipherPair) -> String {
    some(libraries.flat_map(|library| library.missing(pair)).collect())
}

/// What has no answer yet, of many the first: `go at 1420 B`.
pub(super) fn undecided(libraries: &[Library]) -> String {
    let each = libraries.iter().filter_map(|library| {
        let open = library.rows.iter().filter(|row| matches!(row.comparison, Comparison::Unknown(_)));
        let at: Vec<Point> = open.map(|row| row.point).collect();
        (!at.is_empty()).then(|| format!("{} {}", escaped(&library.provider), library.points().at(&at)))
    });
    some(each.collect())
}

fn some(said: Vec<String>) -> String {
    let most = if said.len() > NAMED_GAPS { NAMED_GAPS - 1 } else { NAMED_GAPS };
    first_of(said, most)
}
