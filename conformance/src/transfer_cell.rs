//! One cell of operation `transfer`: its file, and what must be true of each of its samples.
//!
//! The expected digests are the suite's own: the SHA-256 of the seed's stream.

use std::time::Instant;

use sha2::{Digest, Sha256};

use crate::cells;
use crate::describe::Way;
use crate::reply::Reply;
use crate::report::{Fault, ensure};
use crate::worker::Worker;

/// The size of a file that is transferred in a moment, in bytes; not a power of two.
pub const SHORT: u64 = 70_001;

/// The interval between entries of a series, and the most entries.
const STEP_MS: u128 = 50;
const LONGEST_SERIES: usize = 1000;

/// The SHA-256, in hex, of stream(`message`, seed, n).
pub fn stream_digest(seed: u64, n: u64) -> String {
    const PERIOD: usize = 4093;
    let block = |i| Sha256::digest(format!("ciphermeter message {seed} {i}"));
    let period: Vec<u8> = (0..=PERIOD / 32).flat_map(block).take(PERIOD).collect();
    let (mut hash, mut left) = (Sha256::new(), n);
    while left > 0 {
        let length = left.min(PERIOD as u64);
        hash.update(&period[..length as usize]);
        left -= length;
    }
    hex::encode(hash.finalize())
}

/// Prepares a file for transfer, in a cell with a new number.
pub fn prepare(worker: &mut Worker, way: &Way, message: u64, seed: u64) -> Result<u64, Fault> {
    let cell = worker.fresh_cell();
    worker.ask(&way.prepare(cell, message, 0, seed))?.expect("ready")?.expect_integer("cell", cell)?;
    Ok(cell)
}

/// Requests a sample and checks what must be true of any sample of transfers.
pub fn sample(worker: &mut Worker, way: &Way, cell: u64, warmup_ns: u64, iterations: u64) -> Result<Reply, Fault> {
    let started = Instant::now();
    let reply = cells::sample(worker, cell, warmup_ns, iterations)?;
    let waited = started.elapsed();
    let shown = || reply.shown();
    let (ns, known) = (reply.integer("ns")?, |key| reply.optional_integer(key));

    let durable = known("durable_ns")?;
    ensure(durable.is_none() || way.form == "file", || {
        format!("expected durable_ns of form file only, got {}", shown())
    })?;
    ensure(durable.is_none_or(|durable| durable >= ns), || {
        format!("expected durable_ns of at least ns, got {}", shown())
    })?;
    let spent = u128::from(durable.unwrap_or(ns)) + u128::from(known("handshake_ns")?.unwrap_or(0));
    // One percent more: the two may read clocks of different rates.
    ensure(spent <= waited.as_nanos() / 100 * 101, || {
        format!("expected times within the {} ns that the answer took, got {}", waited.as_nanos(), shown())
    })?;
    for key in ["seal_ns", "open_ns"] {
        // A disk's are its writes and reads, encrypted or not.
        ensure(known(key)?.is_none() || way.offer.algorithm.name != "tcp-plain", || {
            format!("expected no {key} where nothing is sealed, got {}", shown())
        })?;
    }
    known("peer_cpu_ns")?;
    for key in ["peak_rss", "peer_peak_rss"] {
        ensure(known(key)? != Some(0), || format!("expected null where {key} is not known, got 0"))?;
    }
    let longest = LONGEST_SERIES.min((waited.as_millis() / STEP_MS) as usize);
    for key in ["series_cpu", "series_peer_cpu", "series_rss", "series_peer_rss"] {
        let entries = reply.optional_integers(key)?.map_or(0, |series| series.len());
        ensure(entries <= longest, || {
            format!("expected at most {longest} entries of {STEP_MS} ms in {key}, got {entries}: {}", shown())
        })?;
    }
    Ok(reply)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_of_the_protocols_stream() {
        let hashed = |bytes: &[u8]| hex::encode(Sha256::digest(bytes));
        let blocks: Vec<u8> = (0..128).flat_map(|i| Sha256::digest(format!("ciphermeter message 42 {i}"))).collect();
        assert_eq!(stream_digest(42, 0), hashed(b""));
        assert_eq!(stream_digest(42, 33), hashed(&blocks[..33]));
        assert_eq!(stream_digest(42, 4093), hashed(&blocks[..4093]));
        assert_eq!(stream_digest(42, 4095), hashed(&[&blocks[..4093], &blocks[..2]].concat()));
        assert_ne!(stream_digest(43, 33), stream_digest(42, 33));
    }
}
