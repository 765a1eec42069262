//! The libraries of a cipher by the language that calls them.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Algorithm, escaped};
use ciphermeter_estimate::CipherPair;

use super::fastest::{Fastest, Standing};
use crate::words::fit;

/// From so many languages on, libraries are listed by language.
pub const LEAST_LANGUAGES: usize = 4;

const MOST_VERSION: usize = 32;

/// What the libraries of both ciphers are, where a language may bring its own: `pyca 50.0.2, OpenSSL 3.5.4`.
pub fn versions(fastest: &Fastest, pair: CipherPair) -> Option<String> {
    let own = |algorithm: Algorithm| best_by_language(fastest.of_cipher(algorithm)).into_values();
    let version = |standing: &Standing| {
        let version = fit(&escaped(standing.version.as_ref()?), MOST_VERSION);
        Some(format!("{} {version}", escaped(&standing.provider)))
    };
    if languages_of(fastest).len() < LEAST_LANGUAGES {
        return None;
    }
    let both = pair.both().into_iter().flat_map(|cipher| own(cipher.algorithm));
    let all: BTreeSet<String> = both.filter_map(version).collect();
    let all: Vec<_> = all.into_iter().collect();
    (!all.is_empty()).then(|| format!("Versions: {}.", all.join("; ")))
}

/// The languages that have a settled library.
pub fn languages_of(fastest: &Fastest) -> BTreeSet<&str> {
    fastest.ciphers.iter().flat_map(|cipher| best_by_language(&cipher.libraries).into_keys()).collect()
}

/// The fastest library for each language.
pub fn best_by_language(libraries: &[Standing]) -> BTreeMap<&str, &Standing> {
    let mut best = BTreeMap::new();
    for standing in libraries.iter().filter(|standing| standing.is_settled) {
        if let Some(language) = standing.language.as_deref() {
            best.entry(language).or_insert(standing);
        }
    }
    best
}
