//! What speed does not say: limits and properties of a cipher that matter to the choice, each with its public source.

use ciphermeter_core::{Algorithm, CipherKind};

use super::program::Program;

/// A note on security.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub(super) struct Note {
    /// A sentence or two.
    pub(super) text: &'static str,
    /// The source in a few words, as it stands behind the text: `RFC 8446, 5.5`.
    pub(super) source: &'static str,
    /// Where it is published.
    pub(super) url: &'static str,
}

const GCM_TLS: Note = Note {
    text: "TLS 1.3 counts AES-GCM's nonces itself; a key is good for 2^24.5 full records (some 390 GB), and implementations should update it before.",
    source: "RFC 8446, 5.5",
    url: "https://www.rfc-editor.org/rfc/rfc8446#section-5.5",
};
const CHACHA20_TLS: Note = Note {
    text: "TLS 1.3 counts ChaCha20-Poly1305's nonces itself, and no key wears out before the records' numbers do.",
    source: "RFC 8446, 5.5",
    url: "https://www.rfc-editor.org/rfc/rfc8446#section-5.5",
};
pub(super) const RECORDS: Note = Note {
    text: "A TLS record holds at most 16 KiB: a larger message is several records, so count those in --mix.",
    source: "RFC 8446, 5.1",
    url: "https://www.rfc-editor.org/rfc/rfc8446#section-5.1",
};
const GCM_QUIC: Note = Note {
    text: "QUIC counts AES-GCM's nonces itself; a key is good for 2^23 packets, then it has to be updated.",
    source: "RFC 9001, 6.6",
    url: "https://www.rfc-editor.org/rfc/rfc9001#section-6.6",
};
const CHACHA20_QUIC: Note = Note {
    text: "QUIC counts ChaCha20-Poly1305's nonces itself, and no key wears out before the packets' numbers do.",
    source: "RFC 9001, 6.6",
    url: "https://www.rfc-editor.org/rfc/rfc9001#section-6.6",
};
const GCM_NONCES: Note = Note {
    text: "AES-GCM: never reuse a nonce with the same key: it reveals the authentication key. Use a counter. With random nonces, change the key before 2^32 messages.",
    source: "NIST SP 800-38D, 8.3 and appendix A",
    url: "https://doi.org/10.6028/NIST.SP.800-38D",
};
const CHACHA20_NONCES: Note = Note {
    text: "ChaCha20-Poly1305: never reuse a nonce with the same key: it reveals the XOR of both messages and permits forgeries. Use a counter.",
    source: "RFC 8439, 4",
    url: "https://www.rfc-editor.org/rfc/rfc8439#section-4",
};
const XCHACHA20_NONCES: Note = Note {
    text: "XChaCha20-Poly1305: its nonces of 192 bits may be random. It is no standard; the draft has expired.",
    source: "draft-irtf-cfrg-xchacha-03",
    url: "https://datatracker.ietf.org/doc/html/draft-irtf-cfrg-xchacha-03",
};
const GCM_SIV_NONCES: Note = Note {
    text: "AES-256-GCM-SIV withstands misuse: a reused nonce reveals only whether the two messages are equal.",
    source: "RFC 8452, 1 and 9",
    url: "https://www.rfc-editor.org/rfc/rfc8452#section-9",
};
const SIV_NONCES: Note = Note {
    text: "AES-SIV withstands misuse: without a nonce, or with a reused one, it reveals only whether two messages are equal.",
    source: "RFC 5297, 1.3",
    url: "https://www.rfc-editor.org/rfc/rfc5297#section-1.3",
};
const MISUSE: Note = Note {
    text: "Where nonces might repeat (several writers, restored machines), AES-256-GCM-SIV withstands that.",
    source: "RFC 8452, 1",
    url: "https://www.rfc-editor.org/rfc/rfc8452#section-1",
};
const TIMING: Note = Note {
    text: "Without AES instructions, AES from tables leaks its key through the cache's timing; ChaCha20 has no tables.",
    source: "Bernstein 2005; RFC 8439, 1",
    url: "https://cr.yp.to/antiforgery/cachetiming-20050414.pdf",
};
const TERRAPIN: Note = Note {
    text: "chacha20-poly1305@openssh.com needs strict key exchange at both ends (OpenSSH 9.6, or a patched one): without, the Terrapin attack deletes packets.",
    source: "CVE-2023-48795, arXiv:2312.12422",
    url: "https://arxiv.org/abs/2312.12422",
};

/// What the cipher is for: where a protocol or a tool counts nonces, their limits are its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Tls,
    /// Of TLS 1.3, there is no choice.
    Tls12,
    Quic,
    Ssh,
    /// A tool that moves files.
    Files,
    /// Code of your own.
    Own,
}

impl Use {
    /// Of a program, or of a workload by its name.
    pub(super) fn of(program: Option<&Program>, workload: Option<&str>) -> Self {
        match (program.map(|program| (program.name, program.scenario)), workload) {
            (Some(("ssh", _)), _) => Self::Ssh,
            (Some(("go", _)), _) => Self::Tls12,
            (Some(("quic", _)), _) | (None, Some("packet")) => Self::Quic,
            (Some((_, Some("tls"))), _) | (None, Some("tls")) => Self::Tls,
            (None, Some("transfer")) => Self::Files,
            _ => Self::Own,
        }
    }

    /// Whether its messages are records of TLS.
    pub(super) fn has_records(self) -> bool {
        matches!(self, Self::Tls | Self::Tls12)
    }
}

/// Those that belong to a cipher, the weightiest first.
pub(super) fn notes(algorithm: Algorithm, what: Use) -> Vec<Note> {
    use Algorithm::{Aes256Gcm, Aes256GcmSiv, Aes256Siv, ChaCha20Poly1305, XChaCha20Poly1305};
    let own = match (algorithm, what) {
        (ChaCha20Poly1305, Use::Ssh) => vec![TERRAPIN],
        (Aes256Gcm, Use::Quic) => vec![GCM_QUIC],
        (ChaCha20Poly1305, Use::Quic) => vec![CHACHA20_QUIC],
        (Aes256Gcm, Use::Tls) => vec![GCM_TLS],
        (ChaCha20Poly1305, Use::Tls) => vec![CHACHA20_TLS],
        (Aes256Gcm, Use::Own) => vec![GCM_NONCES, MISUSE],
        (ChaCha20Poly1305, Use::Own) => vec![CHACHA20_NONCES],
        (XChaCha20Poly1305, Use::Own) => vec![XCHACHA20_NONCES],
        (Aes256GcmSiv, Use::Own) => vec![GCM_SIV_NONCES],
        (Aes256Siv, Use::Own) => vec![SIV_NONCES],
        _ => Vec::new(),
    };
    let is_aes = algorithm.kind() == CipherKind::Aes;
    own.into_iter().chain(is_aes.then_some(TIMING)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::program::program;
    use super::super::question::is_candidate;
    use super::*;

    #[test]
    fn each_recommended_cipher_has_a_note_and_each_note_its_public_source() {
        for algorithm in Algorithm::ALL.iter().copied().filter(|algorithm| is_candidate(*algorithm)) {
            assert!(!notes(algorithm, Use::Own).is_empty(), "{algorithm}");
            for note in
                [Use::Tls, Use::Quic, Use::Ssh, Use::Files, Use::Own].map(|what| notes(algorithm, what)).concat()
            {
                assert!(note.url.starts_with("https://") && !note.source.is_empty(), "{note:?}");
                assert!(note.text.ends_with('.') && !note.text.contains('\n'), "{note:?}");
            }
        }
    }

    #[test]
    fn protocol_that_counts_nonces_has_its_own_limits() {
        let [aes, chacha20] = Algorithm::USUAL;
        let of = |algorithm, name| notes(algorithm, Use::of(program(name), None));
        assert_eq!(of(aes, "nginx")[0], GCM_TLS);
        assert_eq!(of(aes, "quic")[0], GCM_QUIC);
        assert_eq!(of(chacha20, "ssh"), [TERRAPIN]);
        assert!(!of(aes, "ssh").contains(&TERRAPIN));
        assert_eq!(Use::of(None, Some("tls")), Use::Tls);
        assert_eq!(Use::of(program("node"), Some("packet")), Use::Tls);
        assert_eq!(of(aes, "go"), [TIMING], "RFC 8446 says nothing of TLS 1.2");
        assert_eq!(notes(aes, Use::of(None, Some("iot")))[0], GCM_NONCES);
        assert!(notes(aes, Use::Own).contains(&TIMING) && !notes(chacha20, Use::Own).contains(&TIMING));
        assert_eq!(notes(aes, Use::Files), [TIMING]);
    }
}
