//! Cells that go round several texts under several keys, as a server does: a call's text was last touched a whole round ago, and so was
//! its key, so both come from whichever cache, or memory, holds a round.

use crate::{Algorithm, Bytes, Operation, Parameters};

/// The most texts of a cell.
pub const MAX_TEXTS: u64 = 1 << 20;
/// The most keys of a cell.
pub const MAX_KEYS: u64 = 1 << 16;
/// The largest working set, in bytes.
pub const MAX_WORKING_SET: u64 = 1 << 30;
/// Texts begin at multiples of so many bytes from the first: the cache line of most CPUs, so that no two share one.
pub const LINE: u64 = 64;

/// How many texts and keys a cell has. Iteration i works on text i modulo `texts`, under key i modulo `keys`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rotation {
    /// Texts, each in memory of its own.
    pub texts: u64,
    /// Keys, each with an object of its own.
    pub keys: u64,
}

impl Rotation {
    /// One text under one key: what cells have that don't rotate.
    pub const NONE: Self = Self { texts: 1, keys: 1 };

    /// Whether there is more than one text or key.
    pub fn is_any(self) -> bool {
        self != Self::NONE
    }
}

/// Bytes between the beginnings of two texts of a cell: message and tag (of ciphers without one, room for as much), in whole cache lines.
pub fn text_stride(algorithm: Algorithm, message: u64) -> u64 {
    let sealed = algorithm.sealed_bytes(usize::try_from(message).unwrap_or(usize::MAX / 2)) as u64;
    sealed.max(message + 16).next_multiple_of(LINE)
}

impl Parameters {
    /// The same with texts that take up so many bytes together; 0: one text.
    pub fn with_working_set(mut self, bytes: Bytes) -> Self {
        if bytes.0 > 0 {
            self.0.insert("working_set".into(), bytes.0);
        }
        self
    }

    /// The bytes that its texts take up together; `None`: it has one text.
    pub fn working_set(&self) -> Option<Bytes> {
        self.get("working_set").map(Bytes)
    }

    /// The same under so many keys.
    pub fn with_keys(mut self, keys: u64) -> Self {
        if keys != 1 {
            self.0.insert("keys".into(), keys);
        }
        self
    }

    /// How many keys it has.
    pub fn keys(&self) -> u64 {
        self.get("keys").unwrap_or(1)
    }

    /// What calls go round: bytes of the working set, 0 for one text, and keys.
    pub fn goes_round(&self) -> (u64, u64) {
        (self.working_set().map_or(0, |set| set.0), self.keys())
    }

    /// What an operation on them goes round. What is opened was sealed under one of the keys, so each key has as many texts as any other,
    /// and at least one.
    pub fn rotation(&self, algorithm: Algorithm, operation: Operation) -> Rotation {
        let fitting = self.working_set().map_or(1, |bytes| (bytes.0 / text_stride(algorithm, self.message())).max(1));
        let texts = match operation.consumes_sealed() {
            true => (fitting - fitting % self.keys()).max(self.keys()),
            false => fitting,
        };
        // A ceiling has no key, and as many texts as the others.
        Rotation { texts, keys: if algorithm.key_bytes() == 0 { 1 } else { self.keys() } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rotation(message: u64, working_set: u64, keys: u64, operation: Operation) -> (u64, u64) {
        let parameters = Parameters::message_cell(message, 0, 1).with_working_set(Bytes(working_set)).with_keys(keys);
        let Rotation { texts, keys } = parameters.rotation(Algorithm::Aes256Gcm, operation);
        (texts, keys)
    }

    #[test]
    fn texts_fill_the_working_set() {
        assert_eq!(rotation(16, 0, 1, Operation::Seal), (1, 1));
        assert_eq!(rotation(16, 1 << 20, 1, Operation::Seal), (16_384, 1));
        assert_eq!(rotation(1008, 1 << 20, 1, Operation::Seal), (1024, 1));
        assert_eq!(rotation(1024, 1 << 20, 1, Operation::Seal), (963, 1));
        assert_eq!(rotation(1 << 21, 1 << 20, 1, Operation::Seal), (1, 1), "one text is more than the set");
    }

    #[test]
    fn each_key_has_as_many_texts_to_open() {
        assert_eq!(rotation(16, 0, 1000, Operation::Seal), (1, 1000));
        assert_eq!(rotation(16, 0, 1000, Operation::Open), (1000, 1000));
        assert_eq!(rotation(1024, 1 << 20, 1000, Operation::Open), (1000, 1000));
        assert_eq!(rotation(1024, 1 << 22, 1000, Operation::Open), (3000, 1000), "of 3855 that fit");
        assert_eq!(rotation(16, 64 << 20, 1000, Operation::Open).0, 1_048_000);
    }

    #[test]
    fn ceilings_have_no_keys() {
        let parameters = Parameters::message_cell(16, 0, 1).with_keys(9);
        assert_eq!(parameters.rotation(Algorithm::Memcpy, Operation::Open), Rotation { texts: 9, keys: 1 });
        assert_eq!(parameters.rotation(Algorithm::Memcpy, Operation::Seal), Rotation::NONE);
        assert!(parameters.rotation(Algorithm::Xor, Operation::Encrypt).is_any());
    }
}
