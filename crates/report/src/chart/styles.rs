//! Which style each algorithm and each library has: the same in all of a run's figures.

use ciphermeter_core::{Algorithm, CipherKind, Operation, Record};

use super::cell::{OperationForm, by_least, is_cipher, operation_form, operation_forms};
use ciphermeter_answer::measured::measured;
use ciphermeter_chart::style::{STYLES, SeriesStyle};

/// Algorithms in the order in which they get styles, so that each has the same style in all panels and figures with the same ciphers.
#[derive(Debug, PartialEq)]
pub(super) struct CipherStyles(pub(super) Vec<(Algorithm, SeriesStyle)>);

impl CipherStyles {
    pub(super) fn new(algorithms: impl IntoIterator<Item = Algorithm>) -> Self {
        let mut all: Vec<Algorithm> = algorithms.into_iter().collect();
        all.sort();
        all.dedup();
        let first = |wanted: &dyn Fn(Algorithm) -> bool| all.iter().copied().find(|algorithm| wanted(*algorithm));
        let is_chacha20 = |algorithm: Algorithm| algorithm.kind() == CipherKind::ChaCha;
        let is_usual = |algorithm: Algorithm| algorithm == Algorithm::USUAL[0];
        let aes = first(&is_usual).or(first(&|algorithm| !is_chacha20(algorithm)));
        let chacha20 = first(&is_chacha20);
        let rest = all.iter().copied().filter(|algorithm| Some(*algorithm) != aes && Some(*algorithm) != chacha20);
        let main = [(aes, SeriesStyle::AES), (chacha20, SeriesStyle::CHACHA20)];
        let main = main.into_iter().filter_map(|(algorithm, style)| Some((algorithm?, style)));
        Self(main.chain(rest.zip((2..).map(SeriesStyle::new))).collect())
    }

    pub(super) fn of(&self, algorithm: Algorithm) -> SeriesStyle {
        self.0.iter().find(|(other, _)| *other == algorithm).map_or(SeriesStyle::AES, |(_, style)| *style)
    }

    pub(super) fn place(&self, algorithm: Algorithm) -> Option<usize> {
        self.0.iter().position(|(other, _)| *other == algorithm)
    }
}

/// Libraries and algorithms that take turns on one CPU.
pub(super) struct Libraries<'a> {
    /// Fastest first, by the largest size of the operation and form of most cells.
    providers: Vec<&'a str>,
    pub(super) ciphers: CipherStyles,
}

/// What is done in ciphers' cells that take turns on one CPU and have a figure, that of most cells
/// first.
pub(super) fn operation_forms_here(records: &[Record], has_figure: fn(&Record) -> bool) -> Vec<OperationForm> {
    operation_forms(records.iter().filter(|record| takes_turns(record) && has_figure(record)))
}

/// Whether it is a cipher's that takes turns with others on one CPU.
pub(super) fn takes_turns(record: &Record) -> bool {
    let cell = &record.cell;
    is_cipher(record)
        && cell.parameters.cpus().is_none()
        && !cell.is_transfer()
        && cell.operation != Operation::KeySetup
}

impl<'a> Libraries<'a> {
    pub(super) fn of(records: &'a [Record]) -> Self {
        let here = || records.iter().filter(|record| takes_turns(record) && measured(record).is_some());
        let usual = operation_forms(here()).into_iter().next();
        let largest = here().map(|record| record.cell.parameters.message()).max();
        let time = |record: &Record| {
            let counts = Some(operation_form(record)) == usual && Some(record.cell.parameters.message()) == largest;
            measured(record).filter(|_| counts).map_or(f64::INFINITY, |summary| summary.range.mid)
        };
        let providers = by_least(here().map(|record| (record.cell.provider.as_str(), time(record))));
        Self { providers, ciphers: CipherStyles::new(here().map(|record| record.cell.algorithm)) }
    }

    pub(super) fn place(&self, provider: &str) -> Option<usize> {
        self.providers.iter().position(|other| *other == provider)
    }

    pub(super) fn are_many(&self) -> bool {
        self.providers.len() > STYLES
    }

    pub(super) fn styled(&self) -> impl Iterator<Item = (&'a str, SeriesStyle)> {
        self.providers.iter().enumerate().map(|(place, provider)| (*provider, SeriesStyle::of_library(place)))
    }

    /// The styles of a figure's libraries, of which the first have room: their own, and of those
    /// that have none the ones left over.
    pub(super) fn styles(&self, names: &[&str]) -> Vec<SeriesStyle> {
        let drawn = &names[..names.len().min(STYLES)];
        let own = |name: &&str| self.place(name).filter(|place| *place < STYLES);
        let taken: Vec<usize> = drawn.iter().filter_map(own).collect();
        let mut free = (0..STYLES).filter(|place| !taken.contains(place));
        let places: Vec<usize> = drawn.iter().filter_map(|name| own(name).or_else(|| free.next())).collect();
        places.into_iter().chain(STYLES..names.len()).map(SeriesStyle::of_library).collect()
    }

    /// The styles of ciphers of libraries that have a line each: where all are one algorithm, a
    /// line stands for a library.
    pub(super) fn styles_of_ciphers(&self, ciphers: &[(Algorithm, &str)]) -> Vec<SeriesStyle> {
        match ciphers.iter().all(|(algorithm, _)| *algorithm == ciphers[0].0) {
            true => self.styles(&ciphers.iter().map(|(_, provider)| *provider).collect::<Vec<_>>()),
            false => (0..ciphers.len()).map(SeriesStyle::new).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aes_and_chacha20_always_look_the_same() {
        use Algorithm::{Aes128Gcm, Aes256Gcm, Aes256Siv, ChaCha20Poly1305};
        let of = |all: &[Algorithm]| CipherStyles::new(all.iter().copied()).0;
        assert_eq!(of(&[ChaCha20Poly1305]), [(ChaCha20Poly1305, SeriesStyle::CHACHA20)]);
        assert_eq!(of(&[Aes256Siv, ChaCha20Poly1305])[0], (Aes256Siv, SeriesStyle::AES));
        assert_eq!(
            of(&[Aes128Gcm, ChaCha20Poly1305, Aes256Gcm, Aes256Gcm]),
            [
                (Aes256Gcm, SeriesStyle::AES),
                (ChaCha20Poly1305, SeriesStyle::CHACHA20),
                (Aes128Gcm, SeriesStyle::new(2))
            ]
        );
    }
}
