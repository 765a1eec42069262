//! What a kind that is measured in rounds decides for itself.

use std::time::Duration;

use ciphermeter_core::{CellId, Outcome};

use super::setting::Setting;
use crate::pool::Pool;
use crate::{Batch, SinkError};

/// How a kind takes its samples.
pub trait Sampling {
    /// How many times as long as usual a sample is.
    fn length(&self) -> u32 {
        1
    }

    /// Of how many batches the pilot takes the shortest: one that was interrupted must not decide how long samples are.
    fn trials(&self) -> u32 {
        1
    }

    /// Nanoseconds that a batch took beside those that are timed.
    fn beside_ns(&self, batch: &Batch) -> u64 {
        batch.beside_ns()
    }

    /// Whether a slow cell has its reference right before and right after it.
    fn brackets(&self) -> bool {
        true
    }

    /// A fork has at least so many rounds where one of them isn't longer than the fork should be.
    fn least_rounds(&self) -> u32 {
        5
    }

    /// A call longer than so many nanoseconds warms itself up, where samples last `target` nanoseconds.
    fn longest_warmed(&self, _target: f64) -> f64 {
        5e7
    }

    /// Whether cells must be warmed up for longer after a neighbour with wide vectors, and readers told what is left of that.
    fn has_carry_over(&self) -> bool {
        true
    }

    /// Takes out the cells that would take too long for a part that has `budget` until the deadline.
    fn keep_what_fits(
        &self,
        pool: &mut Pool<'_>,
        settings: &mut [Option<Setting>],
        budget: Duration,
        _deadline: Duration,
    ) -> Result<(), SinkError> {
        for (id, setting) in (0..).map(CellId).zip(settings) {
            let slow = setting.filter(|setting| setting.is_slow()).map(|setting| setting.expected());
            if let Some(expected) = slow.filter(|expected| *expected * 6 > budget / 5) {
                let why = format!(
                    "one sample takes {:.3} s, and six must fit into a fifth of the remaining {:.3} s; use a longer --budget",
                    expected.as_secs_f64(),
                    budget.as_secs_f64()
                );
                pool.fall_out(id, Outcome::Unsupported { why })?;
                *setting = None;
            }
        }
        Ok(())
    }

    /// Whether the forks that an interval needs are held even if they take longer than planned.
    fn insists(&self) -> bool {
        false
    }

    /// Has the output of the sample that a cell's worker ran last confirmed; a wrong one takes the cell out.
    fn confirm(&mut self, pool: &mut Pool<'_>, id: CellId, batch: &Batch) -> Result<(), SinkError>;

    /// The last look of a fork at what a cell's timed calls put out; a wrong output takes the cell out.
    fn inspect(&mut self, pool: &mut Pool<'_>, id: CellId, setting: Setting) -> Result<(), SinkError> {
        match pool.sample(id, setting.warmup_ns, setting.iterations, setting.expected())? {
            Some(batch) => self.confirm(pool, id, &batch),
            None => Ok(()),
        }
    }

    /// What stands before the notes on the whole part.
    fn title(&self) -> &'static str {
        ""
    }
}
