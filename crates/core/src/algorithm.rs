//! The algorithms: a row each, with all that the rest of the tree knows of one.

use crate::family::{CipherKind, Family, Limit, Sizes};
use crate::word::words;

/// What is known of an algorithm.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct Facts {
    /// Its name as standards write it: `AES-256-GCM`; a ceiling's word.
    pub title: &'static str,
    /// What tells it apart in a narrow column from others of its kind: `AES-256`.
    pub short: &'static str,
    /// Its family, which determines its operations.
    pub family: Family,
    /// What it is made of.
    pub kind: CipherKind,
    /// Length of the key in bytes, 0 for a ceiling.
    pub key: usize,
    /// Length of a prepared cell's nonce in bytes, 0 where it has none.
    pub nonce: usize,
    /// Length of the tag in bytes, 0 where there is none.
    pub tag: usize,
    /// What sizes it takes, and what it makes of them.
    pub sizes: Sizes,
    /// The most bytes of a message, where the algorithm itself sets a limit below 1 GiB.
    pub most: Option<u64>,
    /// Rounds of AES for each block of 16 bytes, 0 where there are none.
    pub rounds: u32,
    /// Whether each block of what is encrypted waits for the one before.
    #[serde(rename = "chained")]
    pub is_chained: bool,
    /// The ceilings that bound it, the nearest of them alone.
    pub ceilings: &'static [Algorithm],
    /// Whether one message may be encrypted by several threads: any place of the key stream is within reach.
    pub splits: bool,
    /// Whether files are transferred with it, or go to disks.
    pub transfers: bool,
    /// Where it is specified.
    pub standard: &'static str,
    /// How many messages one key may protect, where a standard says so.
    pub limit: Option<Limit>,
}

const RANDOM_GCM: Limit = Limit { log2_messages: 32, source: "NIST SP 800-38D, 8.3" };
const RANDOM_AEGIS_128: Limit = Limit { log2_messages: 48, source: "RFC 10032, 9.1" };

/// The nonce of 12 bytes leaves 3 for the length.
const CCM_MOST: u64 = (1 << 24) - 1;

/// IEEE 1619: 2^20 blocks under one tweak.
const XTS_MOST: u64 = 1 << 24;
/// The longest sector of disks; its crate takes no longer one.
const ADIANTUM_MOST: u64 = 1 << 12;

/// A cipher without a tag; what one of disks and what an AEAD changes of it; and a ceiling.
const BARE: Facts = Facts {
    title: "",
    short: "",
    family: Family::Bare,
    kind: CipherKind::Other,
    key: 32,
    nonce: 0,
    tag: 0,
    sizes: Sizes::Any,
    most: None,
    rounds: 0,
    is_chained: false,
    ceilings: &[],
    splits: false,
    transfers: false,
    standard: "",
    limit: None,
};
const DISK: Facts = Facts { sizes: Sizes::Sectors, ..BARE };
const AEAD: Facts = Facts { family: Family::Aead, nonce: 12, tag: 16, ..BARE };
/// AEGIS. Its rounds are those of a state's update, 8 for 32 bytes, or 6 for 16; they do not wait for
/// each other.
const AEGIS: Facts = Facts { kind: CipherKind::Aes, ceilings: &[Algorithm::AesUnit], standard: "RFC 10032", ..AEAD };
const AEGIS_128: Facts = Facts { key: 16, nonce: 16, rounds: 4, limit: Some(RANDOM_AEGIS_128), ..AEGIS };
const AEGIS_256: Facts = Facts { nonce: 32, rounds: 6, ..AEGIS };
/// AES in a mode, then an HMAC over the associated data, the nonce, the ciphertext and the associated data's length: RFC 7518's
/// construction, whose key is the HMAC's and AES's after it. The HMAC is no unit's work, so there is no ceiling.
const THEN_HMAC: Facts = Facts { kind: CipherKind::Aes, key: 64, nonce: 16, tag: 32, rounds: 14, ..AEAD };
const CEILING: Facts = Facts { family: Family::Ceiling, key: 0, ..BARE };

/// Declares the enumeration with a row for each variant.
macro_rules! algorithms {
    ($($(#[$meta:meta])* $variant:ident = $word:literal: $base:ident { $($field:ident: $value:expr),+ $(,)? })+) => {
        words! {
            /// A symmetric algorithm, or one of the ceilings measured beside them.
            Algorithm, "algorithm" { $($(#[$meta])* $variant = $word),+ }
        }

        impl Algorithm {
            /// Its row.
            pub const fn facts(self) -> &'static Facts {
                match self { $(Self::$variant => &Facts { $($field: $value),+, ..$base }),+ }
            }
        }
    };
}

algorithms! {
    /// AES-128 in Galois/counter mode.
    Aes128Gcm = "aes-128-gcm": AEAD {
        title: "AES-128-GCM",
        short: "AES-128",
        kind: CipherKind::Aes,
        key: 16,
        rounds: 10,
        ceilings: &[Algorithm::AesUnit, Algorithm::ClmulUnit],
        standard: "NIST SP 800-38D",
        limit: Some(RANDOM_GCM),
    }
    /// AES-256 in Galois/counter mode.
    Aes256Gcm = "aes-256-gcm": AEAD {
        title: "AES-256-GCM",
        short: "AES-256",
        kind: CipherKind::Aes,
        rounds: 14,
        ceilings: &[Algorithm::AesUnit, Algorithm::ClmulUnit],
        transfers: true,
        standard: "NIST SP 800-38D",
        limit: Some(RANDOM_GCM),
    }
    /// AES-256-GCM-SIV: a nonce may repeat.
    Aes256GcmSiv = "aes-256-gcm-siv": AEAD {
        title: "AES-256-GCM-SIV",
        short: "GCM-SIV",
        kind: CipherKind::Aes,
        rounds: 14,
        ceilings: &[Algorithm::AesUnit, Algorithm::ClmulUnit],
        standard: "RFC 8452",
    }
    /// AES-SIV with a 64-byte key and no nonce; the tag comes first.
    Aes256Siv = "aes-256-siv": AEAD {
        title: "AES-256-SIV",
        short: "SIV",
        kind: CipherKind::Aes,
        key: 64,
        nonce: 0,
        rounds: 14,
        standard: "RFC 5297",
    }
    /// AES-256 in offset codebook mode, version 3.
    Aes256Ocb = "aes-256-ocb": AEAD {
        title: "AES-256-OCB",
        short: "OCB",
        kind: CipherKind::Aes,
        rounds: 14,
        ceilings: &[Algorithm::AesUnit],
        standard: "RFC 7253",
    }
    /// AES-256-GCM under a key that half of the 24-byte nonce derives.
    Xaes256Gcm = "xaes-256-gcm": AEAD {
        title: "XAES-256-GCM",
        short: "XAES",
        kind: CipherKind::Aes,
        nonce: 24,
        rounds: 14,
        ceilings: &[Algorithm::AesUnit, Algorithm::ClmulUnit],
        standard: "C2SP XAES-256-GCM",
        limit: Some(Limit { log2_messages: 80, source: "C2SP XAES-256-GCM" }),
    }
    /// SM4, China's block cipher, in Galois/counter mode.
    Sm4Gcm = "sm4-gcm": AEAD {
        title: "SM4-GCM",
        short: "SM4",
        key: 16,
        standard: "RFC 8998",
        limit: Some(RANDOM_GCM),
    }
    /// AES-128 in counter mode with CBC-MAC.
    Aes128Ccm = "aes-128-ccm": AEAD {
        title: "AES-128-CCM",
        short: "CCM-128",
        kind: CipherKind::Aes,
        key: 16,
        most: Some(CCM_MOST),
        rounds: 20,
        is_chained: true,
        standard: "NIST SP 800-38C",
    }
    /// AES-256 in counter mode with CBC-MAC.
    Aes256Ccm = "aes-256-ccm": AEAD {
        title: "AES-256-CCM",
        short: "CCM",
        kind: CipherKind::Aes,
        most: Some(CCM_MOST),
        rounds: 28,
        is_chained: true,
        standard: "NIST SP 800-38C",
    }
    /// AES-128-CCM with a tag of 8 bytes; its name and its nonce of 12 are RFC 6655's. COSE and IEEE 802.15.4 have such tags with
    /// nonces of 13 (RFC 9053, 4.2), which cost the same: nonce and length share a block.
    Aes128Ccm8 = "aes-128-ccm-8": AEAD {
        title: "AES-128-CCM-8",
        short: "CCM-128-8",
        kind: CipherKind::Aes,
        key: 16,
        tag: 8,
        most: Some(CCM_MOST),
        rounds: 20,
        is_chained: true,
        standard: "RFC 6655",
    }
    /// AES-256-CCM with a tag of 8 bytes.
    Aes256Ccm8 = "aes-256-ccm-8": AEAD {
        title: "AES-256-CCM-8",
        short: "CCM-8",
        kind: CipherKind::Aes,
        tag: 8,
        most: Some(CCM_MOST),
        rounds: 28,
        is_chained: true,
        standard: "RFC 6655",
    }
    /// AES-128-CCM with a tag of 4 bytes and a nonce of 13, as Bluetooth and IEEE 802.15.4 have them.
    Aes128Ccm4 = "aes-128-ccm-4": AEAD {
        title: "AES-128-CCM-4",
        short: "CCM-128-4",
        kind: CipherKind::Aes,
        key: 16,
        nonce: 13,
        tag: 4,
        most: Some((1 << 16) - 1),
        rounds: 20,
        is_chained: true,
        standard: "IEEE 802.15.4",
    }
    /// AES-128-CBC, then HMAC-SHA-256, of which the tag is one half.
    Aes128CbcHs256 = "aes-128-cbc-hs256": THEN_HMAC {
        title: "AES-128-CBC-HS256",
        short: "CBC-128-HS256",
        key: 32,
        tag: 16,
        sizes: Sizes::Padded,
        rounds: 10,
        is_chained: true,
        standard: "RFC 7518",
    }
    /// AES-256-CBC, then HMAC-SHA-512, of which the tag is one half.
    Aes256CbcHs512 = "aes-256-cbc-hs512": THEN_HMAC {
        title: "AES-256-CBC-HS512",
        short: "CBC-HS512",
        sizes: Sizes::Padded,
        is_chained: true,
        standard: "RFC 7518",
    }
    /// AES-256-CBC, then HMAC-SHA-256, whole.
    Aes256CbcHs256 = "aes-256-cbc-hs256": THEN_HMAC {
        title: "AES-256-CBC-HS256",
        short: "CBC-HS256",
        sizes: Sizes::Padded,
        is_chained: true,
        standard: "PROTOCOL.md",
    }
    /// AES-256-CTR, then HMAC-SHA-256, whole.
    Aes256CtrHs256 = "aes-256-ctr-hs256": THEN_HMAC {
        title: "AES-256-CTR-HS256",
        short: "CTR-HS256",
        standard: "PROTOCOL.md",
    }
    /// AEGIS-128L: eight blocks of state, which each 32 bytes of the message update.
    Aegis128l = "aegis-128l": AEGIS_128 { title: "AEGIS-128L", short: "AEGIS-128L" }
    /// AEGIS-128X with two such states, side by side.
    Aegis128x2 = "aegis-128x2": AEGIS_128 { title: "AEGIS-128X2", short: "AEGIS-128X2" }
    /// AEGIS-128X with four.
    Aegis128x4 = "aegis-128x4": AEGIS_128 { title: "AEGIS-128X4", short: "AEGIS-128X4" }
    /// AEGIS-256: six blocks of state, which each 16 bytes of the message update.
    Aegis256 = "aegis-256": AEGIS_256 { title: "AEGIS-256", short: "AEGIS-256" }
    /// AEGIS-256X with two such states, side by side.
    Aegis256x2 = "aegis-256x2": AEGIS_256 { title: "AEGIS-256X2", short: "AEGIS-256X2" }
    /// AEGIS-256X with four.
    Aegis256x4 = "aegis-256x4": AEGIS_256 { title: "AEGIS-256X4", short: "AEGIS-256X4" }
    /// AEGIS-128L with a tag of 32 bytes, as libsodium has it.
    Aegis128l32 = "aegis-128l-32": AEGIS_128 { title: "AEGIS-128L-32", short: "AEGIS-128L-32", tag: 32 }
    /// AEGIS-256 with a tag of 32 bytes, as libsodium has it.
    Aegis25632 = "aegis-256-32": AEGIS_256 { title: "AEGIS-256-32", short: "AEGIS-256-32", tag: 32 }
    /// ChaCha20-Poly1305.
    ChaCha20Poly1305 = "chacha20-poly1305": AEAD {
        title: "ChaCha20-Poly1305",
        short: "ChaCha",
        kind: CipherKind::ChaCha,
        transfers: true,
        standard: "RFC 8439",
    }
    /// XChaCha20-Poly1305 with a 24-byte nonce.
    XChaCha20Poly1305 = "xchacha20-poly1305": AEAD {
        title: "XChaCha20-Poly1305",
        short: "XChaCha",
        kind: CipherKind::ChaCha,
        nonce: 24,
        standard: "draft-irtf-cfrg-xchacha-03",
    }
    /// Ascon-AEAD128.
    AsconAead128 = "ascon-aead128": AEAD {
        title: "Ascon-AEAD128",
        short: "Ascon",
        kind: CipherKind::Sponge,
        key: 16,
        nonce: 16,
        standard: "NIST SP 800-232",
    }
    /// AES-256 in counter mode, 128-bit big-endian carry.
    Aes256Ctr = "aes-256-ctr": BARE {
        title: "AES-256-CTR",
        short: "CTR",
        kind: CipherKind::Aes,
        nonce: 16,
        rounds: 14,
        ceilings: &[Algorithm::AesUnit],
        splits: true,
        standard: "NIST SP 800-38A",
    }
    /// AES-256 in cipher block chaining mode with PKCS#7 padding.
    Aes256Cbc = "aes-256-cbc": BARE {
        title: "AES-256-CBC",
        short: "CBC",
        kind: CipherKind::Aes,
        nonce: 16,
        sizes: Sizes::Padded,
        rounds: 14,
        is_chained: true,
        ceilings: &[Algorithm::AesUnit],
        standard: "NIST SP 800-38A",
    }
    /// AES-128 in XEX mode with tweaks, of whole blocks: two keys of 16 bytes.
    Aes128Xts = "aes-128-xts": DISK {
        title: "AES-128-XTS",
        short: "XTS-128",
        kind: CipherKind::Aes,
        nonce: 16,
        most: Some(XTS_MOST),
        rounds: 10,
        ceilings: &[Algorithm::AesUnit],
        standard: "IEEE 1619",
    }
    /// AES-256 in XEX mode with tweaks, of whole blocks: two keys of 32 bytes.
    Aes256Xts = "aes-256-xts": DISK {
        title: "AES-256-XTS",
        short: "XTS",
        kind: CipherKind::Aes,
        key: 64,
        nonce: 16,
        most: Some(XTS_MOST),
        rounds: 14,
        transfers: true,
        ceilings: &[Algorithm::AesUnit],
        standard: "IEEE 1619",
    }
    /// Adiantum of XChaCha12, NH, Poly1305 and one block of AES-256.
    Adiantum = "adiantum": DISK {
        title: "Adiantum",
        short: "Adiantum",
        kind: CipherKind::ChaCha,
        nonce: 32,
        most: Some(ADIANTUM_MOST),
        transfers: true,
        standard: "IACR ToSC 2018(4)",
    }
    /// ChaCha20 alone, block counter from 0.
    ChaCha20 = "chacha20": BARE {
        title: "ChaCha20",
        short: "ChaCha",
        kind: CipherKind::ChaCha,
        nonce: 12,
        standard: "RFC 8439",
    }
    /// The message XORed with a key, repeated: no cipher, the cost of touching memory.
    Xor = "xor": BARE {
        title: "XOR",
        short: "XOR",
        ceilings: &[Algorithm::Memcpy],
        splits: true,
        standard: "PROTOCOL.md",
    }
    /// Ceiling: copying the message.
    Memcpy = "memcpy": CEILING { title: "memcpy", short: "memcpy", standard: "PROTOCOL.md" }
    /// Ceiling: 14 independent AES rounds for each 16 bytes, in registers.
    AesUnit = "aes-unit": CEILING { title: "aes-unit", short: "aes-unit", rounds: 14, standard: "PROTOCOL.md" }
    /// Ceiling: 3 carry-less multiplications for each 16 bytes, in registers.
    ClmulUnit = "clmul-unit": CEILING { title: "clmul-unit", short: "clmul-unit", standard: "PROTOCOL.md" }
    /// Ceiling of split messages: every byte of the message inverted in place.
    ReadModifyWrite = "read-modify-write": CEILING {
        title: "read-modify-write",
        short: "read-modify-write",
        standard: "PROTOCOL.md",
    }
    /// Ceiling of a card: copying the message to it.
    CopyIn = "copy-in": CEILING { title: "copy-in", short: "copy-in", standard: "PROTOCOL.md" }
    /// Ceiling of a card: copying the message back from it.
    CopyOut = "copy-out": CEILING { title: "copy-out", short: "copy-out", standard: "PROTOCOL.md" }
    /// Ceiling of transfers: the same frames over TCP, without a cipher.
    TcpPlain = "tcp-plain": CEILING {
        title: "tcp-plain",
        short: "tcp-plain",
        transfers: true,
        standard: "PROTOCOL.md",
    }
    /// Ceiling of disks: the same writes and reads, of a RAM disk that nothing encrypts.
    RamDisk = "ram-disk": CEILING {
        title: "ram-disk",
        short: "ram-disk",
        transfers: true,
        standard: "PROTOCOL.md",
    }
    /// Integer additions that show whether something else uses the same physical core; not a ceiling.
    Probe = "witness": CEILING { title: "witness", short: "witness", standard: "PROTOCOL.md" }
}

mod properties;

#[cfg(test)]
mod tests;
