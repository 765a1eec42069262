//! A known slowdown, for the instrument to detect: every timed stretch is prolonged by a share of itself.

use std::hint::spin_loop;
use std::time::Instant;

use ciphermeter_core::Algorithm;

use crate::job::Job;
use crate::task::{Failed, Task};

/// The slowdown, and what it applies to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slowdown {
    /// The share of itself by which a timed stretch is prolonged.
    pub share: f64,
    /// The one algorithm that is slowed; `None`: all.
    pub only: Option<Algorithm>,
}

impl Slowdown {
    /// Wraps the task if its algorithm is to be slowed.
    pub fn onto(self, task: Box<dyn Task>, algorithm: Algorithm) -> Box<dyn Task> {
        match self.only.is_none_or(|only| only == algorithm) {
            true => Box::new(Slowed { task, share: self.share }),
            false => task,
        }
    }
}

/// A task whose loop takes longer by `share`, exact to one reading of the clock a batch.
struct Slowed {
    task: Box<dyn Task>,
    share: f64,
}

impl Task for Slowed {
    fn run(&mut self, job: &mut Job<'_>, first: u64, count: u64) -> Result<(), Failed> {
        let start = Instant::now();
        self.task.run(job, first, count)?;
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
    use crate::task::each;

    #[test]
    fn only_the_named_algorithm_is_slowed() {
        let is_slowed = |only, algorithm| {
            let bytes = String::from("state, so that the task has an address");
            let task = each(move |_| Ok(bytes.len()));
            let before: *const () = std::ptr::from_ref(&*task).cast();
            let after = Slowdown { share: 0.5, only }.onto(task, algorithm);
            // If it is not slowed, the same task is returned.
            std::ptr::from_ref(&*after).cast() != before
        };
        assert!(is_slowed(None, Algorithm::Xor));
        assert!(is_slowed(Some(Algorithm::Xor), Algorithm::Xor));
        assert!(!is_slowed(Some(Algorithm::Xor), Algorithm::Aes256Gcm));
    }
}
