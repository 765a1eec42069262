//! What a kind that is measured in rounds decides for itself.

use std::time::Duration;

use ciphermeter_core::{CellId, LeftOut, Outcome};

use super::setting::Setting;
use crate::pool::Pool;
use crate::{Batch, SinkError};

/// Whether six samples do not fit into a fifth of the budget: their cell would have no interval, and take the others' time.
pub fn is_too_long(sample: Duration, budget: Duration) -> bool {
    sample * 30 > budget
}

/// A budget in which they surely do, a fifth more than they take.
pub fn budget_for(sample: Duration) -> Duration {
    sample * 36
}

/// For a reason to leave a cell out.
pub fn in_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// How a kind takes its samples.
pub trait Sampling {
    /// Whether a call takes as long as many samples of others: a file that moves, a message of gigabytes. A sample lasts 20 ms then, or
    /// one call; a fork may have one round; and a call warms itself up.
    fn has_long_calls(&self) -> bool {
        false
    }

    /// How many times as long as usual a sample is.
    fn length(&self) -> u32 {
        if self.has_long_calls() { 67 } else { 1 }
    }

    /// Of how many batches the pilot takes the shortest: one that was interrupted must not decide how long samples are.
    fn trials(&self) -> u32 {
        if self.has_long_calls() || !self.is_disturbed() { 1 } else { 3 }
    }

    /// Nanoseconds that a batch took beside those that are timed.
    fn beside_ns(&self, batch: &Batch) -> u64 {
        batch.beside_ns()
    }

    /// Seconds that a request and its answer cost beside the sample itself.
    fn link(&self) -> f64 {
        1e-4
    }

    /// Whether a slow cell has its reference right before and right after it. Of long calls, half of the time would be the reference's.
    fn brackets(&self) -> bool {
        !self.has_long_calls()
    }

    /// A fork has at least so many rounds where one of them isn't longer than the fork should be.
    fn least_rounds(&self) -> u32 {
        if self.has_long_calls() { 1 } else { 5 }
    }

    /// Whether other work on this machine disturbs samples, so that a run should see some of its coming and going before it ends.
    fn is_disturbed(&self) -> bool {
        true
    }

    /// A call longer than so many nanoseconds warms itself up, where samples last `target` nanoseconds.
    fn longest_warmed(&self, target: f64) -> f64 {
        if self.has_long_calls() { target } else { 5e7 }
    }

    /// Whether cells take turns on one core of this machine, in samples of a third of a millisecond.
    fn shares_a_core(&self) -> bool {
        !self.has_long_calls()
    }

    /// The budget by which a cell is too slow, of a part that has this one.
    fn patience(&self, budget: Duration) -> Duration {
        budget
    }

    /// Takes out the cells that would take too long for a part that has `budget` until the deadline; comes back with the deadline that
    /// the others keep.
    fn keep_what_fits(
        &self,
        pool: &mut Pool<'_>,
        settings: &mut [Option<Setting>],
        budget: Duration,
        deadline: Duration,
    ) -> Result<Duration, SinkError> {
        let budget = self.patience(budget);
        for (id, setting) in (0..).map(CellId).zip(settings) {
            let slow = setting.filter(|setting| setting.is_slow() || setting.before > 0.0);
            let slow = slow.map(|setting| setting.expected());
            if let Some(expected) = slow.filter(|expected| is_too_long(*expected, budget)) {
                let reason = LeftOut::SlowSample { sample_ms: in_ms(expected), left_ms: in_ms(budget) };
                pool.leave_out(id, Outcome::LeftOut(reason))?;
                *setting = None;
            }
        }
        Ok(deadline)
    }

    /// Whether the forks that an interval needs are held even if they take longer than planned. Of long calls the pilot has left in what
    /// fits into six forks of one call each; a little more than planned is no reason for five.
    fn insists(&self) -> bool {
        self.has_long_calls()
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

    /// What stands before the note on the clock, where it is that of a device.
    fn device(&self) -> &str {
        ""
    }

    /// What stands before the notes on the whole part.
    fn title(&self) -> &'static str {
        ""
    }
}
