//! What the ciphers take besides, at the middle one of the sizes: RAM, flash and charge.

use ciphermeter_core::Algorithm;

use super::choice::{Candidate, Choice};
use super::words::{is_aes, is_usual, named};
use crate::device::Besides;

/// The choice at the middle one of the sizes: neither the fixed cost of a call nor that of bytes alone.
pub(super) fn middle<'b, 'a>(choices: &'b [Choice<'a>]) -> Option<&'b Choice<'a>> {
    choices.get(choices.len().saturating_sub(1) / 2)
}

/// The cipher to use there and the one to use instead: the cheapest of AES and of ChaCha20 that is not the same sort.
pub(super) fn both<'b, 'a>(choice: &'b Choice<'a>) -> (Option<&'b Candidate<'a>>, Option<&'b Candidate<'a>>) {
    let first = choice.offers.first();
    let is_other = |offer: &&Candidate| {
        first.is_some_and(|first| {
            first.algorithm != offer.algorithm && is_aes(first.algorithm) != is_aes(offer.algorithm)
        }) && is_usual(offer.algorithm)
    };
    let instead = choice.offers.iter().skip(1).find(is_other).or(choice.offers.get(1));
    (first, instead)
}

/// The ciphers that have a column: each that wins at some size, then the best AES and ChaCha20, then whichever others cost least; AES and
/// ChaCha20 stand first.
pub(super) fn columns(choices: &[Choice], most: usize) -> Vec<Algorithm> {
    let cheapest = |test: fn(Algorithm) -> bool| {
        let of = |choice: &&Choice| choice.offers.iter().any(|offer| test(offer.algorithm));
        let choice = middle(choices).filter(|choice| of(choice)).or_else(|| choices.iter().find(of))?;
        choice.offers.iter().map(|offer| offer.algorithm).find(|algorithm| test(*algorithm))
    };
    let winners = choices.iter().flat_map(|choice| named(&choice.best));
    let usual = [cheapest(is_aes), cheapest(|algorithm| is_usual(algorithm) && !is_aes(algorithm))];
    let others = choices.iter().flat_map(|choice| choice.offers.iter().map(|offer| offer.algorithm));
    let mut all: Vec<Algorithm> = Vec::new();
    for algorithm in winners.chain(usual.into_iter().flatten()).chain(others) {
        if !all.contains(&algorithm) {
            all.push(algorithm);
        }
    }
    all.truncate(most);
    let rank = |algorithm: &Algorithm| match *algorithm {
        aes if is_aes(aes) => 0,
        chacha if is_usual(chacha) => 1,
        _ => 2,
    };
    all.sort_by_key(rank);
    all
}

/// Which of the three any device says.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Known {
    pub(super) ram: bool,
    pub(super) flash: bool,
    pub(super) charge: bool,
}

impl Known {
    pub(super) fn of<'a>(choices: impl Iterator<Item = &'a Choice<'a>>) -> Self {
        let mut known = Self::default();
        for offer in choices.flat_map(|choice| &choice.offers) {
            let besides = Besides::of(offer.record());
            known.ram |= besides.ram().is_some();
            known.flash |= besides.code.is_some();
            known.charge |= besides.charged().is_some();
        }
        known
    }
}
