//! Which style each algorithm has.

use ciphermeter_core::{Algorithm, CipherKind};

use ciphermeter_chart::sheet::{Key, KeySample};
use ciphermeter_chart::style::SeriesStyle;

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
        Self(main.chain(rest.zip((2..).map(SeriesStyle))).collect())
    }

    /// The style of an algorithm.
    pub(super) fn of(&self, algorithm: Algorithm) -> SeriesStyle {
        self.0.iter().find(|(other, _)| *other == algorithm).map_or(SeriesStyle::AES, |(_, style)| *style)
    }

    /// Where an algorithm stands among them.
    pub(super) fn place(&self, algorithm: Algorithm) -> Option<usize> {
        self.0.iter().position(|(other, _)| *other == algorithm)
    }

    /// The legend of bars.
    pub(super) fn keys(&self) -> Vec<Key> {
        let key = |(algorithm, style): &(Algorithm, SeriesStyle)| Key {
            name: algorithm.title().into(),
            style: *style,
            sample: KeySample::Bar,
        };
        self.0.iter().map(key).collect()
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
            [(Aes256Gcm, SeriesStyle::AES), (ChaCha20Poly1305, SeriesStyle::CHACHA20), (Aes128Gcm, SeriesStyle(2))]
        );
    }
}
