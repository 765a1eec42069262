//! Which cipher at which size, in words; and the sizes between which the answer flips.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, CipherKind};
use serde::Serialize;

use super::choice::{Best, Choice};
use crate::point::{Point, Points};
use crate::words::listed;

/// Sizes in a row that have the same answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stretch {
    /// What is known of the cheapest; equals are in the order of the algorithms.
    pub best: Best,
    pub points: Vec<Point>,
}

/// An answer at all sizes of a device; devices with the same share a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Course {
    /// Sizes from the smallest on.
    pub stretches: Vec<Stretch>,
    /// Where a cipher has no figure that has one at another size.
    pub lacking: Vec<Lacking>,
}

/// A cipher without a figure at a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Lacking {
    /// The cipher.
    pub algorithm: Algorithm,
    /// The size.
    #[serde(flatten)]
    pub point: Point,
}

impl Course {
    pub(super) fn of(choices: &[Choice]) -> Self {
        let mut stretches: Vec<Stretch> = Vec::new();
        for choice in choices {
            let best = ordered(&choice.best);
            match stretches.last_mut().filter(|stretch| stretch.best == best) {
                Some(stretch) => stretch.points.push(choice.point),
                None => stretches.push(Stretch { best, points: vec![choice.point] }),
            }
        }
        let all: BTreeSet<Algorithm> =
            choices.iter().flat_map(|choice| choice.offers.iter().map(|offer| offer.algorithm)).collect();
        let lacks = |choice: &Choice| -> Vec<Lacking> {
            let absent = all.iter().filter(|algorithm| choice.offer(**algorithm).is_none());
            absent.map(|algorithm| Lacking { algorithm: *algorithm, point: choice.point }).collect()
        };
        Self { stretches, lacking: choices.iter().flat_map(lacks).collect() }
    }

    pub(super) fn points(&self) -> Points {
        Points(self.stretches.iter().flat_map(|stretch| stretch.points.iter().copied()).collect())
    }

    /// Whether any size has an answer.
    pub fn is_answered(&self) -> bool {
        self.stretches.iter().any(|stretch| !matches!(stretch.best, Best::Unknown))
    }

    /// Whether it names a cipher at every size.
    pub fn recommends(&self) -> bool {
        self.stretches.iter().all(|stretch| matches!(stretch.best, Best::Cheapest(_)))
    }

    /// Whether some size has none.
    pub fn lacks(&self) -> bool {
        self.stretches.is_empty() || self.stretches.iter().any(|stretch| stretch.best == Best::Unknown)
    }

    fn lacks_figure(&self, algorithm: Algorithm, point: Point) -> bool {
        self.lacking.contains(&Lacking { algorithm, point })
    }

    /// Whether ciphers were compared at any size.
    pub fn compares(&self) -> bool {
        self.stretches.iter().any(|stretch| !matches!(stretch.best, Best::Only(_)))
    }

    /// Whether a cipher is named that is none of these.
    pub fn names_other_than(&self, is_known: fn(Algorithm) -> bool) -> bool {
        self.stretches.iter().flat_map(|stretch| stretch.best.named()).any(|algorithm| !is_known(algorithm))
    }

    /// `AES-256-GCM at 16 B, ChaCha20-Poly1305 from 32 B on`, with names by this function.
    pub fn in_words(&self, names: &Names) -> String {
        let points = self.points();
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
    pub fn flips(&self) -> Option<String> {
        let points = self.points();
        let cheapest = |stretch: &Stretch| match (&stretch.best, stretch.points.as_slice()) {
            (Best::Cheapest(algorithm), [first, ..]) => Some((*algorithm, *first, *stretch.points.last()?)),
            _ => None,
        };
        let winners: Vec<(Algorithm, Point, Point)> = self.stretches.iter().filter_map(cheapest).collect();
        let flip = |pair: &[(Algorithm, Point, Point)]| match pair {
            [(one, _, from), (next, to, _)]
                if one != next && !self.lacks_figure(*one, *to) && !self.lacks_figure(*next, *from) =>
            {
                Some(format!("between {} and {}", points.label(*from), points.label(*to)))
            }
            _ => None,
        };
        let all: Vec<String> = winners.windows(2).filter_map(flip).collect();
        (!all.is_empty()).then(|| listed(&all))
    }
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
pub enum Names {
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
pub fn is_usual(algorithm: Algorithm) -> bool {
    is_aes(algorithm) || algorithm.kind() == CipherKind::ChaCha && algorithm.nonce_bytes() == 12
}

/// Whether it is AES.
pub fn is_aes(algorithm: Algorithm) -> bool {
    algorithm.kind() == CipherKind::Aes
}
