//! What speed does not say: limits and properties of a cipher that matter to the choice, from `programs/notes.toml`.

use std::sync::LazyLock;

use ciphermeter_core::{Algorithm, Bytes, Nonces};
use serde::{Deserialize, Serialize};

const FILE: &str = include_str!("../../../programs/notes.toml");

static NOTES: LazyLock<Vec<Note>> =
    LazyLock::new(|| toml::from_str(FILE).map(|Notes { note }| note).unwrap_or_default());

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Notes {
    note: Vec<Note>,
}

/// A note on security.
#[derive(Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// The ciphers that it is of; none: any.
    #[serde(default, skip_serializing)]
    ciphers: Vec<Algorithm>,
    /// Who counts nonces where it holds; none: whoever.
    #[serde(default, skip_serializing)]
    nonces: Vec<Nonces>,
    /// It is of a mix with larger messages than that alone.
    #[serde(skip_serializing)]
    above: Option<Bytes>,
    /// Code paths of which it does not hold: `ssse3` permutes bytes and looks nothing up in tables.
    #[serde(default, skip_serializing)]
    unless: Vec<String>,
    /// A sentence or two.
    pub text: String,
    /// The source in a few words, as it stands behind the text: `RFC 8446, 5.5`.
    pub source: String,
    /// Where it is published.
    pub url: String,
}

impl Note {
    /// Whether it is of what was asked rather than of the answer.
    pub fn is_of_question(&self) -> bool {
        self.above.is_some()
    }

    /// Whether it holds of code with these paths.
    pub(crate) fn holds_of(&self, paths: &[&str]) -> bool {
        paths.is_empty() || paths.iter().any(|path| !self.unless.iter().any(|own| own == path))
    }
}

/// Those that belong to a cipher, or to a mix whose largest message that is, the weightiest first.
pub fn notes(algorithm: Option<Algorithm>, nonces: Nonces, largest: Option<u64>) -> Vec<&'static Note> {
    let fits = |note: &&Note| {
        let is_of_cipher = match note.above {
            Some(above) => largest.is_some_and(|largest| largest > above.0),
            None => algorithm.is_some_and(|algorithm| note.ciphers.contains(&algorithm)),
        };
        is_of_cipher && (note.nonces.is_empty() || note.nonces.contains(&nonces))
    };
    NOTES.iter().filter(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ciphermeter_core::CipherKind;

    fn sources(algorithm: Algorithm, nonces: Nonces) -> Vec<&'static str> {
        notes(Some(algorithm), nonces, None).into_iter().map(|note| note.source.as_str()).collect()
    }

    #[test]
    fn file_is_read_and_an_unknown_key_is_refused() {
        let read: Result<Notes, _> = toml::from_str(FILE);
        assert!(read.is_ok_and(|read| read.note.len() == NOTES.len() && !NOTES.is_empty()));
        assert!(toml::from_str::<Notes>(&FILE.replace("ciphers = ", "cipher = ")).is_err());
    }

    #[test]
    fn each_cipher_that_stands_alone_has_a_note_and_each_note_its_public_source() {
        for algorithm in Algorithm::ALL.iter().copied().filter(|own| own.stands_alone()) {
            let own = notes(Some(algorithm), Nonces::Own, None);
            // Of one with a tag: what a repeated nonce does, and whether it commits to its key.
            let has = |word: &str| own.iter().any(|note| note.text.contains(word));
            let has_tag = algorithm.tag_bytes() > 0;
            assert!(!own.is_empty() && (!has_tag || has("nonce") && has("commit")), "{algorithm}");
            let has_timing = sources(algorithm, Nonces::Transfer).contains(&"Bernstein 2005; RFC 8439, 1");
            assert_eq!(has_timing, algorithm.kind() == CipherKind::Aes, "{algorithm}");
        }
        for note in NOTES.iter() {
            assert!(note.url.starts_with("https://") && !note.source.is_empty(), "{note:?}");
            assert!(note.text.ends_with('.') && !note.text.contains('\n'), "{note:?}");
            assert!(note.ciphers.is_empty() == note.above.is_some(), "{note:?}");
        }
    }

    #[test]
    fn code_that_permutes_bytes_has_no_tables_to_leak() {
        let of_tables = |note: &&&Note| note.text.contains("AES from tables");
        let all = notes(Some(Algorithm::Aes256Gcm), Nonces::Own, None);
        let tables = all.iter().find(of_tables).expect("a note");
        let holds = [&["ssse3"][..], &["soft"], &["ssse3", "soft"], &[]].map(|paths| tables.holds_of(paths));
        assert_eq!(holds, [false, true, true, true]);
    }

    #[test]
    fn protocol_that_counts_nonces_has_its_own_limits() {
        let [aes, chacha20] = Algorithm::USUAL;
        let [timing, commits] = ["Bernstein 2005; RFC 8439, 1", "Albertini and others 2020"];
        assert_eq!(sources(aes, Nonces::Tls), ["RFC 8446, 5.5", timing]);
        assert_eq!(sources(aes, Nonces::Quic), ["RFC 9001, 6.6", timing]);
        assert_eq!(sources(chacha20, Nonces::Ssh), ["CVE-2023-48795, arXiv:2312.12422"]);
        assert_eq!(sources(aes, Nonces::Ssh), [timing]);
        assert_eq!(sources(aes, Nonces::Tls12), [timing], "RFC 8446 says nothing of TLS 1.2");
        assert_eq!(sources(aes, Nonces::Own), ["NIST SP 800-38D, 8.3 and appendix A", "RFC 8452, 1", commits, timing]);
        assert_eq!(sources(chacha20, Nonces::Own), ["RFC 8439, 4", commits]);
    }

    #[test]
    fn record_of_tls_holds_its_content_and_a_byte_for_its_type() {
        let of = |nonces, largest| notes(None, nonces, largest).len();
        let sizes = [Some(16_385), Some(16_386), None];
        assert_eq!(sizes.map(|largest| of(Nonces::Tls, largest)), [0, 1, 0]);
        assert_eq!(sizes.map(|largest| of(Nonces::Tls12, largest)), [0, 1, 0]);
        assert_eq!(of(Nonces::Quic, Some(16_386)), 0);
    }
}
