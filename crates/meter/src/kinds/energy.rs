//! The energy of split messages (docs/energy.md).
//!
//! After the rounds, each cell is called for as long as the machine's counters need: two seconds and fifty of their updates at least,
//! in a process that lives for all cells of a size. A window has more in it than the timed calls, as each sample sets its message up
//! first; so what is stored is the window's own length and energy, from which follows the mean power while the cell runs. A window begins
//! only if it ends in time; of a cell that has too few of them, a note gives the reason.

use std::collections::BTreeMap;
use std::time::Duration;

use ciphermeter_core::{Cell, CellId, MAX_INTEGER, Metric, Note, Record, Sample, Scenario};
use ciphermeter_host::energy::MeterReading;

use super::parallel::Parallel;
use super::sustained::learn;
use crate::SinkError;
use crate::kind::{Kind, Share};
use crate::part::Part;
use crate::plan::Plan;
use crate::pool::Pool;

/// What a window counts.
const METRICS: &[Metric] =
    &[Metric::ELAPSED, Metric::ENERGY_CPU, Metric::ENERGY_CHIP, Metric::ENERGY_GPU, Metric::ENERGY_MACHINE];
/// Windows of each cell, each in a process of its own: fewer have no interval.
const WINDOWS: u32 = 3;

/// The most that a cell's windows ask for beside its rounds, in seconds: where counters are slow, its speed is worth more.
const MOST_WEIGHT: f64 = 4.0;

/// The kind of measurement. Its cells are those of `parallel`, which verifies them.
pub struct Energy {
    timed: Parallel,
    /// How long a window is at least.
    least: Duration,
}

impl Energy {
    /// With windows of this length at the least.
    pub fn new(least: Duration) -> Self {
        Self { timed: Parallel::default(), least }
    }
}

impl Kind for Energy {
    fn takes(&self, scenario: &Scenario, cell: &Cell) -> bool {
        self.timed.takes(scenario, cell) && is_cipher(cell)
    }

    fn metrics(&self) -> Vec<Metric> {
        METRICS.to_vec()
    }

    fn conditions(&self) -> Part {
        Part { probed: false, ..self.timed.conditions() }
    }

    fn parts(&self, scenario: &Scenario, plan: &Plan) -> Vec<Part> {
        let ciphers = |part: Part| {
            let cells = part.cells.iter().copied().filter(|id| is_cipher(&plan.get(*id).cell)).collect();
            Part { cells, probed: false, ..part }
        };
        self.timed.parts(scenario, plan).into_iter().map(ciphers).collect()
    }

    /// Half of what its windows take: a part has what those before it leave over, too.
    fn weight(&self, cell: &Cell) -> f64 {
        let windows = 0.5 * f64::from(WINDOWS) * self.least.as_secs_f64();
        windows.min(MOST_WEIGHT) + cell.parameters.message() as f64 / 8e9
    }

    fn held(&self, record: &Record) -> u32 {
        let counted = |sample: &Sample| METRICS[1..].iter().any(|metric| sample.count(*metric).is_some());
        record.forks.iter().filter(|fork| !fork.short && fork.samples.iter().any(counted)).count() as u32
    }

    fn left(&self, held: u32) -> f64 {
        f64::from(WINDOWS.saturating_sub(held)) / f64::from(WINDOWS)
    }

    fn measure(&mut self, pool: &mut Pool<'_>, mut share: Share<'_>) -> Result<(), SinkError> {
        pool.stop.end_preparations();
        let held = |id: CellId| share.earlier.get(id.index()).map_or(0, |record| self.held(record));
        let mut windows: BTreeMap<CellId, Windows> =
            pool.cells().into_iter().map(|id| (id, Windows { counted: held(id), failed: 0 })).collect();
        for window in share.held..WINDOWS {
            let mut cells = pool.cells();
            let ends = pool.clock.now() + pool.starting() + self.least;
            if cells.is_empty() || pool.must_stop() || ends > share.deadline {
                break;
            }
            pool.random.shuffle(&mut cells);
            let fork = share.begin_fork();
            pool.sink.fork_begins(fork, pool.offset)?;
            pool.start_all()?;
            for (place, id) in cells.iter().enumerate() {
                if pool.must_stop() {
                    break;
                }
                tell(pool, window, place, cells.len());
                let Some(sample) = window_of(pool, *id, self.least, share.deadline)? else { continue };
                let windows = windows.entry(*id).or_default();
                match sample.counts.len() {
                    0 | 1 => windows.failed += 1,
                    _ => {
                        windows.counted += 1;
                        pool.store(fork, place as u32, &[Sample { turn: place as u32, ..sample }])?;
                    }
                }
            }
            pool.sink.fork_ends(fork, true)?;
            pool.dismiss();
        }
        self.tell_lacking(pool, &windows)
    }
}

/// What became of a cell's windows.
#[derive(Default)]
struct Windows {
    counted: u32,
    /// In so many, no counter knew what was spent.
    failed: u32,
}

impl Energy {
    /// Why cells have no figure or no interval, if the user did not end the run.
    fn tell_lacking(&self, pool: &mut Pool<'_>, windows: &BTreeMap<CellId, Windows>) -> Result<(), SinkError> {
        if pool.must_stop() {
            return Ok(());
        }
        let mut lacking = BTreeMap::<(u32, bool), Vec<CellId>>::new();
        for (id, windows) in windows.iter().filter(|(id, windows)| pool.is_on(**id) && windows.counted < WINDOWS) {
            lacking.entry((windows.counted, windows.failed > 0)).or_default().push(*id);
        }
        for ((counted, has_failed), ids) in lacking {
            let cells = match ids[..] {
                [id] => pool.name(id),
                _ => format!("{} cells, for example {}", ids.len(), pool.name(ids[0])),
            };
            let has = match counted {
                0 => "no energy".into(),
                1 => "energy from one window and so no interval".into(),
                _ => format!("energy from {counted} windows of {WINDOWS}"),
            };
            let why = match has_failed {
                true => "its counter failed, as another note says".into(),
                false => format!("a window takes {:.1} s or more; use a longer --budget", self.least.as_secs_f64()),
            };
            pool.sink.note(Note::other(format!("{cells}: {has}: {why}")))?;
        }
        Ok(())
    }
}

/// One window of a cell, which has its length alone where no counter knew what was spent; `None` where its worker broke, or there is no
/// time for it.
fn window_of(
    pool: &mut Pool<'_>,
    id: CellId,
    least: Duration,
    deadline: Duration,
) -> Result<Option<Sample>, SinkError> {
    if pool.clock.now() + least > deadline {
        return Ok(None);
    }
    let Some(each) = learn(pool, id)? else { return Ok(None) };
    let calls = (least.as_secs_f64() / each).ceil().max(1.0);
    if pool.clock.now() + Duration::from_secs_f64(calls * each) > deadline {
        return Ok(None);
    }
    let (began, before) = (pool.clock.now(), MeterReading::at(&mut pool.meters));
    let Some(batch) = pool.sample(id, 0, calls as u64, least)? else { return Ok(None) };
    let (elapsed, after) = (pool.clock.now() - began, MeterReading::at(&mut pool.meters));
    let elapsed = (Metric::ELAPSED, u64::try_from(elapsed.as_nanos()).unwrap_or(MAX_INTEGER).min(MAX_INTEGER));
    let counts = std::iter::once(elapsed).chain(pool.spent(&before, &after)?).collect();
    Ok(Some(Sample { cell: id, after: None, turn: 0, iterations: batch.iterations, counts, series: Vec::new() }))
}

/// What a ceiling takes says nothing of a cipher.
fn is_cipher(cell: &Cell) -> bool {
    !cell.algorithm.is_ceiling()
}

fn tell(pool: &mut Pool<'_>, window: u32, place: usize, cells: usize) {
    pool.tell("energy", format!("cell {} of {cells}, window {} of {WINDOWS}", place + 1, window + 1), (0, 0), 0.97);
}
