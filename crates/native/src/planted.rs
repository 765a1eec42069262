//! What a worker does otherwise than the one that gives figures of libraries, for the instrument to detect: timed stretches are
//! prolonged by a share of themselves, or nothing moves in memory.

use std::hint::spin_loop;
use std::time::Instant;

use ciphermeter_core::Algorithm;

use crate::loop_buffers::LoopBuffers;
use crate::timed_loop::{Failed, TimedLoop};

/// How a worker differs from the one that gives figures of libraries.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Planted {
    /// Timed stretches are prolonged.
    pub slowed: Option<Slowdown>,
    /// Stack, buffers and keys stay where they happen to lie.
    pub fixed_layout: bool,
}

/// The slowdown, and what it applies to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slowdown {
    /// The share of itself by which a timed stretch is prolonged.
    pub share: f64,
    /// The one algorithm that is slowed; `None`: all.
    pub only: Option<Algorithm>,
}

impl Slowdown {
    /// Wraps the loop if its algorithm is to be slowed.
    pub fn onto(self, timed_loop: Box<dyn TimedLoop>, algorithm: Algorithm) -> Box<dyn TimedLoop> {
        match self.only.is_none_or(|only| only == algorithm) {
            true => Box::new(Slowed { timed_loop, share: self.share }),
            false => timed_loop,
        }
    }
}

/// A loop that takes longer by `share`, exact to one reading of the clock a batch.
struct Slowed {
    timed_loop: Box<dyn TimedLoop>,
    share: f64,
}

impl TimedLoop for Slowed {
    fn run(&mut self, buffers: &mut LoopBuffers<'_>, first: u64, count: u64) -> Result<(), Failed> {
        let start = Instant::now();
        self.timed_loop.run(buffers, first, count)?;
        let prolonged = start.elapsed().mul_f64(1.0 + self.share);
        while start.elapsed() < prolonged {
            spin_loop();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timed_loop::writing_loop;

    #[test]
    fn only_the_named_algorithm_is_slowed() {
        let is_slowed = |only, algorithm| {
            let bytes = String::from("state, so that the task has an address");
            let timed_loop = writing_loop(move |_| Ok(bytes.len()));
            let before: *const () = std::ptr::from_ref(&*timed_loop).cast();
            let after = Slowdown { share: 0.5, only }.onto(timed_loop, algorithm);
            // If it is not slowed, the same loop is returned.
            std::ptr::from_ref(&*after).cast() != before
        };
        assert!(is_slowed(None, Algorithm::Xor));
        assert!(is_slowed(Some(Algorithm::Xor), Algorithm::Xor));
        assert!(!is_slowed(Some(Algorithm::Xor), Algorithm::Aes256Gcm));
    }
}
