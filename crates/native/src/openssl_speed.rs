//! What `openssl speed` shows on this machine, and what whole messages take of the same libcrypto, counted in turns so that
//! other work affects both.

use std::time::Duration;

use ciphermeter_core::Algorithm;

use crate::NativeError;
use crate::ruler::{Count, replica, whole_seal};

/// Both ciphers that [`replica`] knows.
pub const ALGORITHMS: [Algorithm; 2] = Algorithm::USUAL;

/// One turn of one cell: long enough to count a message of 1 MiB often.
const WINDOW: Duration = Duration::from_millis(10);

/// One cipher at one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shown {
    /// Which cipher.
    pub algorithm: Algorithm,
    /// The size of its messages, in bytes.
    pub message_bytes: usize,
    /// CPU time in ns that `openssl speed` counts for a message: the median of all turns.
    pub shown_ns: f64,
    /// CPU time in ns of a whole seal: the median of all turns.
    pub seal_ns: f64,
}

/// Counts both ciphers at each size, in as many turns of 40 ms a size.
///
/// Fails where there is no libcrypto, or it lacks a cipher, or a size is over 1 GiB.
pub fn shown(sizes: &[usize], turns: usize) -> Result<Vec<Shown>, NativeError> {
    let cells: Vec<_> = sizes.iter().flat_map(|size| ALGORITHMS.map(|algorithm| (algorithm, *size))).collect();
    let mut times = vec![(Vec::new(), Vec::new()); cells.len()];
    for _ in 0..turns.max(1) {
        for ((algorithm, size), (shown, seal)) in cells.iter().zip(&mut times) {
            shown.push(ns(replica(*algorithm, *size, WINDOW)?));
            seal.push(ns(whole_seal(*algorithm, *size, WINDOW)?));
        }
    }
    let medians = cells.into_iter().zip(times).map(|((algorithm, message_bytes), (shown, seal))| Shown {
        algorithm,
        message_bytes,
        shown_ns: median(shown),
        seal_ns: median(seal),
    });
    Ok(medians.collect())
}

fn ns(count: Count) -> f64 {
    count.cpu_ns as f64 / count.calls.max(1) as f64
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::providers::openssl::library::LibCrypto;

    #[test]
    fn each_cell_has_both_times() {
        if let Err(why) = LibCrypto::open() {
            return println!("skipped: {why}");
        }
        let shown = shown(&[16, 1024], 1).unwrap();
        assert_eq!(shown.len(), 4);
        assert!(shown.iter().all(|cell| cell.shown_ns > 0.0 && cell.seal_ns > 0.0));
    }

    #[test]
    fn a_size_beyond_the_limit_is_refused() {
        assert!(shown(&[2 << 30], 1).is_err());
    }
}
