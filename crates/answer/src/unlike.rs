//! What those that are compared do not have in common, a sentence each: sizes, tags, and when their keys are set up.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Algorithm, Record, escaped};

use crate::words::{few, listed, of_library, size, titles};

/// So many libraries, or ciphers of libraries, are named.
const NAMED: usize = 3;

/// Sizes that a cipher cannot have, and why: no table shows them.
pub(crate) fn sizes(records: &[Record]) -> impl Iterator<Item = String> {
    let mut refused = BTreeMap::<String, BTreeSet<u64>>::new();
    for cell in records.iter().map(|record| &record.cell).filter(|cell| cell.algorithm.is_cipher()) {
        if let Some(why) = cell.refused() {
            refused.entry(why).or_default().insert(cell.parameters.message());
        }
    }
    refused.into_iter().map(|(why, sizes)| {
        format!("Not compared at {}: {why}.", listed(&sizes.into_iter().map(size).collect::<Vec<_>>()))
    })
}

/// That there is no tag, or not everywhere the same.
pub(crate) fn tags(algorithms: impl IntoIterator<Item = Algorithm>) -> Option<String> {
    let mut lengths = BTreeMap::<usize, BTreeSet<Algorithm>>::new();
    for algorithm in algorithms {
        lengths.entry(algorithm.tag_bytes()).or_default().insert(algorithm);
    }
    let (least, shortest) = lengths.pop_first()?;
    let others: BTreeSet<Algorithm> = lengths.values().flatten().copied().collect();
    match (least, lengths.len()) {
        (0, 0) => Some("No tag: changed data goes unnoticed.".into()),
        (_, 0) => None,
        (0, _) => {
            let (without, with) = (titles(&shortest), titles(&others));
            Some(format!("{without} has no tag, so changed data goes unnoticed; {with} notices it."))
        }
        (_, 1) => {
            let most = lengths.keys().next()?;
            Some(format!("Tags of {} have {least} bytes, others {most}.", titles(&shortest)))
        }
        _ => {
            let of = |(bytes, own): (&usize, &BTreeSet<Algorithm>)| format!("of {} {bytes}", titles(own));
            let others: Vec<String> = lengths.iter().map(of).collect();
            Some(format!("Tags of {} have {least} bytes, {}.", titles(&shortest), listed(&others)))
        }
    }
}

/// Of ciphers by their libraries, those whose calls set the key up each time, so that their figures hold for a new key each time: a
/// library by its name where that is so of all that it has here.
pub(crate) fn keys<'a>(cells: impl IntoIterator<Item = (Algorithm, &'a str, bool)>) -> Option<String> {
    let mut libraries = BTreeMap::<&str, (BTreeSet<String>, bool)>::new();
    for (algorithm, provider, is_inside) in cells {
        let (ciphers, are_all) = libraries.entry(provider).or_insert((BTreeSet::new(), true));
        ciphers.extend(is_inside.then(|| of_library(algorithm, provider)));
        *are_all &= is_inside;
    }
    let names = |(provider, (ciphers, are_all)): (&str, (BTreeSet<String>, bool))| match are_all {
        true => vec![escaped(provider)],
        false => ciphers.into_iter().collect(),
    };
    let names: Vec<String> = libraries.into_iter().flat_map(names).collect();
    let few = few(&names, NAMED, "ciphers of these libraries");
    (!names.is_empty()).then(|| format!("Each call of {few} sets up its key."))
}

#[cfg(test)]
mod tests {
    use ciphermeter_core::Operation;

    use super::*;
    use crate::fixtures::{self, cell};

    #[test]
    fn sizes_that_a_cipher_cannot_have_are_said_with_the_reason() {
        let of = |algorithm, message| cell("openssl", algorithm, Operation::Encrypt, message, 9.0);
        let cells = [of(Algorithm::Aes256Xts, 100), of(Algorithm::Adiantum, 8192), of(Algorithm::Adiantum, 1 << 20)];
        let said: Vec<String> = sizes(&fixtures::records(&cells, 6)).collect();
        let [adiantum, xts] =
            [Algorithm::Adiantum.refuses(8192), Algorithm::Aes256Xts.refuses(100)].map(Option::unwrap);
        assert_eq!(
            said,
            [format!("Not compared at 8 KiB and 1 MiB: {adiantum}."), format!("Not compared at 100 B: {xts}.")]
        );
        assert_eq!(sizes(&fixtures::run().1).count(), 0);
    }

    #[test]
    fn tags_of_other_lengths_are_said() {
        use Algorithm::{Aes128Ccm8, Aes128Gcm, Aes256Cbc, Aes256Ctr, ChaCha20Poly1305};
        let said = |algorithms: &[Algorithm]| tags(algorithms.iter().copied()).unwrap_or_default();
        assert_eq!(said(&[Aes128Gcm, ChaCha20Poly1305]), "");
        assert_eq!(said(&[Aes128Gcm, Aes128Ccm8]), "Tags of AES-128-CCM-8 have 8 bytes, others 16.");
        let three = "Tags of AES-128-CCM-4 have 4 bytes, of AES-128-GCM 16 and of AEGIS-256-32 32.";
        assert_eq!(said(&[Algorithm::Aegis25632, Aes128Gcm, Algorithm::Aes128Ccm4]), three);
        assert_eq!(said(&[Aes256Ctr, Aes256Cbc]), "No tag: changed data goes unnoticed.");
        let one = "AES-256-CBC has no tag, so changed data goes unnoticed; ChaCha20-Poly1305 notices it.";
        assert_eq!(said(&[Aes256Cbc, ChaCha20Poly1305]), one);
    }

    #[test]
    fn library_that_always_sets_keys_up_stands_for_its_ciphers() {
        let [aes, chacha20] = Algorithm::USUAL;
        let said = |cells: &[(Algorithm, &str, bool)]| keys(cells.iter().copied());
        assert_eq!(said(&[(aes, "a", false)]), None);
        let own = said(&[(aes, "a", true), (chacha20, "a", true), (aes, "b", true), (chacha20, "b", false)]);
        assert_eq!(own.as_deref(), Some("Each call of a and b's AES-256-GCM sets up its key."));
    }
}
