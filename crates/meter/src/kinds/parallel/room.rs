//! Which cells are worth their memory, their room on the disk and their time, as far as it is known before any of them is timed.

use ciphermeter_core::{Algorithm, Bytes, Cell, CellId, LeftOut, Outcome};
use ciphermeter_host::usage;

use crate::SinkError;
use crate::pool::Pool;

/// The longest message that a processor encrypts in a card's stead, in bytes, where others wait for it.
const MOST_PLAYED: u64 = 128 << 20;
/// The share of the free memory that messages may take.
const MEMORY: f64 = 0.9;

/// Takes out of a size what it has no memory for, and what would take the time of all others.
pub fn keep_what_is_worth_it(pool: &mut Pool<'_>) -> Result<(), SinkError> {
    leave_out_played_cards(pool)?;
    keep_what_memory_holds(pool)
}

/// Takes out cards that a processor plays where messages are long and there are others: they are a hundred times as slow, so that a
/// pilot of them would take the time of all.
fn leave_out_played_cards(pool: &mut Pool<'_>) -> Result<(), SinkError> {
    let played = |pool: &Pool<'_>, id: CellId| {
        let planned = pool.plan.get(id);
        let offer = planned.source.and_then(|source| pool.surveyed[source].offer(planned.cell.algorithm));
        offer.is_some_and(|offer| planned.cell.form.is_played_by(&offer.path))
    };
    let (played, others): (Vec<_>, Vec<_>) = pool.cells().into_iter().partition(|id| played(pool, *id));
    if others.is_empty() {
        return Ok(());
    }
    for id in played {
        if pool.plan.get(id).cell.parameters.message() > MOST_PLAYED {
            pool.leave_out(id, Outcome::LeftOut(LeftOut::EmulatedCard { most: Bytes(MOST_PLAYED) }))?;
        }
    }
    Ok(())
}

/// Takes out copies, which take twice the memory, and then whole sources, the last first and the ceilings last of all, until the
/// messages of the rest fit into memory together: their processes hold them side by side.
fn keep_what_memory_holds(pool: &mut Pool<'_>) -> Result<(), SinkError> {
    let Some(free) = usage::available_memory() else { return Ok(()) };
    let room = (free as f64 * MEMORY) as u64;
    let all = |pool: &Pool<'_>| {
        (0..pool.surveyed.len()).map(|source| need(pool, source)).fold(0, |sum: u64, need| sum.saturating_add(need))
    };
    let whole = all(pool);
    let sources = (0..pool.surveyed.len()).filter(|source| need(pool, *source) > 0).count();
    let reason = LeftOut::NoMemory { needed: about(whole), free: about(free), several: sources > 2 };
    let is_copy = |id: &CellId| pool.plan.get(*id).cell.algorithm == Algorithm::Memcpy;
    let is_ceiling = |source: &usize| pool.surveyed[*source].source.name == "ceiling";
    let mut order: Vec<usize> = (0..pool.surveyed.len()).collect();
    order.sort_by_key(|source| (is_ceiling(source), std::cmp::Reverse(*source)));
    let mut steps = vec![pool.cells().into_iter().filter(is_copy).collect::<Vec<_>>()];
    steps.extend(order.into_iter().map(|source| pool.cells_of(source)));
    for step in steps {
        if all(pool) <= room {
            break;
        }
        for id in step {
            pool.leave_out(id, Outcome::LeftOut(reason.clone()))?;
        }
    }
    Ok(())
}

/// Bytes that a source's process takes for the part's messages: they share one place, and a copy has two sides.
fn need(pool: &Pool<'_>, source: usize) -> u64 {
    let cells = pool.cells_of(source).into_iter().map(|id| &pool.plan.get(id).cell);
    let bytes = |cell: &Cell| {
        let sides = if cell.algorithm == Algorithm::Memcpy { 2 } else { 1 };
        if cell.form.is_of_files() { 0 } else { cell.parameters.message().saturating_mul(sides) }
    };
    cells.map(bytes).max().unwrap_or(0)
}

/// A size for people, in whole mebibytes.
fn about(bytes: u64) -> Bytes {
    Bytes(bytes >> 20 << 20)
}
