//! Which look each algorithm has.

use ciphermeter_core::{Algorithm, CipherKind};

use ciphermeter_chart::look::Look;
use ciphermeter_chart::sheet::{Key, KeySample};

/// Algorithms in the order in which they get looks, so that the same one looks alike in all panels and figures with the same ciphers.
#[derive(Debug, PartialEq)]
pub(super) struct Looks(pub(super) Vec<(Algorithm, Look)>);

impl Looks {
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
        let main = [(aes, Look::AES), (chacha20, Look::CHACHA20)];
        let main = main.into_iter().filter_map(|(algorithm, look)| Some((algorithm?, look)));
        Self(main.chain(rest.zip((2..).map(Look))).collect())
    }

    /// The look of an algorithm.
    pub(super) fn of(&self, algorithm: Algorithm) -> Look {
        self.0.iter().find(|(other, _)| *other == algorithm).map_or(Look::AES, |(_, look)| *look)
    }

    /// Where an algorithm stands among them.
    pub(super) fn place(&self, algorithm: Algorithm) -> Option<usize> {
        self.0.iter().position(|(other, _)| *other == algorithm)
    }

    /// The legend of bars.
    pub(super) fn keys(&self) -> Vec<Key> {
        let key = |(algorithm, look): &(Algorithm, Look)| Key {
            name: algorithm.title().into(),
            look: *look,
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
        let of = |all: &[Algorithm]| Looks::new(all.iter().copied()).0;
        assert_eq!(of(&[ChaCha20Poly1305]), [(ChaCha20Poly1305, Look::CHACHA20)]);
        assert_eq!(of(&[Aes256Siv, ChaCha20Poly1305])[0], (Aes256Siv, Look::AES));
        assert_eq!(
            of(&[Aes128Gcm, ChaCha20Poly1305, Aes256Gcm, Aes256Gcm]),
            [(Aes256Gcm, Look::AES), (ChaCha20Poly1305, Look::CHACHA20), (Aes128Gcm, Look(2))]
        );
    }
}
