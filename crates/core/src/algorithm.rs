//! The algorithms, and the sizes that each fixes.

use crate::word::words;
use crate::{Form, Operation};

words! {
    /// A symmetric algorithm, or one of the ceilings measured beside them.
    Algorithm, "algorithm" {
        /// AES-128 in Galois/counter mode, NIST SP 800-38D.
        Aes128Gcm = "aes-128-gcm",
        /// AES-256 in Galois/counter mode, NIST SP 800-38D.
        Aes256Gcm = "aes-256-gcm",
        /// AES-256-GCM-SIV, RFC 8452.
        Aes256GcmSiv = "aes-256-gcm-siv",
        /// AES-SIV with a 64-byte key, RFC 5297; the tag comes first.
        Aes256Siv = "aes-256-siv",
        /// ChaCha20-Poly1305, RFC 8439.
        ChaCha20Poly1305 = "chacha20-poly1305",
        /// XChaCha20-Poly1305 with a 24-byte nonce, draft-irtf-cfrg-xchacha.
        XChaCha20Poly1305 = "xchacha20-poly1305",
        /// Ascon-AEAD128, NIST SP 800-232.
        AsconAead128 = "ascon-aead128",
        /// AES-256 in counter mode, 128-bit big-endian carry, NIST SP 800-38A.
        Aes256Ctr = "aes-256-ctr",
        /// AES-256 in cipher block chaining mode with PKCS#7 padding, NIST SP 800-38A.
        Aes256Cbc = "aes-256-cbc",
        /// ChaCha20 alone, block counter from 0, RFC 8439.
        ChaCha20 = "chacha20",
        /// The message XORed with a 32-byte key, repeated: no cipher, the cost of touching memory.
        Xor = "xor",
        /// Ceiling: copying the message.
        Memcpy = "memcpy",
        /// Ceiling: 14 independent AES rounds for each 16 bytes, in registers.
        AesUnit = "aes-unit",
        /// Ceiling: 3 carry-less multiplications for each 16 bytes, in registers.
        ClmulUnit = "clmul-unit",
        /// Ceiling of split messages: every byte of the message inverted in place.
        ReadModifyWrite = "read-modify-write",
        /// Ceiling of a card: copying the message to it.
        CopyIn = "copy-in",
        /// Ceiling of a card: copying the message back from it.
        CopyOut = "copy-out",
        /// Ceiling of transfers: the same frames over TCP, without a cipher.
        TcpPlain = "tcp-plain",
        /// Integer additions that show whether something else uses the same physical core; not a ceiling.
        Probe = "witness",
    }
}

/// An algorithm's family, which determines its operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Authenticated encryption with associated data: seal and open.
    Aead,
    /// A bare cipher: encrypt and decrypt.
    Bare,
    /// A limit of the silicon, which is part of every group.
    Ceiling,
}

impl Algorithm {
    /// The algorithm's family.
    pub const fn family(self) -> Family {
        match self {
            Self::Aes128Gcm
            | Self::Aes256Gcm
            | Self::Aes256GcmSiv
            | Self::Aes256Siv
            | Self::ChaCha20Poly1305
            | Self::XChaCha20Poly1305
            | Self::AsconAead128 => Family::Aead,
            Self::Aes256Ctr | Self::Aes256Cbc | Self::ChaCha20 | Self::Xor => Family::Bare,
            Self::Memcpy
            | Self::AesUnit
            | Self::ClmulUnit
            | Self::ReadModifyWrite
            | Self::CopyIn
            | Self::CopyOut
            | Self::TcpPlain
            | Self::Probe => Family::Ceiling,
        }
    }

    /// Its name as standards write it: `AES-256-GCM`; a ceiling's word.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Aes128Gcm => "AES-128-GCM",
            Self::Aes256Gcm => "AES-256-GCM",
            Self::Aes256GcmSiv => "AES-256-GCM-SIV",
            Self::Aes256Siv => "AES-256-SIV",
            Self::ChaCha20Poly1305 => "ChaCha20-Poly1305",
            Self::XChaCha20Poly1305 => "XChaCha20-Poly1305",
            Self::AsconAead128 => "Ascon-AEAD128",
            Self::Aes256Ctr => "AES-256-CTR",
            Self::Aes256Cbc => "AES-256-CBC",
            Self::ChaCha20 => "ChaCha20",
            Self::Xor => "XOR",
            _ => self.as_str(),
        }
    }

    /// Whether the algorithm has this operation.
    pub const fn has(self, operation: Operation) -> bool {
        match self.family() {
            _ if matches!(operation, Operation::Transfer) => {
                matches!(self, Self::Aes256Gcm | Self::ChaCha20Poly1305 | Self::TcpPlain)
            }
            Family::Aead => matches!(operation, Operation::KeySetup | Operation::Seal | Operation::Open),
            Family::Bare if matches!(self, Self::Xor) => {
                matches!(operation, Operation::Encrypt | Operation::Decrypt)
            }
            Family::Bare => matches!(operation, Operation::KeySetup | Operation::Encrypt | Operation::Decrypt),
            Family::Ceiling if self.is_of_split_alone() => matches!(operation, Operation::Encrypt),
            Family::Ceiling => !matches!(self, Self::TcpPlain) && !matches!(operation, Operation::KeySetup),
        }
    }

    /// Whether it may have this form: any place of its key stream must be within reach to split a message.
    pub const fn has_form(self, form: Form) -> bool {
        match form {
            Form::Static => {
                matches!(self, Self::Aes256Ctr | Self::Xor | Self::Memcpy | Self::AesUnit | Self::ReadModifyWrite)
            }
            // Its ceilings are those of `static`.
            Form::Dynamic => matches!(self, Self::Aes256Ctr | Self::Xor),
            Form::Mapped | Form::Buffered | Form::Direct => {
                matches!(self, Self::Aes256Ctr | Self::Xor | Self::Memcpy)
            }
            Form::Device => matches!(self, Self::Aes256Ctr | Self::Xor | Self::Memcpy | Self::ReadModifyWrite),
            Form::EndToEnd | Form::Pageable => {
                matches!(self, Self::Aes256Ctr | Self::Xor | Self::Memcpy | Self::CopyIn | Self::CopyOut)
            }
            Form::InPlace | Form::Into | Form::Fresh | Form::Discard | Form::File => !self.is_of_split_alone(),
        }
    }

    /// Whether it is measured beside split messages only.
    const fn is_of_split_alone(self) -> bool {
        matches!(self, Self::ReadModifyWrite | Self::CopyIn | Self::CopyOut)
    }

    /// Length of the key in bytes, 0 for a ceiling.
    pub const fn key_bytes(self) -> usize {
        match self {
            Self::Aes128Gcm | Self::AsconAead128 => 16,
            Self::Aes256Siv => 64,
            _ if matches!(self.family(), Family::Ceiling) => 0,
            _ => 32,
        }
    }

    /// Length of a prepared cell's nonce in bytes, 0 where it has none.
    pub const fn nonce_bytes(self) -> usize {
        match self {
            Self::Aes128Gcm | Self::Aes256Gcm | Self::Aes256GcmSiv | Self::ChaCha20Poly1305 | Self::ChaCha20 => 12,
            Self::XChaCha20Poly1305 => 24,
            Self::Aes256Ctr | Self::Aes256Cbc | Self::AsconAead128 => 16,
            _ => 0,
        }
    }

    /// Length of the tag in bytes, 0 where there is none.
    pub const fn tag_bytes(self) -> usize {
        match self.family() {
            Family::Aead => 16,
            Family::Bare | Family::Ceiling => 0,
        }
    }

    /// Length of the sealed text of a message of `message` bytes.
    pub const fn sealed_bytes(self, message: usize) -> usize {
        match self {
            Self::Aes256Cbc => message - message % 16 + 16,
            _ => message + self.tag_bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_parses_to_itself() {
        for algorithm in Algorithm::ALL {
            assert_eq!(algorithm.as_str().parse(), Ok(*algorithm));
        }
    }

    #[test]
    fn unknown_algorithm_is_named_with_the_known_ones() {
        let error = "rot13".parse::<Algorithm>().unwrap_err().to_string();
        assert!(error.starts_with("unknown algorithm `rot13`; known are aes-128-gcm, aes-256-gcm"), "{error}");
    }

    #[test]
    fn two_suites_and_their_ceiling_transfer_files() {
        let moves = Algorithm::ALL.iter().filter(|algorithm| algorithm.has(Operation::Transfer));
        let moves: Vec<_> = moves.map(|algorithm| algorithm.as_str()).collect();
        assert_eq!(moves, ["aes-256-gcm", "chacha20-poly1305", "tcp-plain"]);
        assert!(
            Operation::ALL.iter().filter(|operation| Algorithm::TcpPlain.has(**operation)).eq([&Operation::Transfer])
        );
    }

    #[test]
    fn padding_always_adds_at_least_a_byte() {
        assert_eq!(Algorithm::Aes256Cbc.sealed_bytes(0), 16);
        assert_eq!(Algorithm::Aes256Cbc.sealed_bytes(15), 16);
        assert_eq!(Algorithm::Aes256Cbc.sealed_bytes(16), 32);
    }
}
