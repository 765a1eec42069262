//! Runtimes that compile while they run (METHODOLOGY.md, point 4).
//!
//! Their fresh process has all CPUs, so that compiling doesn't wait for what it compiles, and every cell is called, pass after
//! pass, until compilation stands still; only then is the process pinned to the CPU on which all take turns. It stands still when,
//! for as long as everything before had taken, the runtime compiled nothing in two passes running and no cell became faster. A cell is warmed up in the
//! company of its process's others, because a call of one can undo what was compiled for another.

use std::time::Duration;

use ciphermeter_core::CellId;

use crate::stop::Stop;
use crate::worker::Fault;
use crate::{Clock, Worker};

/// How long each cell is called in a pass, at least one call.
const TURN: Duration = Duration::from_millis(8);
/// A cell became faster if it beat its best by more than this share: best times of so many calls hardly move by themselves.
const FASTER: f64 = 0.02;
/// Nothing stands still before so much time a cell.
const LEAST: Duration = Duration::from_millis(120);
/// What moves after so much time a cell is no warm-up any more.
const MOST: Duration = Duration::from_millis(1500);

/// How warming a process up ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settled {
    /// When anything moved last.
    pub moved: Duration,
    /// How long it took in all.
    pub took: Duration,
    /// Whether it stood still in the end.
    pub still: bool,
}

/// The least time that warming up so many cells takes.
pub fn least(cells: usize) -> Duration {
    LEAST * cells as u32
}

/// Calls a fresh process's cells, pass after pass, until compilation stands still, or the run must stop.
pub fn settle(
    worker: &mut Worker,
    cells: &[CellId],
    clock: &dyn Clock,
    stop: &Stop<'_>,
    mut tell: impl FnMut(Duration),
) -> Result<Settled, Fault> {
    let began = clock.now();
    let (least, most) = (least(cells.len()), MOST * cells.len() as u32);
    let mut best = vec![f64::INFINITY; cells.len()];
    let (mut mark, mut compiled_before, mut moved) = (None, false, Duration::ZERO);
    loop {
        let mut moves = false;
        for (id, best) in cells.iter().zip(&mut best) {
            if stop.is_due(clock.now()) {
                return Ok(Settled { moved, took: clock.now() - began, still: false });
            }
            let each = if best.is_finite() { *best } else { TURN.as_nanos() as f64 };
            let iterations = ((TURN.as_nanos() as f64 / each) as u64).clamp(1, 1 << 24);
            let batch = worker.sample(*id, 0, iterations, None, TURN);
            let batch = batch.map_err(|error| Fault::new(Some(*id), error))?;
            let each = batch.ns().max(1) as f64 / iterations as f64;
            moves |= each < *best * (1.0 - FASTER);
            *best = best.min(each);
        }
        let now_mark = worker.compilation().map_err(|error| Fault::new(None, error))?;
        let compiled = now_mark != mark;
        // Once in a while a runtime compiles what answers requests; a cell's code keeps it busy for longer.
        moves |= compiled && compiled_before;
        (mark, compiled_before) = (now_mark, compiled);
        let took = clock.now() - began;
        if moves {
            moved = took;
        }
        if took >= least.max(2 * moved) || took >= most {
            return Ok(Settled { moved, took, still: took >= 2 * moved });
        }
        tell(most.saturating_sub(took));
    }
}

/// How it was judged, over all processes of a source, that compilation stands still.
pub fn sentence(name: &str, settled: &[Settled]) -> String {
    let seconds = |time: fn(&Settled) -> Duration| {
        let times = || settled.iter().map(|settled| time(settled).as_secs_f64());
        (times().fold(f64::INFINITY, f64::min), times().fold(0.0, f64::max))
    };
    let processes = settled.len();
    let ((first, last), (least, most)) = (seconds(|settled| settled.moved), seconds(|settled| settled.took));
    let restless = settled.iter().filter(|settled| !settled.still).count();
    let ending = match restless {
        0 => String::new(),
        _ => format!("; in {restless} of them compilation had not settled by then"),
    };
    format!(
        "{name} compiles while it runs: in {processes} processes, nothing was compiled and no call became {:.0} % faster \
         after {first:.1} to {last:.1} s; each was watched for {least:.1} to {most:.1} s and then pinned{ending}",
        FASTER * 100.0
    )
}
