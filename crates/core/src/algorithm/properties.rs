//! What is read from an algorithm's row: what it has, takes and gives.

use super::{Algorithm, Facts};
use crate::family::{CipherKind, Family, Sizes};
use crate::{Form, Operation};

/// Bytes of AES's block, and of what sectors consist of.
const BLOCK: u64 = 16;

impl Algorithm {
    /// What most people choose between.
    pub const USUAL: [Self; 2] = [Self::Aes256Gcm, Self::ChaCha20Poly1305];

    /// The ciphers of a kind, the usual one first, those with short tags last.
    pub fn of_kind(kind: CipherKind) -> impl Iterator<Item = Self> + Clone {
        let is_own = |algorithm: &Self| algorithm.is_cipher() && algorithm.kind() == kind;
        let mut own: Vec<Self> = Self::ALL.iter().copied().filter(is_own).collect();
        own.sort_by_key(|own| (!Self::USUAL.contains(own), (1..16).contains(&own.tag_bytes())));
        own.into_iter()
    }

    /// The algorithm's family.
    pub const fn family(self) -> Family {
        self.facts().family
    }

    /// What it is made of.
    pub const fn kind(self) -> CipherKind {
        self.facts().kind
    }

    /// Whether a choice between the two is a choice of mode alone.
    pub fn is_alike(self, other: Self) -> bool {
        self == other || self.kind() == other.kind() && self.kind() != CipherKind::Other
    }

    /// Whether it is a limit of the silicon.
    pub const fn is_ceiling(self) -> bool {
        matches!(self.family(), Family::Ceiling)
    }

    /// Whether it protects anything, which neither a ceiling nor `xor` does.
    pub const fn is_cipher(self) -> bool {
        !self.is_ceiling() && !matches!(self, Self::Xor)
    }

    /// Whether it is counter mode with CBC-MAC, which needs to know all lengths before the message.
    pub const fn is_ccm(self) -> bool {
        use Algorithm::{Aes128Ccm, Aes128Ccm4, Aes128Ccm8, Aes256Ccm, Aes256Ccm8};
        matches!(self, Aes128Ccm | Aes128Ccm4 | Aes128Ccm8 | Aes256Ccm | Aes256Ccm8)
    }

    /// Whether it is AES in a mode, and an HMAC of what that gives.
    pub const fn has_hmac(self) -> bool {
        use Algorithm::{Aes128CbcHs256, Aes256CbcHs256, Aes256CbcHs512, Aes256CtrHs256};
        matches!(self, Aes128CbcHs256 | Aes256CbcHs256 | Aes256CbcHs512 | Aes256CtrHs256)
    }

    /// Length in bytes of the key that encrypts: one half of XTS's, and of one with an HMAC.
    pub fn encryption_key_bytes(self) -> usize {
        let is_half = self.has_hmac() || self.is_of_sectors() && self.kind() == CipherKind::Aes;
        if is_half { self.key_bytes() / 2 } else { self.key_bytes() }
    }

    /// Whether it takes sectors of a disk alone.
    pub const fn is_of_sectors(self) -> bool {
        matches!(self.facts().sizes, Sizes::Sectors)
    }

    /// Whether programs use it by itself: an AEAD, or a cipher of sectors; other ciphers without a tag are a part of something.
    pub const fn stands_alone(self) -> bool {
        matches!(self.family(), Family::Aead) || self.is_of_sectors()
    }

    /// Its name as standards write it: `AES-256-GCM`; a ceiling's word.
    pub const fn title(self) -> &'static str {
        self.facts().title
    }

    /// Its name in a narrow column in which only these stand: of the only one of AES, `AES`.
    pub fn short(self, among: &[Self]) -> &'static str {
        let is_aes = |algorithm: &Self| algorithm.kind() == CipherKind::Aes;
        match is_aes(&self) && among.iter().filter(|other| is_aes(other)).count() < 2 {
            true => CipherKind::Aes.title(),
            false => self.facts().short,
        }
    }

    /// Whether the algorithm has this operation.
    pub const fn has(self, operation: Operation) -> bool {
        match (self.family(), operation) {
            (_, Operation::Transfer) => self.facts().transfers,
            (Family::Ceiling, _) if self.is_of_split_alone() => matches!(operation, Operation::Encrypt),
            (Family::Ceiling, _) => !self.facts().transfers && !matches!(operation, Operation::KeySetup),
            (_, Operation::KeySetup) => self.is_cipher(),
            (Family::Aead, _) => matches!(operation, Operation::Seal | Operation::Open),
            (Family::Bare, _) => matches!(operation, Operation::Encrypt | Operation::Decrypt),
        }
    }

    /// Whether it may have this form: any place of its key stream must be within reach to split a message.
    pub const fn has_form(self, form: Form) -> bool {
        let (splits, copies) = (self.facts().splits, matches!(self, Self::Memcpy));
        match form {
            Form::Static => splits || copies || matches!(self, Self::AesUnit | Self::ReadModifyWrite),
            // Its ceilings are those of `static`.
            Form::Dynamic => splits,
            Form::Mapped | Form::Buffered | Form::Direct => splits || copies,
            Form::Device => splits || copies || matches!(self, Self::ReadModifyWrite),
            Form::EndToEnd | Form::Pageable => splits || copies || matches!(self, Self::CopyIn | Self::CopyOut),
            // There is no kernel of ours to start.
            Form::Process | Form::Batch => !self.is_ceiling(),
            Form::Disk => self.is_of_disks(),
            Form::Discard | Form::File => !self.is_of_split_alone() && !self.is_of_disks(),
            Form::InPlace | Form::Into | Form::Fresh => !self.is_of_split_alone(),
        }
    }

    /// Whether what moves with it goes to a disk.
    const fn is_of_disks(self) -> bool {
        self.is_of_sectors() || matches!(self, Self::RamDisk)
    }

    /// Whether it is measured beside split messages only.
    const fn is_of_split_alone(self) -> bool {
        matches!(self, Self::ReadModifyWrite | Self::CopyIn | Self::CopyOut)
    }

    /// Length of the key in bytes, 0 for a ceiling.
    pub const fn key_bytes(self) -> usize {
        self.facts().key
    }

    /// Length of a prepared cell's nonce in bytes, 0 where it has none.
    pub const fn nonce_bytes(self) -> usize {
        self.facts().nonce
    }

    /// Length of the tag in bytes, 0 where there is none.
    pub const fn tag_bytes(self) -> usize {
        self.facts().tag
    }

    /// Why it has no message of so many bytes; `None` if it has.
    pub fn refuses(self, message: u64) -> Option<String> {
        let Facts { sizes, most, .. } = self.facts();
        let why = match (most.filter(|most| message > *most), sizes) {
            (Some(most), _) => {
                format!("messages of {self} have at most {most} bytes: with --message, name shorter ones")
            }
            (None, Sizes::Sectors) if message == 0 || !message.is_multiple_of(BLOCK) => {
                format!("messages of {self} are multiples of {BLOCK} bytes: with --message, name 512 or 4KiB, say")
            }
            _ => return None,
        };
        Some(why)
    }

    /// The same of an operation. Key set-up has no message, and one that moves is cut to size.
    pub fn refuses_to(self, operation: Operation, message: u64) -> Option<String> {
        let has_message = !matches!(operation, Operation::KeySetup | Operation::Transfer);
        has_message.then(|| self.refuses(message)).flatten()
    }

    /// The size that it has nearest above so many bytes; `None` beyond its longest message.
    pub fn nearest(self, message: u64) -> Option<u64> {
        let nearest = match self.facts().sizes {
            Sizes::Sectors => message.max(1).next_multiple_of(BLOCK),
            Sizes::Any | Sizes::Padded => message,
        };
        self.refuses(nearest).is_none().then_some(nearest)
    }

    /// Length of the sealed text of a message of `message` bytes.
    pub const fn sealed_bytes(self, message: usize) -> usize {
        match self.facts().sizes {
            Sizes::Padded => message - message % 16 + 16 + self.tag_bytes(),
            Sizes::Any | Sizes::Sectors => message + self.tag_bytes(),
        }
    }
}
