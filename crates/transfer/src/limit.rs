//! A limit on the rate at which all streams together send.

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

/// The lowest limit that may be requested, in bytes a second: the receiver closes connections that hardly move.
pub const LEAST: u64 = 16 * 1024;

/// Schedules when the next bytes may go out.
pub(crate) struct Limit {
    bytes_per_second: u64,
    free: Mutex<Instant>,
}

impl Limit {
    pub(crate) fn new(bytes_per_second: u64) -> Self {
        Self { bytes_per_second: bytes_per_second.max(LEAST), free: Mutex::new(Instant::now()) }
    }

    /// The most that should be written at once, to keep the pace even.
    pub(crate) fn portion(&self) -> usize {
        (self.bytes_per_second / 20).clamp(1024, 1 << 20) as usize
    }

    /// Waits until this many more bytes may go out. Unused time is lost, not saved up.
    pub(crate) fn wait(&self, bytes: usize) {
        let takes = Duration::from_nanos((bytes as u128 * 1_000_000_000 / u128::from(self.bytes_per_second)) as u64);
        let begin = {
            let mut free = self.free.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            let begin = (*free).max(Instant::now());
            *free = begin + takes;
            begin
        };
        thread::sleep(begin.saturating_duration_since(Instant::now()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_are_scheduled_at_the_limit() {
        let limit = Limit::new(1 << 20);
        let before = *limit.free.lock().unwrap();
        for _ in 0..4 {
            limit.wait(1024);
        }
        let handed_out = *limit.free.lock().unwrap() - before;
        assert!(handed_out >= Duration::from_nanos(4 * 976_562), "{handed_out:?}");
        assert_eq!(Limit::new(1).bytes_per_second, LEAST);
    }
}
