//! What the files of transfers hash to: the harness knows them, because they are made from the seed.

use std::collections::BTreeMap;

use ciphermeter_protocol::seed::{PERIOD, period};
use sha2::{Digest, Sha256};

/// What the files of a run hash to, each length counted once: half a gigabyte takes a second.
pub struct Contents {
    seed: u64,
    known: BTreeMap<u64, [u8; 32]>,
}

impl Contents {
    /// The files that are made from this seed.
    pub fn new(seed: u64) -> Self {
        Self { seed, known: BTreeMap::new() }
    }

    /// SHA-256 of stream(`message`, seed, `bytes`).
    pub fn sha256(&mut self, bytes: u64) -> [u8; 32] {
        *self.known.entry(bytes).or_insert_with(|| sha256(self.seed, bytes))
    }
}

fn sha256(seed: u64, bytes: u64) -> [u8; 32] {
    let period = period("message", seed, PERIOD);
    let mut hash = Sha256::new();
    for _ in 0..bytes / PERIOD as u64 {
        hash.update(&period);
    }
    hash.update(&period[..(bytes % PERIOD as u64) as usize]);
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From PROTOCOL.md's own definition: the first block is the SHA-256 of `ciphermeter message 42 0`.
    #[test]
    fn contents_are_the_stream() {
        let mut contents = Contents::new(42);
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(hex::encode(contents.sha256(0)), empty);
        let first = Sha256::digest(b"ciphermeter message 42 0");
        assert_eq!(contents.sha256(32), <[u8; 32]>::from(Sha256::digest(first)));
        let block = |i: usize| Sha256::digest(format!("ciphermeter message 42 {i}"));
        let mut period: Vec<u8> = (0..128).flat_map(block).collect();
        period.truncate(PERIOD);
        let twice = [&period[..], &period[..], &period[..1]].concat();
        assert_eq!(contents.sha256(2 * PERIOD as u64 + 1), <[u8; 32]>::from(Sha256::digest(twice)));
    }
}
