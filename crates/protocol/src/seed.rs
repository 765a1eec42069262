//! Bytes from a seed (PROTOCOL.md, Seed): the same in every worker, so that the harness knows what each had.

use sha2::{Digest, Sha256};

/// The period of a stream in bytes: a prime, so that no block boundary meets the same bytes twice soon.
pub const PERIOD: usize = 4093;

/// The first min(n, 4093) bytes of stream(label, seed, n), after which it repeats.
pub fn period(label: &str, seed: u64, n: usize) -> Vec<u8> {
    let n = n.min(PERIOD);
    let mut bytes = Vec::with_capacity(n + 32);
    for i in 0..n.div_ceil(32) {
        bytes.extend_from_slice(&Sha256::digest(format!("ciphermeter {label} {seed} {i}")));
    }
    bytes.truncate(n);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stream_is_the_hash_of_its_name() {
        let hash = Sha256::digest("ciphermeter message 7 1");
        assert_eq!(period("message", 7, 64)[32..], hash[..]);
        assert_eq!(period("message", 7, 40)[32..], hash[..8]);
        assert_eq!(period("message", 7, 1 << 20).len(), 4093);
        assert!(period("aad", 7, 0).is_empty());
    }
}
