//! One cell for minutes, a step of about a second after the other (docs/sustained.md).
//!
//! A step is an ordinary sample of one process that lives as long as the load. Between two steps stands one look at the machine: its
//! frequency, its temperature, its counters of energy, and where the time of its CPUs went since the look before.

use std::time::Duration;

use ciphermeter_core::{Cell, CellId, MAX_INTEGER, Metric, Note, Record, Sample, Scenario};
use ciphermeter_host::energy::MeterReading;
use ciphermeter_host::gauges::{Gauges, Reading, Shares};
use ciphermeter_protocol::LinkError;

use super::parallel::Parallel;
use super::threads::Threads;
use super::transfers::Transfers;
use super::turns::Turns;
use crate::kind::{Kind, Share};
use crate::part::Part;
use crate::plan::Plan;
use crate::pool::Pool;
use crate::rounds::{Sampling, no_time};
use crate::{Affinity, Batch, Progress, SinkError};

/// What a step counts beside what its worker does.
const METRICS: &[Metric] = &[
    Metric::BYTES,
    Metric::ELAPSED,
    Metric::RSS,
    Metric::FREQUENCY,
    Metric::TEMPERATURE,
    Metric::STEAL,
    Metric::OTHERS,
    Metric::ENERGY_CPU,
    Metric::ENERGY_CHIP,
    Metric::ENERGY_GPU,
    Metric::ENERGY_MACHINE,
];
/// How long a step should be.
const STEP: Duration = Duration::from_secs(1);
/// The first sample that is long enough to learn the number of calls of a step from.
const LEARNT: Duration = Duration::from_millis(50);
/// The most calls of a step: a sample has no more (PROTOCOL.md).
const MOST_CALLS: u64 = u32::MAX as u64;

/// A kind whose samples are the steps of a load.
trait Steady: Kind + Sampling {}

impl<T: Kind + Sampling> Steady for T {}

/// The kind of measurement.
pub struct Sustained {
    /// Those of which one would measure the cell in turns with others: it verifies and confirms the load, too.
    kinds: [Box<dyn Steady>; 4],
    budget: Duration,
}

impl Sustained {
    /// A load that lasts `budget` from its first step on; files, where it moves any, are made from this seed.
    pub fn new(seed: u64, budget: Duration) -> Self {
        Self {
            kinds: [Box::new(Transfers::new(seed)), Box::<Parallel>::default(), Box::new(Threads), Box::new(Turns)],
            budget,
        }
    }

    /// The kind that would measure the cell in turns with others.
    fn own_kind(&self, scenario: &Scenario, cell: &Cell) -> Option<usize> {
        self.kinds.iter().position(|kind| kind.takes(scenario, cell))
    }
}

impl Kind for Sustained {
    fn takes(&self, scenario: &Scenario, cell: &Cell) -> bool {
        self.own_kind(scenario, cell).is_some()
    }

    fn metrics(&self) -> Vec<Metric> {
        self.kinds.iter().flat_map(|kind| kind.metrics()).chain(METRICS.iter().copied()).collect()
    }

    fn conditions(&self) -> Part {
        Part { affinity: Affinity::AllCpus, ..Part::default() }
    }

    /// The conditions of its own kind, without looks at the contention probe: they would interrupt the load.
    fn parts(&self, scenario: &Scenario, plan: &Plan) -> Vec<Part> {
        let part = |id: CellId| {
            let own = self.own_kind(scenario, &plan.get(id).cell)?;
            Some(Part { cells: [id].into(), probed: false, ..self.kinds[own].conditions() })
        };
        plan.ids().filter_map(part).collect()
    }

    fn weight(&self, _: &Cell) -> f64 {
        1.0
    }

    /// The machine has cooled down since, so what an earlier life measured is no part of this load.
    fn held(&self, _: &Record) -> u32 {
        0
    }

    fn left(&self, _: u32) -> f64 {
        1.0
    }

    fn verify(&mut self, pool: &mut Pool<'_>, deadline: Duration) -> Result<(), SinkError> {
        self.kinds.iter_mut().try_for_each(|kind| kind.verify(pool, deadline))
    }

    fn measure(&mut self, pool: &mut Pool<'_>, mut share: Share<'_>) -> Result<(), SinkError> {
        let Some(id) = pool.cells().first().copied() else { return Ok(()) };
        pool.stop.end_preparations();
        let fork = share.begin_fork();
        pool.sink.fork_begins(fork, pool.offset)?;
        pool.start_all()?;
        let whole = match learn(pool, id)? {
            Some(each) => self.follow(pool, id, fork, each, &share)?,
            None => false,
        };
        pool.sink.fork_ends(fork, whole)?;
        pool.dismiss();
        Ok(())
    }
}

impl Sustained {
    /// Step after step until the time is over, the user ends it, or its worker breaks; whether the load lasted as long as it should.
    fn follow(
        &mut self,
        pool: &mut Pool<'_>,
        id: CellId,
        fork: u32,
        mut each: f64,
        share: &Share<'_>,
    ) -> Result<bool, SinkError> {
        let gauges = Gauges::live();
        let look = |pool: &mut Pool<'_>| Moment {
            at: pool.clock.now(),
            reading: gauges.read(),
            energy: MeterReading::at(&mut pool.meters),
        };
        let mut before = look(pool);
        let (began, end) = (before.at, before.at + self.budget);
        for number in 0.. {
            if pool.must_stop() {
                return Ok(false);
            }
            let Some((_, worker)) = pool.worker(id) else { return Ok(false) };
            let expected = STEP.max(Duration::try_from_secs_f64(each).unwrap_or(Duration::MAX));
            let batch = match worker.sample(id, 0, calls(each), None, expected).and_then(timed) {
                Ok(batch) => batch,
                Err(error) => return broken(pool, id, number, error).map(|()| false),
            };
            let resident = worker.memory(false).ok().and_then(|used| used.rss);
            let now = look(pool);
            let mut sample = sample(&pool.plan.get(id).cell, id, &batch, (&before, &now), resident);
            sample.counts.extend(pool.spent(&before.energy, &now.energy)?);
            pool.store(fork, number, &[sample])?;
            tell(pool, &batch, id, now.at - began, self.budget);
            if now.at >= end {
                let Some(own) = self.own_kind(share.scenario, &pool.plan.get(id).cell) else { return Ok(false) };
                return self.kinds[own].confirm(pool, id, &batch).map(|()| true);
            }
            each = (now.at - before.at).as_secs_f64() / batch.iterations as f64;
            before = now;
        }
        Ok(true)
    }
}

/// One moment of the load.
struct Moment {
    at: Duration,
    reading: Reading,
    energy: MeterReading,
}

/// How many seconds a call takes with what stands beside it.
pub(super) fn learn(pool: &mut Pool<'_>, id: CellId) -> Result<Option<f64>, SinkError> {
    let mut iterations = 1;
    while iterations <= MOST_CALLS {
        let began = pool.clock.now();
        if pool.sample(id, 0, iterations, LEARNT)?.is_none() {
            return Ok(None);
        }
        let took = pool.clock.now() - began;
        if took >= LEARNT {
            return Ok(Some(took.as_secs_f64() / iterations as f64));
        }
        iterations *= 4;
    }
    pool.fault(id, no_time()).map(|()| None)
}

/// How many calls a step has, of so many seconds each.
fn calls(each: f64) -> u64 {
    ((STEP.as_secs_f64() / each).round() as u64).clamp(1, MOST_CALLS)
}

/// A step that took no time is none.
fn timed(batch: Batch) -> Result<Batch, LinkError> {
    if batch.ns() == 0 { Err(no_time()) } else { Ok(batch) }
}

/// The worker gave no usable answer. What was measured before that stays.
fn broken(pool: &mut Pool<'_>, id: CellId, steps: u32, error: LinkError) -> Result<(), SinkError> {
    if steps == 0 || pool.stop.is_interrupted() {
        return pool.fault(id, error);
    }
    pool.cut_short = true;
    pool.sink.note(Note::other(format!("the load ended after {steps} steps: {error}")))
}

/// The step as a sample: what its worker counted, and what the machine did meanwhile, but for energy.
fn sample(cell: &Cell, id: CellId, batch: &Batch, (before, now): (&Moment, &Moment), resident: Option<u64>) -> Sample {
    let calls = batch.iterations.saturating_mul(cell.messages_at_once());
    let bytes = calls.saturating_mul(cell.parameters.message()).min(MAX_INTEGER);
    let spent = |share: fn(&Shares) -> Duration| {
        let at = |moment: &Moment| moment.reading.shares.as_ref().map(share);
        Some(nanoseconds(at(now)?.saturating_sub(at(before)?)))
    };
    let count = |metric| batch.counts.iter().find(|(counted, _)| *counted == metric).map(|(_, count)| *count);
    let own = count(Metric::CPU_NS).map(|own| own + count(Metric::PEER_CPU_NS).unwrap_or(0));
    let others = spent(|shares| shares.busy).zip(own).map(|(busy, own)| busy.saturating_sub(own));
    let seen = [
        (Metric::BYTES, Some(bytes).filter(|bytes| *bytes > 0)),
        (Metric::ELAPSED, Some(nanoseconds(now.at - before.at))),
        (Metric::RSS, resident),
        (Metric::FREQUENCY, now.reading.frequency),
        (Metric::TEMPERATURE, now.reading.temperature),
        (Metric::STEAL, spent(|shares| shares.steal)),
        (Metric::OTHERS, others),
    ];
    let seen = seen.into_iter().filter_map(|(metric, count)| Some((metric, count?)));
    let counts = batch.counts.iter().copied().chain(seen).collect();
    // What was followed every 50 ms is of the step's last file alone.
    Sample { cell: id, after: None, turn: 0, iterations: batch.iterations, counts, series: Vec::new() }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn tell(pool: &mut Pool<'_>, batch: &Batch, id: CellId, elapsed: Duration, budget: Duration) {
    let cell = &pool.plan.get(id).cell;
    let calls = (batch.iterations * cell.messages_at_once()) as f64 * 1e9 / batch.ns().max(1) as f64;
    let what = match cell.parameters.message() {
        0 => format!("{calls:.0} calls/s"),
        bytes => format!("{:.0} MB/s", calls * bytes as f64 / 1e6),
    };
    let done = (elapsed.as_secs_f64() / budget.as_secs_f64().max(1e-9)).min(1.0);
    pool.sink.progress(&Progress {
        stage: "sustaining",
        what,
        fork: 0,
        rounds: 0,
        done,
        left: Some(budget.saturating_sub(elapsed)),
    });
}
