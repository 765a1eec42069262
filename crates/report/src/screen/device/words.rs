//! Which cipher at which size, in words; and the sizes between which the answer flips.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, CipherKind};

use super::choice::{Best, Choice};
use ciphermeter_answer::point::{Point, Points};
use ciphermeter_answer::words::listed;

/// Sizes in a row that have the same answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) best: Best,
    pub(super) points: Vec<Point>,
}

/// An answer at all sizes of a device; devices with the same share a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Course {
    pub(super) stretches: Vec<Stretch>,
    /// Where a cipher has no figure that has one at another size.
    pub(super) lacking: Vec<(Algorithm, Point)>,
}

impl Course {
    pub(super) fn of(choices: &[Choice]) -> Self {
        let mut stretches: Vec<Stretch> = Vec::new();
        for choice in choices {
            match stretches.last_mut().filter(|stretch| is_same(&stretch.best, &choice.best)) {
                Some(stretch) => stretch.points.push(choice.point),
                None => stretches.push(Stretch { best: ordered(&choice.best), points: vec![choice.point] }),
            }
        }
        let all: BTreeSet<Algorithm> =
            choices.iter().flat_map(|choice| choice.offers.iter().map(|offer| offer.algorithm)).collect();
        let lacks = |choice: &Choice| -> Vec<(Algorithm, Point)> {
            let absent = all.iter().filter(|algorithm| choice.offer(**algorithm).is_none());
            absent.map(|algorithm| (*algorithm, choice.point)).collect()
        };
        Self { stretches, lacking: choices.iter().flat_map(lacks).collect() }
    }

    /// Whether any size has an answer.
    pub(super) fn is_answered(&self) -> bool {
        self.stretches.iter().any(|stretch| !matches!(stretch.best, Best::Unknown))
    }

    /// Whether it names a cipher at every size.
    pub(super) fn recommends(&self) -> bool {
        self.stretches.iter().all(|stretch| matches!(stretch.best, Best::Cheapest(_)))
    }

    /// Whether some size has none.
    pub(super) fn lacks(&self) -> bool {
        self.stretches.is_empty() || self.stretches.iter().any(|stretch| stretch.best == Best::Unknown)
    }

    /// Whether ciphers were compared at any size.
    pub(super) fn compares(&self) -> bool {
        self.stretches.iter().any(|stretch| !matches!(stretch.best, Best::Only(_)))
    }

    /// Whether a cipher is named that is none of these.
    pub(super) fn names_other_than(&self, is_known: fn(Algorithm) -> bool) -> bool {
        self.stretches.iter().flat_map(|stretch| named(&stretch.best)).any(|algorithm| !is_known(algorithm))
    }

    /// `AES-256-GCM at 16 B, ChaCha20-Poly1305 from 32 B on`, with names by this function.
    pub(super) fn said(&self, names: &Names) -> String {
        let all: Vec<Point> = self.stretches.iter().flat_map(|stretch| stretch.points.iter().copied()).collect();
        let points = Points(all);
        let on = if matches!(names, Names::Full) { " on" } else { "" };
        let (last, several) = (self.stretches.len().saturating_sub(1), self.stretches.len() > 1);
        let each = self.stretches.iter().enumerate().map(|(place, stretch)| {
            let labels: Vec<String> = stretch.points.iter().map(|point| points.label(*point)).collect();
            let at = match (labels.as_slice(), place) {
                ([only], _) => format!("at {only}"),
                ([.., end], 0) if several => format!("up to {end}"),
                ([first, ..], place) if several && place == last => format!("from {first}{on}"),
                ([first, .., end], _) if several => format!("from {first} to {end}"),
                _ => "at every size".into(),
            };
            format!("{} {at}", words(&stretch.best, names))
        });
        each.collect::<Vec<_>>().join(", ")
    }

    /// `between 16 B and 32 B`, one for each place where one cipher is the cheapest and from which on another is; sizes at which neither
    /// is lie between. Where one of the two has no figure at the other's size, nothing shows that it flips.
    pub(super) fn flips(&self) -> Option<String> {
        let all: Vec<Point> = self.stretches.iter().flat_map(|stretch| stretch.points.iter().copied()).collect();
        let points = Points(all);
        let cheapest = |stretch: &Stretch| match (&stretch.best, stretch.points.as_slice()) {
            (Best::Cheapest(algorithm), [first, ..]) => Some((*algorithm, *first, *stretch.points.last()?)),
            _ => None,
        };
        let winners: Vec<(Algorithm, Point, Point)> = self.stretches.iter().filter_map(cheapest).collect();
        let flip = |pair: &[(Algorithm, Point, Point)]| match pair {
            [(one, _, from), (next, to, _)]
                if one != next && !self.lacking.contains(&(*one, *to)) && !self.lacking.contains(&(*next, *from)) =>
            {
                Some(format!("between {} and {}", points.label(*from), points.label(*to)))
            }
            _ => None,
        };
        let all: Vec<String> = winners.windows(2).filter_map(flip).collect();
        (!all.is_empty()).then(|| listed(&all))
    }
}

/// The ciphers that an answer names.
pub(super) fn named(best: &Best) -> Vec<Algorithm> {
    match best {
        Best::Only(algorithm) | Best::Cheapest(algorithm) => vec![*algorithm],
        Best::Equal(algorithms) => algorithms.clone(),
        Best::Unknown => Vec::new(),
    }
}

fn is_same(one: &Best, other: &Best) -> bool {
    ordered(one) == ordered(other)
}

/// Which of two that are equal is ahead says nothing.
fn ordered(best: &Best) -> Best {
    match best {
        Best::Equal(algorithms) => {
            let mut sorted = algorithms.clone();
            sorted.sort_unstable();
            Best::Equal(sorted)
        }
        other => other.clone(),
    }
}

fn words(best: &Best, names: &Names) -> String {
    match best {
        Best::Only(algorithm) => format!("only {} was measured", names.of(*algorithm)),
        Best::Cheapest(algorithm) => names.of(*algorithm).into(),
        Best::Equal(algorithms) => {
            let titles: Vec<String> = algorithms.iter().map(|algorithm| names.of(*algorithm).to_owned()).collect();
            match names {
                Names::Full => format!("{} equal", listed(&titles)),
                Names::Short(_) => titles.join(" ≈ "),
            }
        }
        Best::Unknown => "no answer yet".into(),
    }
}

/// How ciphers are called.
pub(super) enum Names {
    /// As standards write them.
    Full,
    /// As in narrow columns, where these stand beside each other.
    Short(Vec<Algorithm>),
}

impl Names {
    fn of(&self, algorithm: Algorithm) -> &'static str {
        match self {
            Self::Full => algorithm.title(),
            Self::Short(among) => algorithm.short(among),
        }
    }
}

/// Whether it is AES or ChaCha20, between which most programs and protocols choose: these count nonces, so that none takes XChaCha20.
pub(super) fn is_usual(algorithm: Algorithm) -> bool {
    is_aes(algorithm) || algorithm.kind() == CipherKind::ChaCha && algorithm.nonce_bytes() == 12
}

pub(super) fn is_aes(algorithm: Algorithm) -> bool {
    algorithm.kind() == CipherKind::Aes
}
