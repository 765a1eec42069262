//! What tells algorithms apart: their family, what they are made of, the sizes that they take, and how long a key lasts.

/// How many messages one key may protect with random nonces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Limit {
    /// As a power of two.
    pub log2_messages: u32,
    /// Where that is written.
    pub source: &'static str,
}

/// An algorithm's family, which determines its operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Authenticated encryption with associated data: seal and open.
    Aead,
    /// A bare cipher: encrypt and decrypt.
    Bare,
    /// A limit of the silicon, which is part of every group.
    Ceiling,
}

/// What an algorithm is made of: a choice between two kinds is a choice of cipher, one within a kind a choice of mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub enum CipherKind {
    /// The block cipher AES in some mode.
    #[serde(rename = "AES")]
    Aes,
    /// The stream cipher ChaCha20.
    #[serde(rename = "ChaCha20")]
    ChaCha,
    /// A permutation that absorbs and squeezes.
    #[serde(rename = "sponge")]
    Sponge,
    /// None of these; two of them are never alike.
    #[serde(rename = "other")]
    Other,
}

impl CipherKind {
    /// As it stands in narrow columns.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Aes => "AES",
            Self::ChaCha => "ChaCha20",
            Self::Sponge => "sponge",
            Self::Other => "other",
        }
    }
}

/// What sizes of message an algorithm takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Sizes {
    /// Any, and the ciphertext is as long, its tag aside.
    Any,
    /// Any, padded to the next whole blocks of 16 bytes.
    Padded,
    /// Whole blocks of 16 bytes, at least one, as disks have them; the ciphertext is as long, and the nonce is the sector's
    /// number, little-endian.
    Sectors,
}
