//! How a message is divided among threads (PROTOCOL.md, Split messages).

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Every part begins at a multiple of this many bytes: whole blocks of any cipher, and no two threads write into one
/// line of a cache.
pub const UNIT: u64 = 64;
/// What a thread of form `dynamic` takes at once.
pub const CHUNK: u64 = 1 << 20;

/// The slice of one thread, in bytes.
pub fn slice(message: u64, threads: u64, thread: u64) -> Range<u64> {
    let units = u128::from(message.div_ceil(UNIT));
    let begin = |thread: u64| {
        let unit = u128::from(thread) * units / u128::from(threads.max(1));
        // Below the message's units, of which there are fewer than its bytes.
        (unit as u64 * UNIT).min(message)
    };
    begin(thread)..begin(thread + 1)
}

/// Chunks that threads take one after another, for iteration after iteration without a reset in between.
#[derive(Default)]
pub struct Chunks {
    /// The next chunk of iterations with even and with odd numbers. Whoever begins an iteration clears the counter of the
    /// next one, which nothing uses until all have ended this one.
    next: [AtomicU64; 2],
}

impl Chunks {
    /// To be called by each thread as it begins an iteration, after all have ended the previous one.
    pub fn begin(&self, iteration: u64) {
        self.next[(iteration as usize + 1) % 2].store(0, Ordering::Relaxed);
    }

    /// The next chunk of a message, of `chunk` bytes; `None` once all are taken.
    pub fn take(&self, iteration: u64, message: u64, chunk: u64) -> Option<Range<u64>> {
        let number = self.next[iteration as usize % 2].fetch_add(1, Ordering::Relaxed);
        let begin = number.checked_mul(chunk).filter(|begin| *begin < message)?;
        Some(begin..message.min(begin + chunk))
    }

    /// Clears both, while no thread takes any.
    pub fn clear(&self) {
        self.next.iter().for_each(|next| next.store(0, Ordering::Relaxed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_cover_the_message_without_a_gap() {
        for message in [0, 1, 63, 64, 65, 127, 128, 1000, (1 << 20) + 1, 1 << 40, (1 << 40) - 1] {
            for threads in [1, 2, 3, 7, 64, 1024] {
                let slices: Vec<_> = (0..threads).map(|thread| slice(message, threads, thread)).collect();
                assert_eq!((slices[0].start, slices[slices.len() - 1].end), (0, message));
                assert!(
                    slices.windows(2).all(|pair| pair[0].end == pair[1].start),
                    "{message} bytes, {threads} threads"
                );
                assert!(slices.iter().all(|slice| slice.start % UNIT == 0 || slice.start == message));
                let lengths = || slices.iter().map(|slice| slice.end - slice.start);
                assert!(lengths().max().unwrap() - lengths().min().unwrap() <= 2 * UNIT);
            }
        }
        assert_eq!((slice(200, 2, 0), slice(200, 2, 1)), (0..128, 128..200));
    }

    #[test]
    fn chunks_are_each_taken_once_in_every_iteration() {
        let chunks = Chunks::default();
        for iteration in 1..6 {
            let taken: Vec<_> = std::thread::scope(|scope| {
                let take = || {
                    chunks.begin(iteration);
                    std::iter::from_fn(|| chunks.take(iteration, 1000, 64)).collect::<Vec<_>>()
                };
                let threads: Vec<_> = (0..3).map(|_| scope.spawn(take)).collect();
                threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
            });
            let mut begins: Vec<_> = taken.iter().map(|chunk| chunk.start).collect();
            begins.sort_unstable();
            assert_eq!(begins, (0..1000).step_by(64).collect::<Vec<_>>());
            assert_eq!(taken.iter().map(|chunk| chunk.end).max(), Some(1000));
        }
        chunks.clear();
        assert_eq!(chunks.take(6, 0, 64), None);
    }
}
