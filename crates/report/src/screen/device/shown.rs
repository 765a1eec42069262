//! Which ciphers of a device are shown.

use ciphermeter_answer::devices::{Choice, DeviceAnswer, Offer, is_aes, is_usual};
use ciphermeter_core::Algorithm;

/// The cipher to use there and the one to use instead: the cheapest of AES and of ChaCha20 that is not the same sort.
pub(super) fn both(choice: &Choice) -> (Option<&Offer>, Option<&Offer>) {
    let first = choice.offers.first();
    let is_other = |offer: &&Offer| {
        first.is_some_and(|first| {
            first.algorithm != offer.algorithm && is_aes(first.algorithm) != is_aes(offer.algorithm)
        }) && is_usual(offer.algorithm)
    };
    let instead = choice.ciphers().skip(1).find(is_other).or(choice.ciphers().nth(1));
    (first, instead)
}

/// The ciphers that have a column: each that wins at some size, then the best AES and ChaCha20, then whichever others cost least; AES and
/// ChaCha20 stand first.
pub(super) fn columns(device: &DeviceAnswer, most: usize) -> Vec<Algorithm> {
    let choices = &device.choices;
    let cheapest = |test: fn(Algorithm) -> bool| {
        let of = |choice: &&Choice| choice.offers.iter().any(|offer| test(offer.algorithm));
        let choice = device.middle().filter(|choice| of(choice)).or_else(|| choices.iter().find(of))?;
        choice.offers.iter().map(|offer| offer.algorithm).find(|algorithm| test(*algorithm))
    };
    let winners = choices.iter().flat_map(|choice| choice.best.named());
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
