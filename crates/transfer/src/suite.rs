//! The suites that seal files. There are two, and the type has no room for a third: neither a null cipher nor
//! anything older can be negotiated.

use std::fmt;
use std::str::FromStr;

use aws_lc_rs::aead;
use ciphermeter_core::Algorithm;
use serde::{Deserialize, Serialize};

/// Bytes of a tag, in both suites.
pub const TAG: usize = 16;
/// Bytes of a key, in both suites.
pub const KEY: usize = 32;

/// An AEAD that may seal files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Suite {
    /// AES-256 in Galois/Counter Mode (NIST SP 800-38D).
    #[serde(rename = "aes-256-gcm")]
    Aes256Gcm,
    /// ChaCha20 and Poly1305 (RFC 8439).
    #[serde(rename = "chacha20-poly1305")]
    ChaCha20Poly1305,
}

/// A word that names no suite.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown suite; use aes-256-gcm or chacha20-poly1305")]
pub struct UnknownSuite;

impl Suite {
    /// Both, AES first.
    pub const ALL: [Self; 2] = [Self::Aes256Gcm, Self::ChaCha20Poly1305];

    /// The suite's algorithm, under which it is known everywhere else.
    pub const fn algorithm(self) -> Algorithm {
        match self {
            Self::Aes256Gcm => Algorithm::Aes256Gcm,
            Self::ChaCha20Poly1305 => Algorithm::ChaCha20Poly1305,
        }
    }

    pub(crate) fn aead(self) -> &'static aead::Algorithm {
        match self {
            Self::Aes256Gcm => &aead::AES_256_GCM,
            Self::ChaCha20Poly1305 => &aead::CHACHA20_POLY1305,
        }
    }
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.algorithm().as_str())
    }
}

impl FromStr for Suite {
    type Err = UnknownSuite;

    fn from_str(word: &str) -> Result<Self, UnknownSuite> {
        Self::ALL.into_iter().find(|suite| suite.algorithm().as_str() == word).ok_or(UnknownSuite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_two_suites_parse() {
        for suite in Suite::ALL {
            assert_eq!(suite.to_string().parse(), Ok(suite));
            assert_eq!(serde_json::to_string(&suite).unwrap(), format!("\"{suite}\""));
        }
        for word in ["tcp-plain", "xor", "aes-256-ctr", "null", "", "AES-256-GCM"] {
            assert_eq!(word.parse::<Suite>(), Err(UnknownSuite));
        }
    }
}
