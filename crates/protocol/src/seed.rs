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

/// All of stream(label, seed, n).
pub fn stream(label: &str, seed: u64, n: usize) -> Vec<u8> {
    let mut bytes = vec![0; n];
    fill(&mut bytes, &period(label, seed, n));
    bytes
}

/// Fills a buffer with a period, again and again. An empty period leaves it as it is.
pub fn fill(buffer: &mut [u8], period: &[u8]) {
    fill_from(buffer, period, 0);
}

/// Fills a part of a buffer, which begins `at` bytes into it.
pub fn fill_from(part: &mut [u8], period: &[u8], at: u64) {
    if period.is_empty() {
        return;
    }
    let phase = (at % period.len() as u64) as usize;
    let (head, rest) = part.split_at_mut(part.len().min(period.len() - phase));
    head.copy_from_slice(&period[phase..][..head.len()]);
    for chunk in rest.chunks_mut(period.len()) {
        chunk.copy_from_slice(&period[..chunk.len()]);
    }
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

    #[test]
    fn part_is_the_same_as_within_the_whole() {
        let (whole, period) = (stream("message", 1, 9000), period("message", 1, 9000));
        assert!((0..9000).all(|i| whole[i] == period[i % PERIOD]));
        for (at, length) in [(0, 0), (1, 5000), (4092, 2), (4093, 4094), (8999, 1)] {
            let mut part = vec![0; length];
            fill_from(&mut part, &period, at as u64);
            assert_eq!(part, whole[at..at + length], "{at} {length}");
        }
        let mut untouched = [7; 3];
        fill_from(&mut untouched, &[], 9);
        assert_eq!(untouched, [7; 3]);
    }
}
