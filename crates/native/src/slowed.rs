//! A known slowdown, for the instrument to find: every timed stretch is prolonged by a share of itself.

use std::hint::spin_loop;
use std::time::Instant;

use crate::job::Job;
use crate::task::{Failed, Task};

/// A task whose loop takes longer by `share`, exact to one reading of the clock a batch.
pub struct Slowed {
    pub task: Box<dyn Task>,
    pub share: f64,
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
