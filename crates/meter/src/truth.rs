//! What a split message must come to: the plaintext and its CRC-32 from the seed, encrypted bytes of any place by another provider.

use ciphermeter_core::{Algorithm, Form, Operation};
use ciphermeter_protocol::seed::{PERIOD, fill_from, period, stream};
use ciphermeter_protocol::{CheckInput, LinkError};
use crc32fast::Hasher;

use crate::{Answer, Worker};

/// Bytes of a block of AES.
const BLOCK: u64 = 16;

/// Bytes `at` to `at + bytes` of stream(`message`, seed, …), of which there are more.
pub fn plaintext(seed: u64, at: u64, bytes: u64) -> Vec<u8> {
    let mut text = vec![0; usize::try_from(bytes).unwrap_or(usize::MAX)];
    fill_from(&mut text, &period("message", seed, PERIOD), at);
    text
}

/// The CRC-32 of stream(`message`, seed, `bytes`), of whose repetitions only one is read.
pub fn crc32(seed: u64, bytes: u64) -> u32 {
    let period = period("message", seed, PERIOD);
    let (repeated, rest) = (bytes / PERIOD as u64, (bytes % PERIOD as u64) as usize);
    let mut doubled = Hasher::new();
    doubled.update(&period);
    // The CRC of twice as many repetitions, again and again, from the lowest bit of their number on.
    let mut whole = Hasher::new();
    for bit in 0..u64::BITS - repeated.leading_zeros() {
        if repeated >> bit & 1 == 1 {
            whole.combine(&doubled);
        }
        let half = doubled.clone();
        doubled.combine(&half);
    }
    whole.update(&period[..rest]);
    whole.finalize()
}

/// XOR's key of so many bytes.
pub fn xor_key(seed: u64, bytes: u64) -> Vec<u8> {
    stream("key", seed, usize::try_from(bytes).unwrap_or(usize::MAX))
}

/// XORs bytes that begin `at` bytes into a message.
pub fn xor(text: &mut [u8], key: &[u8], at: u64) {
    let phase = (at % key.len().max(1) as u64) as usize;
    text.iter_mut().zip(key.iter().cycle().skip(phase)).for_each(|(byte, key)| *byte ^= key);
}

/// Has a worker encrypt bytes that begin `at` bytes, a multiple of 16, into a message, under AES-256 in counter mode, with the counters
/// of each of these iterations; the inner error is its reason for not doing so.
pub fn counter_mode(
    worker: &mut Worker,
    provider: &str,
    seed: u64,
    at: u64,
    text: Vec<u8>,
    iterations: impl Iterator<Item = u64>,
) -> Result<Result<Vec<u8>, String>, LinkError> {
    let key = period("key", seed, Algorithm::Aes256Ctr.key_bytes());
    let mut text = text;
    for iteration in iterations {
        let counter = (u128::from(iteration) << 64).wrapping_add(u128::from(at / BLOCK));
        let check = CheckInput {
            provider: provider.into(),
            algorithm: Algorithm::Aes256Ctr,
            operation: Operation::Encrypt,
            form: None::<Form>,
            key: key.clone(),
            nonce: counter.to_be_bytes().into(),
            aad: Vec::new(),
            input: text,
            threads: None,
        };
        text = match worker.check(check)? {
            Answer::Output(output) => output,
            Answer::Rejected => return Ok(Err("it rejects what it should encrypt".into())),
            Answer::Unsupported(why) => return Ok(Err(why)),
        };
    }
    Ok(Ok(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crc_of_a_stream_is_that_of_its_bytes() {
        for bytes in [0, 1, 4092, 4093, 4094, 3 * 4093, 100_000, 5 * 4093 + 17] {
            assert_eq!(crc32(42, bytes), crc32fast::hash(&plaintext(42, 0, bytes)), "{bytes} bytes");
        }
        // Of 2^40 bytes it takes as long.
        assert_ne!(crc32(42, 1 << 40), crc32(42, (1 << 40) + 1));
    }

    #[test]
    fn plaintext_and_key_begin_anywhere() {
        let whole = plaintext(7, 0, 10_000);
        assert_eq!(plaintext(7, 4090, 100), whole[4090..4190]);
        assert_eq!(plaintext(7, 4093 * (1 << 28) + 5, 10), whole[5..15]);
        let mut text = whole[4090..4190].to_vec();
        let key = xor_key(7, 33);
        xor(&mut text, &key, 4090);
        assert!((0..100).all(|i| text[i] == whole[4090 + i] ^ key[(4090 + i) % 33]));
        assert_eq!(xor_key(7, 5000)[4093..], xor_key(7, 907));
    }
}
