//! What of a worker's answers can be true: nothing else is believed.

use std::time::Duration;

use ciphermeter_core::{CellId, Counts, Metric};
use ciphermeter_protocol::{Counted, LinkError, Reply};

use crate::batch::Batch;

/// No board draws so many amperes.
const MOST_AMPERES: u64 = 1000;
/// The most volts that a board is believed to have: a thousand.
const MOST_MICROVOLTS: u64 = 1_000_000_000;
/// More memory than any machine has, in bytes.
const PEBIBYTE: u64 = 1 << 50;

/// An error unless it is so.
pub fn possible(is: bool, why: impl FnOnce() -> String) -> Result<(), LinkError> {
    if is { Ok(()) } else { Err(LinkError::Implausible(why())) }
}

/// The answer is about the cell that was asked for.
pub fn same_cell(asked: CellId, answered: u64) -> Result<(), LinkError> {
    possible(u64::from(asked.0) == answered, || {
        format!("it answered for cell {answered} where cell {} was asked for", asked.0)
    })
}

/// The answer is of another kind.
pub fn unexpected(asked: &str, reply: &Reply) -> LinkError {
    let line = reply.line();
    let (is, text) = (line.need_text("is").unwrap_or("?"), line.write());
    LinkError::Implausible(match is {
        // Of the right kind, and with figures of another unit.
        is if is == asked => {
            format!("its answer to `{asked}` has other keys than it must have here: `{}`", text.trim_end())
        }
        is => format!("it answered `{asked}` with `{is}`"),
    })
}

/// A sample's time by the worker's clock, whose steps are this long, is within the harness's own.
pub fn believe_time(counted: &Counted, iterations: u64, elapsed: Duration, step_ns: u64) -> Result<(), LinkError> {
    let (ns, most) = (counted.count(Metric::NS).unwrap_or(0), elapsed.as_nanos() as u64);
    // On a clock with long steps nothing may seem to pass, but not for long.
    let coarse = step_ns >= 1000 && most < 100 * step_ns;
    possible(ns > 0 || coarse, || format!("it claims 0 ns for a sample of {iterations}"))?;
    // Both clocks tick at the same pace: a batch can't take longer than the question.
    possible(ns <= longest(elapsed, step_ns), || format!("it claims {ns} ns, but answered within {most} ns"))
}

/// A sample has what its worker counts instead of time, and no time.
pub fn believe_count(counted: &Counted, counts: Counts) -> Result<(), LinkError> {
    let count = counted.count(counts.metric());
    possible(count.is_some_and(|count| count > 0), || format!("it counts {counts}, and a sample has none"))?;
    possible(counted.count(Metric::NS).is_none(), || format!("it counts {counts}, and a sample has a time"))
}

/// A batch is as long as it was asked to be, goes on where the one before ended, and took no more time or memory than there is. `warmup`:
/// how many calls a warm-up has at least; `None`: there was none.
pub fn believe_batch(
    batch: &Batch,
    asked: u64,
    before: u64,
    warmup: Option<u64>,
    step_ns: u64,
) -> Result<(), LinkError> {
    let &Batch { iterations, first, last, elapsed, .. } = batch;
    possible(iterations == asked, || format!("it timed {iterations} calls where {asked} were asked for"))?;
    let counts_on = first > before && last >= first && last - first >= iterations - 1;
    possible(counts_on, || {
        format!("it numbers iterations {first} to {last} after {before}: the numbers must keep rising")
    })?;
    let warm = last - first - (iterations - 1);
    possible(warmup.is_some() || warm == 0, || {
        format!("it numbers iterations {first} to {last} without a warm-up, and {iterations} were asked for")
    })?;
    possible(warmup.is_none_or(|least| warm >= least), || {
        format!("it warmed up with {warm} calls, and needs one for each of {} keys", warmup.unwrap_or(0))
    })?;
    let (ns, beside) = (batch.ns(), batch.beside_ns());
    possible(ns.saturating_add(beside) <= longest(elapsed, step_ns), || {
        format!("it claims {beside} ns beside its {ns} ns, but answered within {} ns", elapsed.as_nanos())
    })?;
    believe_charge(batch.count(Metric::CHARGE), ns)?;
    let voltage = batch.counts.iter().find(|(metric, _)| *metric == Metric::VOLTAGE);
    possible(voltage.is_none_or(|(_, microvolts)| (1..=MOST_MICROVOLTS).contains(microvolts)), || {
        "it claims a voltage of 0 or over a thousand volts".into()
    })?;
    let most = [Metric::PEAK_RSS, Metric::PEER_PEAK_RSS, Metric::STACK, Metric::STATE, Metric::CODE];
    let absurd = most.iter().find(|metric| batch.count(**metric) >= PEBIBYTE);
    possible(absurd.is_none(), || {
        format!("it claims a pebibyte or more as {}", absurd.map(|metric| metric.name()).unwrap_or_default())
    })
}

/// A board's clock runs: calls that took seconds here took more than a thousandth of that there.
pub fn believe_clock_runs(counted: &Counted, waited: Duration) -> Result<(), LinkError> {
    let ns = counted.count(Metric::NS).unwrap_or(0);
    possible(waited < Duration::from_secs(5) || u128::from(ns) >= waited.as_nanos() / 1000, || {
        format!("its clock hardly moves: it claims {ns} ns for what took {:.0} s here", waited.as_secs_f64())
    })
}

/// A charge in nanocoulombs is one that a board can take in so many nanoseconds.
pub fn believe_charge(charge: u64, ns: u64) -> Result<(), LinkError> {
    // nC ÷ ns = A
    possible(charge <= ns.saturating_mul(MOST_AMPERES), || {
        format!("it claims {charge} nC in {ns} ns, over {MOST_AMPERES} amperes")
    })
}

/// The most that a worker's clock may say of a stretch that took so long here.
fn longest(elapsed: Duration, step_ns: u64) -> u64 {
    let most = elapsed.as_nanos() as u64;
    most.saturating_add(most / 20 + 20_000).saturating_add(step_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charge_is_one_that_a_board_can_take() {
        assert!(believe_charge(80, 1_000).is_ok(), "80 mA");
        assert!(believe_charge(1_000_000, 1_000).is_ok(), "a thousand amperes");
        assert!(believe_charge(1_000_001, 1_000).is_err());
        assert!(believe_charge((1 << 53) - 1, 30_000_000).is_err());
        assert!(believe_charge(u64::MAX, u64::MAX).is_ok(), "no overflow");
    }

    #[test]
    fn a_warm_up_uses_every_key() {
        let batch =
            |last| Batch { iterations: 10, first: 1, last, elapsed: Duration::from_secs(1), ..Batch::default() };
        assert!(believe_batch(&batch(109), 10, 0, Some(99), 1).is_ok());
        let error = believe_batch(&batch(109), 10, 0, Some(100), 1).unwrap_err().to_string();
        assert_eq!(error, "it warmed up with 99 calls, and needs one for each of 100 keys");
        assert!(
            believe_batch(&batch(10), 10, 0, None, 1).is_ok() && believe_batch(&batch(11), 10, 0, None, 1).is_err()
        );
    }

    #[test]
    fn clock_that_stands_still_is_not_believed() {
        let counted = |ns| Counted { counts: vec![(Metric::NS, ns)], ..Counted::default() };
        let error = believe_clock_runs(&counted(1), Duration::from_secs(20)).unwrap_err().to_string();
        assert_eq!(error, "its clock hardly moves: it claims 1 ns for what took 20 s here");
        assert!(believe_clock_runs(&counted(20_000_000), Duration::from_secs(20)).is_ok());
        assert!(believe_clock_runs(&counted(0), Duration::from_secs(4)).is_ok(), "a slow line");
    }
}
