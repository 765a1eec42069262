//! The charge of calls on a board (docs/devices.md).
//!
//! After the rounds, each cell is called for as long as its meter of current needs, in three forks. A meter on the board says itself what
//! the calls took. A bench meter's readings come on a line of its own: their integral from the request to its answer has the time on the
//! device's line in it, which counts as much as the board takes while it waits. What is stored is the time and the charge of the calls;
//! never beside a time that is compared, as these samples are longer than those of the rounds.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use ciphermeter_core::{CellId, MAX_INTEGER, Metric, Note, Record, Sample};

use crate::kind::Share;
use crate::pool::Pool;
use crate::rounds::no_time;
use crate::{Batch, Progress, SinkError};

/// Windows of each cell, each in a fork of its own: fewer have no interval.
const WINDOWS: u32 = 3;
/// Calls that take this long say how long one takes.
const LEARNT: Duration = Duration::from_millis(20);
/// The most calls of a sample.
const MOST_CALLS: u64 = u32::MAX as u64;
/// A window that came out too short is tried again with more calls, so often at most.
const ATTEMPTS: u32 = 5;
/// A window is longer by this than its meter needs.
const MARGIN: f64 = 1.15;

/// What measures a cell's charge.
#[derive(Debug, Clone, Copy)]
enum Source {
    /// The board itself, in samples of this length.
    Board(Duration),
    /// A meter beside it.
    Bench(Duration),
}

/// What calls took in a window.
struct Taken {
    /// Nanocoulombs.
    charge: f64,
    /// Microvolts.
    voltage: Option<u64>,
    /// Nanoamperes of the board that waits.
    idle: Option<u64>,
}

/// How many forks of a record have a window.
fn held(record: &Record) -> u32 {
    let is_window = |sample: &Sample| sample.count(Metric::CHARGE).is_some() && sample.count(Metric::ELAPSED).is_some();
    record.forks.iter().filter(|fork| !fork.short && fork.samples.iter().any(is_window)).count() as u32
}

/// Measures the charge of the part's cells, if anything here can.
pub fn measure(pool: &mut Pool<'_>, share: &mut Share<'_>) -> Result<(), SinkError> {
    let metered = |pool: &Pool<'_>| -> Vec<CellId> {
        pool.cells().into_iter().filter(|id| source(pool, *id).is_some()).collect()
    };
    let earlier = share.earlier.iter().filter(|record| pool.part.cells.contains(&record.id)).map(held).max();
    let mut why_not = None;
    for window in earlier.unwrap_or(0)..WINDOWS {
        let mut cells = metered(pool);
        if cells.is_empty() || pool.must_stop() {
            break;
        }
        pool.part.cells = cells.iter().copied().collect::<BTreeSet<_>>();
        pool.random.shuffle(&mut cells);
        let fork = share.begin_fork();
        pool.sink.fork_begins(fork, pool.offset)?;
        pool.start_all()?;
        let idle = idle(pool, cells[0]);
        for (place, id) in cells.iter().enumerate() {
            if pool.must_stop() {
                break;
            }
            tell(pool, window, place, cells.len());
            let sample = match &idle {
                Ok(idle) => window_of(pool, *id, *idle)?,
                Err(why) => Some(Err(why.clone())),
            };
            match sample {
                Some(Ok(sample)) => {
                    pool.store(fork, place as u32, &[Sample { turn: place as u32, ..sample }])?;
                }
                Some(Err(why)) => why_not = why_not.or(Some((*id, why))),
                None => {}
            }
        }
        let whole = !pool.must_stop();
        pool.sink.fork_ends(fork, whole)?;
        pool.dismiss();
    }
    match why_not.filter(|_| !pool.must_stop()) {
        Some((id, why)) => {
            pool.sink.note(Note::other(format!("charge is not known for all of the run, {}: {why}", pool.name(id))))
        }
        None => Ok(()),
    }
}

/// What measures the charge of a cell; `None`: nothing.
fn source(pool: &Pool<'_>, id: CellId) -> Option<Source> {
    let facts = &pool.surveyed[pool.plan.get(id).source?].facts;
    if facts.emulated || facts.counts.is_some() {
        return None;
    }
    match &pool.meters.current {
        Some(meter) => Some(Source::Bench(meter.least())),
        None => Some(Source::Board(Duration::from_nanos(facts.current_window_ns?).mul_f64(MARGIN))),
    }
}

/// Nanoamperes of the board that waits; `None` where it does not say. The error says why the bench meter does not.
fn idle(pool: &mut Pool<'_>, id: CellId) -> Result<Option<f64>, String> {
    match source(pool, id) {
        Some(Source::Bench(least)) => {
            let began = Instant::now();
            while began.elapsed() < least && !pool.must_stop() {
                std::thread::sleep(Duration::from_millis(20).min(least));
            }
            let ended = Instant::now();
            bench(pool, began, ended).map(|(coulombs, _)| Some(1e9 * coulombs / (ended - began).as_secs_f64()))
        }
        Some(Source::Board(_)) => {
            let said = pool.worker(id).map(|(_, worker)| worker.current());
            Ok(said.and_then(Result::ok).map(|(charge, ns)| 1e9 * charge as f64 / ns as f64))
        }
        None => Ok(None),
    }
}

/// Coulombs and volts of the bench meter over a stretch.
fn bench(pool: &Pool<'_>, from: Instant, to: Instant) -> Result<(f64, Option<f64>), String> {
    let Some(meter) = &pool.meters.current else { return Err("there is no meter".into()) };
    let charge = meter.between(from, to).map_err(|why| format!("the meter on {} {why}", meter.name()))?;
    Ok((charge.coulombs, charge.volts))
}

/// A window of a cell, or why it has none; `None` where its worker broke.
fn window_of(pool: &mut Pool<'_>, id: CellId, idle: Option<f64>) -> Result<Option<Result<Sample, String>>, SinkError> {
    let Some(source) = source(pool, id) else { return Ok(None) };
    let (Source::Board(least) | Source::Bench(least)) = source;
    let Some(mut each) = learn(pool, id)? else { return Ok(None) };
    for _ in 0..ATTEMPTS {
        let calls = ((least.as_secs_f64() / each).ceil() as u64).clamp(1, MOST_CALLS);
        let began = Instant::now();
        let Some(batch) = pool.sample(id, 0, calls, least)? else { return Ok(None) };
        let took = Duration::from_nanos(batch.ns());
        if took < least.div_f64(MARGIN) && calls < MOST_CALLS {
            each = took.as_secs_f64().max(1e-9) / calls as f64;
            continue;
        }
        let taken = match source {
            Source::Board(_) => on_board(&batch, idle),
            Source::Bench(_) => beside(pool, &batch, began, idle),
        };
        return Ok(Some(taken.map(|taken| sample(id, &batch, &taken))));
    }
    Ok(Some(Err("its calls took less time than the meter needs, again and again".into())))
}

/// What the board says of a sample.
fn on_board(batch: &Batch, idle: Option<f64>) -> Result<Taken, String> {
    let of = |metric| batch.counts.iter().find(|(counted, _)| *counted == metric).map(|(_, count)| *count);
    match of(Metric::CHARGE) {
        Some(0) => Err("the board's meter reads no current; check its wires".into()),
        Some(charge) => {
            Ok(Taken { charge: charge as f64, voltage: of(Metric::VOLTAGE), idle: idle.map(|idle| idle as u64) })
        }
        None => Err("the board's meter of current did not answer; check its wires".into()),
    }
}

/// What the bench meter says of a sample that ended now.
fn beside(pool: &Pool<'_>, batch: &Batch, began: Instant, idle: Option<f64>) -> Result<Taken, String> {
    let (coulombs, volts) = bench(pool, began, began + batch.elapsed)?;
    let waited = batch.elapsed.saturating_sub(Duration::from_nanos(batch.ns()));
    // nA · s = nC
    let charge = 1e9 * coulombs - idle.unwrap_or_default() * waited.as_secs_f64();
    Ok(Taken {
        charge: charge.max(0.0),
        voltage: volts.map(|volts| (1e6 * volts) as u64),
        idle: idle.map(|idle| idle.max(0.0) as u64),
    })
}

/// The time is the calls', without what they are compared by.
fn sample(id: CellId, batch: &Batch, taken: &Taken) -> Sample {
    let whole = |count: f64| (count.round() as u64).min(MAX_INTEGER);
    // nC · µV = 10⁻¹⁵ J
    let energy = taken.voltage.map(|voltage| whole(taken.charge * voltage as f64 / 1e9));
    let counts = [
        (Metric::ELAPSED, Some(batch.ns())),
        (Metric::ENERGY_MACHINE, energy),
        (Metric::CHARGE, Some(whole(taken.charge))),
        (Metric::VOLTAGE, taken.voltage),
        (Metric::IDLE_CURRENT, taken.idle),
    ];
    let counts = counts.into_iter().filter_map(|(metric, count)| Some((metric, count?))).collect();
    Sample { cell: id, after: None, turn: 0, iterations: batch.iterations, counts, series: Vec::new() }
}

/// Seconds of one call, by the board's own clock; `None` where its worker broke.
fn learn(pool: &mut Pool<'_>, id: CellId) -> Result<Option<f64>, SinkError> {
    let mut calls = 1;
    loop {
        let Some(batch) = pool.sample(id, 0, calls, LEARNT)? else { return Ok(None) };
        let took = Duration::from_nanos(batch.ns());
        if took >= LEARNT {
            return Ok(Some(took.as_secs_f64() / calls as f64));
        }
        calls *= 4;
        if calls > MOST_CALLS {
            return pool.fault(id, no_time()).map(|()| None);
        }
    }
}

fn tell(pool: &mut Pool<'_>, window: u32, place: usize, cells: usize) {
    let what = format!("cell {} of {cells}, window {} of {WINDOWS}", place + 1, window + 1);
    pool.sink.progress(&Progress { stage: "charge", what, fork: 0, rounds: 0, done: 0.97, left: None });
}
