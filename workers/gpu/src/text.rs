//! The plaintext of a message: a period, repeated.

use ciphermeter_protocol::seed;

/// A period of bytes that repeats.
#[derive(Debug, Clone)]
pub struct Text {
    period: Vec<u8>,
}

impl Text {
    /// stream(`message`, seed, bytes) of PROTOCOL.md.
    pub fn of_seed(seed: u64, bytes: u64) -> Self {
        Self { period: seed::period("message", seed, usize::try_from(bytes).unwrap_or(usize::MAX)) }
    }

    /// These bytes.
    pub fn exactly(bytes: &[u8]) -> Self {
        Self { period: bytes.to_vec() }
    }

    /// Writes the bytes from `at` on. Beyond the message's end it goes on repeating; an empty text is zeros.
    pub fn fill(&self, at: u64, into: &mut [u8]) {
        if self.period.is_empty() {
            into.fill(0);
        }
        seed::fill_from(into, &self.period, at);
    }
}

/// `key` bytes of stream(`key`, seed, key).
pub fn key(seed: u64, bytes: u64) -> Vec<u8> {
    seed::stream("key", seed, usize::try_from(bytes).unwrap_or(0))
}

/// The key repeated until its length is a multiple of 16 bytes: what a block is XORed with begins at a whole block.
pub fn whole_units(key: &[u8]) -> Vec<u8> {
    let times = (1..=16).find(|times| (key.len() * times).is_multiple_of(16)).unwrap_or(16);
    key.repeat(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_the_same_as_within_the_whole() {
        let text = Text::of_seed(7, 10_000);
        let mut whole = vec![0; 10_000];
        text.fill(0, &mut whole);
        assert_eq!(whole[..seed::PERIOD], seed::period("message", 7, 10_000));
        assert_eq!(whole[seed::PERIOD..2 * seed::PERIOD], whole[..seed::PERIOD]);
        for (at, length) in [(0, 0), (1, 5000), (4092, 2), (4093, 4094), (9000, 1000)] {
            let mut part = vec![0; length];
            text.fill(at as u64, &mut part);
            assert_eq!(part, whole[at..at + length], "{at} {length}");
        }
    }

    #[test]
    fn an_empty_text_is_zeros_and_a_long_key_repeats() {
        let mut bytes = [7; 3];
        Text::exactly(&[]).fill(9, &mut bytes);
        assert_eq!(bytes, [0; 3]);
        let key = key(7, 5000);
        assert_eq!((key.len(), &key[4093..]), (5000, &key[..907]));
    }

    #[test]
    fn a_key_is_repeated_to_whole_blocks() {
        assert_eq!(whole_units(&[7]), [7; 16]);
        assert_eq!(whole_units(&[1, 2, 3]).len(), 48);
        assert_eq!(whole_units(&[5; 32]).len(), 32);
        assert_eq!(whole_units(&[5; 40]).len(), 80);
    }
}
