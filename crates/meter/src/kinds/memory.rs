//! The memory of each cell (docs/memory.md).
//!
//! Each cell has fresh processes to itself, of which no times are taken. The library is used once for a short message, so that what
//! it loads and keeps is there; peaks begin anew; then the cell is prepared and called as often as fills a tenth of a second. What
//! was resident at the most, above what was before, is the cell's, its own buffers included: they are what a user needs, too.

use std::time::Duration;

use ciphermeter_core::{Cell, CellId, Memory, Metric, Note, Parameters, Record, Scenario};
use ciphermeter_protocol::{LinkError, MemoryUse};

use crate::kind::{Kind, Share};
use crate::part::Part;
use crate::pool::Pool;
use crate::stop::LEAST_PREPARATIONS;
use crate::{Affinity, SinkError, Worker};

/// Processes of each cell.
const PROCESSES: u32 = 3;
/// How long a cell is called: a runtime that collects garbage shall have some.
const CALLED: Duration = Duration::from_millis(100);
/// At least and at most so many calls.
const CALLS: (u64, u64) = (4, 1000);
/// The message with which the library is used before.
const SHORT: u64 = 64;
/// The number of that cell; no cell of a run has it.
const BEFORE: CellId = CellId(u32::MAX - 2);

/// The kind of measurement.
pub struct MemoryUsed;

impl Kind for MemoryUsed {
    fn takes(&self, scenario: &Scenario, cell: &Cell) -> bool {
        scenario.wants_memory(cell)
    }
    fn metrics(&self) -> Vec<Metric> {
        Vec::new()
    }

    fn conditions(&self) -> Part {
        Part { affinity: Affinity::OneCpu, ..Part::default() }
    }

    fn weight(&self, _: &Cell) -> f64 {
        1.0
    }

    fn held(&self, record: &Record) -> u32 {
        record.memory.len() as u32
    }

    fn left(&self, held: u32) -> f64 {
        f64::from(PROCESSES.saturating_sub(held)) / f64::from(PROCESSES)
    }

    /// The first process of each cell may take twice the time that there is, further ones start only before the deadline.
    fn measure(&mut self, pool: &mut Pool<'_>, mut share: Share<'_>) -> Result<(), SinkError> {
        pool.stop.end_preparations();
        pool.dismiss();
        let began = pool.clock.now();
        let most = LEAST_PREPARATIONS.max(2 * share.deadline.saturating_sub(began));
        for process in share.held..PROCESSES {
            let mut cells: Vec<CellId> = pool.cells();
            if cells.is_empty() || (process > share.held && pool.clock.now() >= share.deadline) {
                break;
            }
            pool.random.shuffle(&mut cells);
            let number = share.begin_fork();
            pool.sink.fork_begins(number, 0)?;
            let mut whole = true;
            for (place, id) in cells.iter().enumerate() {
                let end = if process > share.held { share.deadline } else { began + most };
                if pool.must_stop() || pool.clock.now() >= end {
                    whole = false;
                    break;
                }
                tell(pool, process, place, cells.len());
                memory_of(pool, *id, number)?;
            }
            pool.sink.fork_ends(number, whole)?;
            if !whole {
                break;
            }
        }
        Ok(())
    }
}

fn tell(pool: &mut Pool<'_>, process: u32, place: usize, cells: usize) {
    pool.tell("memory", format!("cell {} of {cells}, process {} of {PROCESSES}", place + 1, process + 1), (0, 0), 0.99);
}

/// One process for one cell. That it can't be had is no reason to take the cell's times away.
fn memory_of(pool: &mut Pool<'_>, id: CellId, fork: u32) -> Result<(), SinkError> {
    let Some(source) = pool.plan.get(id).source else { return Ok(()) };
    let survey = &pool.surveyed[source];
    let looked_at = match pool.launch.launch(&survey.source.counted(), pool.part.affinity) {
        Ok(link) => look_at(pool, &mut pool.known(survey, link), id, &survey.source.provider),
        Err(error) => Err(error.into()),
    };
    match looked_at {
        Ok(memory) => pool.sink.memory(id, &Memory { fork, ..memory }),
        Err(error) => {
            pool.part.cells.remove(&id);
            let name = pool.name(id);
            pool.sink.note(Note::other(format!("the memory of {name} cannot be measured: {error}")))
        }
    }
}

fn look_at(pool: &Pool<'_>, worker: &mut Worker, id: CellId, provider: &str) -> Result<Memory, LinkError> {
    let cell = &pool.plan.get(id).cell;
    let (seed, aad) = (pool.options.seed, cell.parameters.aad());
    let short = Cell { parameters: Parameters::message_cell(SHORT, aad, 1), ..cell.clone() };
    worker.prepare(BEFORE, &short, provider, seed, 0, 1)?.map_err(LinkError::Reported)?;
    worker.sample(BEFORE, 0, 2, None, CALLED)?;
    worker.release(BEFORE)?;
    // Some counters run only from the first reset on.
    worker.memory(true)?;
    let idle = worker.memory(false)?;
    worker.prepare(id, cell, provider, seed, 0, 1)?.map_err(LinkError::Reported)?;
    let first = worker.sample(id, 0, 1, None, CALLED)?;
    let before = worker.memory(false)?;
    if cell.has_processes() {
        // Each call is as the first one, in a process that has nothing before it.
        return Ok(used(&idle, [&before; 3], 1));
    }
    worker.sample(id, 0, 1, None, CALLED)?;
    let between = worker.memory(false)?;
    let calls = (CALLED.as_nanos() as u64 / first.ns().max(1)).clamp(CALLS.0, CALLS.1);
    worker.sample(id, 0, 1 + calls, None, CALLED)?;
    let after = worker.memory(false)?;
    Ok(used(&idle, [&before, &between, &after], calls))
}

/// What the cell took. Answering a request allocates, too: the sample of one call tells how much, and the longer one has so many
/// calls more.
fn used(idle: &MemoryUse, [before, between, after]: [&MemoryUse; 3], iterations: u64) -> Memory {
    let above = |peak: Option<u64>, idle: Option<u64>| Some(peak?.saturating_sub(idle?));
    let (one, all) = (above(between.allocated, before.allocated), above(after.allocated, between.allocated));
    Memory {
        fork: 0,
        iterations,
        idle_rss: idle.rss,
        peak_rss: above(before.peak_rss.max(after.peak_rss), idle.rss),
        peak_heap: above(before.peak_heap.max(after.peak_heap), idle.heap),
        allocated: above(all, one),
        counter: after.counter.clone(),
    }
}
