//! What stands beside the answer of two ciphers: reading, other conditions, programs, and what has too few forks, a sentence each.

use std::collections::BTreeSet;

use ciphermeter_core::escaped;
use ciphermeter_estimate::{Cipher, Side};

use super::answer::PairAnswer;
use super::by_size::NAMED;
use super::exceptions::{Condition, Exception};
use super::library::{Library, Row};
use crate::point::{Point, Points};
use crate::unlike;
use crate::words::{few, listed, span, within};

impl PairAnswer {
    /// What reading comes to beside protecting: nothing where it was not measured.
    pub fn reading_sentence(&self) -> Option<String> {
        let is_usual = |library: &&Library| library.provider == self.usual().provider;
        let reading = self.reading.iter().find(is_usual).filter(|library| !library.rows.is_empty())?;
        let [own, other] = [self.first.operation, self.pair().read().first.operation];
        if own == other || !self.is_answered() {
            return None;
        }
        let (before, after) = (&self.usual().rows, &reading.rows);
        let kind = |row: &Row| (row.point, std::mem::discriminant(&row.comparison));
        let same = before.len() == after.len() && before.iter().map(kind).eq(after.iter().map(kind));
        let far = before.iter().zip(after).filter_map(|(one, two)| {
            let (one, two) = (one.comparison.ratio()?.mid, two.comparison.ratio()?.mid);
            Some((one / two).max(two / one) - 1.0)
        });
        let far = far.fold(0.0, f64::max);
        let by = if self.libraries.len() > 1 { format!(" with {}", escaped(&reading.provider)) } else { String::new() };
        Some(match same && far < 0.15 {
            true if far > 0.0 => format!("{other}{by} gives the same answer as {own} (ratios {}).", within(far)),
            true => format!("{other}{by} gives the same answer as {own}."),
            false => format!("{other}{by}: {}.", reading.sentence(self.pair())),
        })
    }

    /// A sentence for each condition under which another cipher is faster somewhere.
    pub fn exception_sentences(&self) -> Vec<String> {
        let conditions = [
            (Condition::NewKey, "With a new key for each message"),
            (Condition::Contended, "With other work on the core"),
            (Condition::Mean, "By mean times, in which rare slow calls count"),
        ];
        let all: BTreeSet<Point> = self.libraries.iter().flat_map(|library| library.points().0).collect();
        let points = Points(all.into_iter().collect());
        let sentence = |(condition, when): (Condition, &str)| {
            let of = |side: Side, cipher: Cipher| {
                let own = self.exceptions.iter().filter(|one| (one.condition, one.faster) == (condition, side));
                let places: Vec<String> = own.map(|exception| place(exception, &points)).collect();
                (!places.is_empty()).then(|| format!("{} is faster {}", cipher.title(), listed(&places)))
            };
            let both: Vec<String> =
                [of(Side::First, self.first), of(Side::Second, self.second)].into_iter().flatten().collect();
            (!both.is_empty()).then(|| format!("{when}, {}.", listed(&both)))
        };
        conditions.into_iter().filter_map(sentence).collect()
    }

    /// Whose calls set their keys up.
    pub fn keyed_sentence(&self) -> Option<String> {
        let both = [self.first, self.second];
        unlike::keys(self.libraries.iter().flat_map(|library| {
            let is_inside = |place: usize| library.rows.iter().any(|row| row.figures[place].sets_key_up);
            [0, 1].map(|place| (both[place].algorithm, library.of[place].as_str(), is_inside(place)))
        }))
    }

    /// Of transfers, which program is fastest; `None` where none has a figure.
    pub fn programs_sentence(&self) -> Option<String> {
        let points = Points(self.usual().rows.iter().map(|row| row.point).collect());
        let said: Vec<_> = self
            .programs
            .iter()
            .map(|programs| {
                let names: Vec<String> = programs.providers.iter().map(|name| escaped(name)).collect();
                format!("{} {}", names.join(" or "), points.at(&programs.at))
            })
            .collect();
        (!said.is_empty()).then(|| format!("Fastest program with {}: {}.", self.first.title(), listed(&said)))
    }

    /// Libraries that have too few forks for a figure, of both ciphers.
    pub fn unsettled_sentence(&self) -> Option<String> {
        let fastest = self.fastest.as_ref()?;
        let both = [self.first, self.second].into_iter().flat_map(|cipher| fastest.of_cipher(cipher.algorithm));
        let names: BTreeSet<String> =
            both.filter(|standing| !standing.is_settled).map(|standing| escaped(&standing.provider)).collect();
        let names: Vec<_> = names.into_iter().collect();
        let few = few(&names, 5, "libraries");
        (!names.is_empty()).then(|| format!("Too few undisturbed forks for some figures of {few}."))
    }
}

/// `with openssl and ring at 1 MiB (1.09×)`
fn place(exception: &Exception, points: &Points) -> String {
    let names: Vec<String> = exception.providers.iter().map(|provider| escaped(provider)).collect();
    let with = few(&names, NAMED, "libraries");
    format!("with {with} {} ({})", points.at(&exception.at), span(exception.ratios.into()))
}
