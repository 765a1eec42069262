//! Bytes from a seed, as PROTOCOL.md defines them: the same in every worker.

use ciphermeter_core::Algorithm;
use ciphermeter_protocol::seed::period;
use zeroize::Zeroizing;

/// The inputs of a cell, each repeated up to its length.
pub struct Streams {
    /// The raw key.
    pub key: Zeroizing<Vec<u8>>,
    /// The nonce under iteration 0.
    pub nonce: Vec<u8>,
    /// One period of the aad.
    pub aad: Vec<u8>,
    /// One period of the message.
    pub message: Vec<u8>,
}

impl Streams {
    /// The inputs of a cell of one thread.
    pub fn new(algorithm: Algorithm, seed: u64, message: usize, aad: usize) -> Self {
        Self::of_thread(0, algorithm, seed, message, aad)
    }

    /// The raw key of a thread, or of that number where a cell goes round several.
    pub fn key(number: usize, algorithm: Algorithm, seed: u64) -> Zeroizing<Vec<u8>> {
        let label = if number == 0 { "key".into() } else { format!("key {number}") };
        Zeroizing::new(period(&label, seed, algorithm.key_bytes()))
    }

    /// The inputs of one of a cell's threads: threads differ in their keys alone, so that no pair of key and nonce
    /// occurs twice.
    pub fn of_thread(thread: usize, algorithm: Algorithm, seed: u64, message: usize, aad: usize) -> Self {
        let mut nonce = match algorithm {
            Algorithm::Aes256Ctr => vec![0; algorithm.nonce_bytes()],
            _ if algorithm.is_of_sectors() => vec![0; algorithm.nonce_bytes()],
            _ => period("nonce", seed, algorithm.nonce_bytes()),
        };
        nonce.iter_mut().take(8).for_each(|byte| *byte = 0);
        Self {
            key: Self::key(thread, algorithm, seed),
            nonce,
            aad: period("aad", seed, aad),
            message: period("message", seed, message),
        }
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn iteration_number_fills_the_first_bytes_of_the_nonce() {
        let streams = Streams::new(Algorithm::ChaCha20, 42, 0, 0);
        assert_eq!(streams.nonce[..8], [0; 8]);
        assert_eq!(streams.nonce[8..], period("nonce", 42, 12)[8..]);
        for algorithm in [Algorithm::Aes256Ctr, Algorithm::Aes256Xts] {
            assert_eq!(Streams::new(algorithm, 42, 0, 0).nonce, [0; 16]);
        }
    }

    #[test]
    fn threads_differ_only_in_their_keys() {
        let [zero, seven] = [0, 7].map(|thread| Streams::of_thread(thread, Algorithm::Aes256Gcm, 42, 100, 13));
        assert_eq!(*zero.key, period("key", 42, 32));
        assert_eq!(seven.key[..], Sha256::digest("ciphermeter key 7 42 0")[..]);
        assert_eq!((zero.nonce, zero.aad, zero.message), (seven.nonce, seven.aad, seven.message));
    }
}
