//! Cells of which one call takes as long as many samples: a part keeps only as many of them as fit into its time.

use std::time::Duration;

use ciphermeter_core::{CellId, LeftOut, Outcome};
use ciphermeter_stats::LEAST_FORKS;

use super::setting::Setting;
use crate::SinkError;
use crate::kind::Room;
use crate::pool::Pool;

/// A fork is a call of each cell, and another or two for the last look at what came out.
const CALLS: f64 = 3.0;

/// What six forks of one call of each cell take, where that is more than the time until the deadline: fewer forks would give
/// no interval worth having. With the cells that are in, and what each one's call takes.
pub struct TooLong {
    /// What they take.
    pub wanted: Duration,
    /// What is left.
    pub left: Duration,
    /// The cells that are in, the dearest last.
    pub costs: Vec<(Duration, CellId)>,
}

impl TooLong {
    /// `None` if all fit.
    pub fn of(pool: &Pool<'_>, settings: &[Option<Setting>], deadline: Duration) -> Option<Self> {
        let left = deadline.saturating_sub(pool.clock.now());
        let inside = pool.plan.ids().filter(|id| pool.is_on(*id));
        let mut costs: Vec<_> = inside.filter_map(|id| Some((settings[id.index()]?.expected(), id))).collect();
        costs.sort_unstable();
        let all: Duration = costs.iter().map(|(cost, _)| *cost).sum();
        let wanted = (pool.starting() + all.mul_f64(CALLS)) * LEAST_FORKS as u32;
        (wanted > left && !costs.is_empty()).then_some(Self { wanted, left, costs })
    }

    /// Takes out cells until six forks of one call each fit into what is left, those that take longest first; `call` is what they do in one.
    pub fn take_out_dearest(
        pool: &mut Pool<'_>,
        settings: &mut [Option<Setting>],
        room: Room,
        deadline: Duration,
        call: &str,
    ) -> Result<(), SinkError> {
        // For all cells, also those that are out already.
        let mut enough = None;
        while let Some(too_long) = Self::of(pool, settings, deadline) {
            let Some((_, dearest)) = too_long.costs.last().copied() else { break };
            let enough = *enough.get_or_insert_with(|| too_long.enough(pool, room));
            too_long.take_out(pool, settings, dearest, call, enough)?;
        }
        Ok(())
    }

    /// The budget of a run in which all of them would fit: what the pilot of this part took, it takes again.
    pub fn enough(&self, pool: &Pool<'_>, room: Room) -> Duration {
        rounded(room.budget_for(pool.clock.now().saturating_sub(room.began) + self.wanted))
    }

    /// Takes a cell out; `call` is what it does in a call, `enough` the budget that would do.
    pub fn take_out(
        &self,
        pool: &mut Pool<'_>,
        settings: &mut [Option<Setting>],
        id: CellId,
        call: &str,
        enough: Duration,
    ) -> Result<(), SinkError> {
        let reason = LeftOut::SlowForks {
            call: call.into(),
            forks_ms: super::sampling::in_ms(self.wanted),
            left_ms: super::sampling::in_ms(self.left),
            budget_s: Some(enough.as_secs_f64().ceil() as u64),
        };
        settings[id.index()] = None;
        pool.leave_out(id, Outcome::LeftOut(reason))
    }
}

/// With a tenth for what varies, up to ten seconds.
fn rounded(budget: Duration) -> Duration {
    Duration::from_secs_f64((budget.as_secs_f64() * 1.1 / 10.0).ceil() * 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budget_is_rounded_up() {
        let rounded = [41, 99, 110, 470].map(|seconds| rounded(Duration::from_secs(seconds)).as_secs());
        assert_eq!(rounded, [50, 110, 130, 520]);
    }
}
