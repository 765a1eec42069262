//! A page in a browser: an app there may bring any library beside the browser's own, so where that one lacks a cipher, no library binds
//! the choice, and what an app can have at best with each cipher is compared.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{CellId, Copy, Record};
use ciphermeter_estimate::CipherPair;

use crate::measured::measured;
use crate::point::Point;

/// What is the browser's own.
const OWN: &str = "webcrypto";

/// What stands for the library of either cipher, which may be another at each size.
pub(super) const FASTEST: &str = "each cipher's fastest library";

/// The fastest cell of either cipher at each size, where a page's browser lacks one of the ciphers; `None` where each library counts for itself.
pub(super) fn fastest(records: &[Record], pair: CipherPair) -> Option<BTreeSet<CellId>> {
    let is_of_page = |record: &&Record| record.is_of_page() && pair.takes(&record.cell) && measured(record).is_some();
    let of_page: Vec<&Record> = records.iter().filter(is_of_page).collect();
    let has_own = pair
        .both()
        .map(|cipher| of_page.iter().any(|record| record.cell.provider == OWN && cipher.is_of(&record.cell)));
    if of_page.is_empty() || has_own == [true; 2] {
        return None;
    }
    // The better of two copies would be better by chance.
    let is_copy = |record: &&Record| {
        let provider = record.cell.provider.as_str();
        Copy::read(provider).is_some_and(|(library, _)| library != provider)
    };
    let mut best = BTreeMap::<_, (f64, CellId)>::new();
    for record in of_page.into_iter().filter(|record| !is_copy(record)) {
        let Some(range) = measured(record).map(|summary| summary.range) else { continue };
        let key = (record.cell.algorithm, record.cell.operation, Point::of(&record.cell.parameters));
        let known = best.entry(key).or_insert((range.mid, record.id));
        if range.mid < known.0 {
            *known = (range.mid, record.id);
        }
    }
    Some(best.into_values().map(|(_, id)| id).collect())
}

#[cfg(test)]
mod tests {
    use ciphermeter_core::{Algorithm, Operation};

    use crate::answer;
    use crate::fixtures::{self, cell};

    /// A page on which AES is `webcrypto`'s at best, which is slow to call.
    fn sentences(chacha_of_browser: bool) -> Vec<String> {
        let [aes, chacha] = Algorithm::USUAL;
        let seal = |provider, algorithm, message, ns| cell(provider, algorithm, Operation::Seal, message, ns);
        let mut cells = vec![
            seal("webcrypto", aes, 64, 30_000.0),
            seal("webcrypto", aes, 1 << 20, 500_000.0),
            seal("rustcrypto-wasm", aes, 64, 2_000.0),
            seal("rustcrypto-wasm", aes, 1 << 20, 12_000_000.0),
            seal("rustcrypto-wasm.01", aes, 64, 900.0),
            seal("rustcrypto-wasm", chacha, 64, 1_000.0),
            seal("rustcrypto-wasm", chacha, 1 << 20, 4_000_000.0),
        ];
        if chacha_of_browser {
            cells.push(seal("webcrypto", chacha, 64, 30_000.0));
            cells.push(seal("webcrypto", chacha, 1 << 20, 700_000.0));
        }
        let mut records = fixtures::records(&cells, 8);
        fixtures::of_page(&mut records);
        answer(&fixtures::head(), &records).sentences
    }

    #[test]
    fn where_a_browser_lacks_a_cipher_each_counts_by_its_fastest_library_at_each_size() {
        let said = sentences(false).join(" ");
        assert!(said.starts_with("It depends on the size."), "{said}");
        assert!(said.contains("With each cipher's fastest library, AES-256-GCM is faster at 1 MiB (8.00×)"), "{said}");
        assert!(said.contains("ChaCha20-Poly1305 is faster at 64 B (2.00×)"), "{said}");
    }

    #[test]
    fn where_a_browser_has_both_each_library_counts_for_itself() {
        let said = sentences(true).join(" ");
        assert_eq!(said, "Use AES-256-GCM with webcrypto and ChaCha20-Poly1305 with rustcrypto-wasm.");
    }
}
