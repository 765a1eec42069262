//! One long message, split among threads or encrypted by a graphics card (METHODOLOGY.md, "Split messages").
//!
//! All sizes are parts of their own, because their messages would not fit into memory together. What was timed is proven right in
//! three ways: where slices meet, and at a few other places, the bytes must be those that another provider makes of them under
//! counters of the harness's own reckoning; all of it must decrypt to what has the message's CRC-32; and the plaintext at the same
//! places must be the message's.

use std::collections::BTreeSet;
use std::time::Duration;

use ciphermeter_core::{Algorithm, Bytes, Cell, CellId, Family, Form, Metric, Outcome, Record, Scenario};
use ciphermeter_host::usage;
use ciphermeter_protocol::LinkError;

use crate::kind::{Kind, Share};
use crate::part::Part;
use crate::plan::Plan;
use crate::pool::Pool;
use crate::rounds::{self, Sampling, Setting, TooLong};
use crate::truth;
use crate::verify::verify_messages;
use crate::{Affinity, Batch, SinkError};

/// What its samples count.
const METRICS: &[Metric] =
    &[Metric::NS, Metric::CPU_NS, Metric::CYCLES, Metric::INSTRUCTIONS, Metric::CONTEXT, Metric::COMPILE, Metric::PIN];
/// In place, what came out is made anew call by call; no longer chain of calls is looked at. Odd, because an even number of calls that
/// undo each other leaves what none at all leaves.
const LONGEST_CHAIN: u64 = 3;
/// Bytes that are looked at around a place, half of them before it.
const LOOK: u64 = 64;
/// The most places of slices that are looked at, and as many others.
const PLACES: usize = 16;
/// What threads of form `dynamic` take at once, and where a card's work may be divided (PROTOCOL.md).
const CHUNK: u64 = 1 << 20;
/// A cell that takes so many times as long as the usual one is left out before any other.
const OUTLIER: u32 = 4;
/// The share of the free memory that messages may take.
const MEMORY: f64 = 0.8;

/// The kind of measurement.
pub struct Parallel;

impl Kind for Parallel {
    fn takes(&self, _: &Scenario, cell: &Cell) -> bool {
        cell.is_split()
    }

    fn metrics(&self) -> Vec<Metric> {
        METRICS.to_vec()
    }

    /// The contention probe looks at one core; a split message has all of them.
    fn conditions(&self) -> Part {
        Part { affinity: Affinity::AllCpus, ..Part::default() }
    }

    /// One size after the other, the smallest first.
    fn parts(&self, scenario: &Scenario, plan: &Plan) -> Vec<Part> {
        let cells = || plan.ids().map(|id| (id, &plan.get(id).cell)).filter(|(_, cell)| self.takes(scenario, cell));
        let sizes: BTreeSet<u64> = cells().map(|(_, cell)| cell.parameters.message()).collect();
        let of_size = |bytes| {
            let cells = cells().filter(|(_, cell)| cell.parameters.message() == bytes).map(|(id, _)| id).collect();
            Part { cells, ..self.conditions() }
        };
        sizes.into_iter().map(of_size).collect()
    }

    /// Seconds: a share of starting its process, and what its message takes at two gigabytes a second.
    fn weight(&self, cell: &Cell) -> f64 {
        0.3 + cell.parameters.message() as f64 / 2e9
    }

    fn held(&self, record: &Record) -> u32 {
        rounds::held(record)
    }

    fn left(&self, held: u32) -> f64 {
        rounds::left(held)
    }

    /// All messages, split in each way that the plan has.
    fn verify(&mut self, pool: &mut Pool<'_>, deadline: Duration) -> Result<(), SinkError> {
        verify_messages(pool, deadline)
    }

    fn measure(&mut self, pool: &mut Pool<'_>, share: Share<'_>) -> Result<(), SinkError> {
        keep_what_memory_holds(pool)?;
        rounds::measure(pool, self, share)
    }
}

impl Sampling for Parallel {
    /// A sample lasts 20 ms, or one message.
    fn length(&self) -> u32 {
        67
    }

    fn beside_ns(&self, batch: &Batch) -> u64 {
        u64::try_from(batch.elapsed.as_nanos()).unwrap_or(u64::MAX).saturating_sub(batch.ns())
    }

    /// A message takes as long as many samples: with the reference before and after each, half of the time would be the reference's.
    fn brackets(&self) -> bool {
        false
    }

    fn least_rounds(&self) -> u32 {
        1
    }

    fn longest_warmed(&self, target: f64) -> f64 {
        target
    }

    fn has_carry_over(&self) -> bool {
        false
    }

    /// Takes out cells that are far slower than the others, one after another, until six forks of one message each fit; then the whole
    /// size, because without one thread there is no speed-up, and without all of them nothing that it is about.
    fn keep_what_fits(
        &self,
        pool: &mut Pool<'_>,
        settings: &mut [Option<Setting>],
        _budget: Duration,
        deadline: Duration,
    ) -> Result<(), SinkError> {
        while let Some(too_long) = TooLong::of(pool, settings, deadline) {
            let usual = too_long.costs[too_long.costs.len() / 2].0;
            let dearest = too_long.costs.last().filter(|(cost, _)| *cost > usual * OUTLIER);
            let out: Vec<CellId> = match dearest {
                Some((_, dearest)) => vec![*dearest],
                None => too_long.costs.iter().map(|(_, id)| *id).collect(),
            };
            for id in out {
                too_long.take_out(pool, settings, id, "message")?;
            }
        }
        Ok(())
    }

    /// The pilot has left in what fits; a little more than planned is no reason for five forks.
    fn insists(&self) -> bool {
        true
    }

    fn confirm(&mut self, pool: &mut Pool<'_>, id: CellId, batch: &Batch) -> Result<(), SinkError> {
        let cell = pool.plan.get(id).cell.clone();
        if cell.algorithm.family() == Family::Ceiling {
            return Ok(());
        }
        let chain = batch.last - batch.first + 1;
        if chain > LONGEST_CHAIN || chain.is_multiple_of(2) {
            let expected = Duration::from_nanos(batch.ns() / batch.iterations);
            return match pool.sample(id, 0, 1, expected)? {
                Some(batch) => self.confirm(pool, id, &batch),
                None => Ok(()),
            };
        }
        let places = places(&cell, &mut pool.random);
        for at in places {
            if let Some(why) = look(pool, id, &cell, at, batch)? {
                return pool.fall_out(id, Outcome::WrongOutput { why });
            }
        }
        let Some((_, worker)) = pool.worker(id) else { return Ok(()) };
        let verified = worker.verify(id, batch);
        let right = truth::crc32(pool.options.seed, cell.parameters.message());
        let why = match verified {
            Ok(Ok(crc32)) if crc32 == right => return Ok(()),
            Ok(Ok(crc32)) => {
                format!("decrypted again, its output has the CRC-32 {crc32:08x}, where the message has {right:08x}")
            }
            Ok(Err(why)) => format!("it does not decrypt what its timed calls put out: {why}"),
            Err(error) => return pool.fault(id, error),
        };
        pool.fall_out(id, Outcome::WrongOutput { why })
    }

    fn title(&self) -> &'static str {
        "split messages: "
    }
}

/// Takes out whole sources, the last first, until the messages of the rest fit into memory together: their processes hold them side by
/// side.
fn keep_what_memory_holds(pool: &mut Pool<'_>) -> Result<(), SinkError> {
    let Some(free) = usage::available_memory() else { return Ok(()) };
    let room = (free as f64 * MEMORY) as u64;
    let needs: Vec<u64> = (0..pool.surveyed.len()).map(|source| need(pool, source)).collect();
    let mut all = needs.iter().fold(0, |sum: u64, need| sum.saturating_add(*need));
    for (source, need) in needs.iter().enumerate().rev().filter(|(_, need)| **need > 0) {
        if all <= room {
            break;
        }
        let why = format!(
            "the messages of all providers together take {}, and {} of memory are free; name fewer with --provider, or choose a smaller --message",
            about(all),
            about(free)
        );
        for id in pool.cells_of(source) {
            pool.fall_out(id, Outcome::Unsupported { why: why.clone() })?;
        }
        all -= need;
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

/// Where a cell's output is looked at: at both ends, where slices or chunks meet, and at a few other places.
fn places(cell: &Cell, random: &mut fastrand::Rng) -> BTreeSet<u64> {
    let (message, threads) = (cell.parameters.message(), cell.parameters.threads());
    if message == 0 {
        return BTreeSet::new();
    }
    let units = message.div_ceil(LOOK);
    let meeting: Vec<u64> = match cell.form {
        Form::Static | Form::Mapped | Form::Direct => {
            let unit = |thread: u64| (u128::from(thread) * u128::from(units) / u128::from(threads)) as u64;
            (1..threads).map(|thread| unit(thread) * LOOK).collect()
        }
        _ => {
            let chunks = message / CHUNK;
            (0..PLACES as u64).map(|_| random.u64(0..=chunks) * CHUNK).collect()
        }
    };
    let mut places: BTreeSet<u64> = [0, message].into();
    let some = random.choose_multiple(meeting, PLACES);
    places.extend(some);
    places.extend((0..PLACES).map(|_| random.u64(0..units) * LOOK));
    places
}

/// Looks at the output around a place; what is wrong with it, if anything.
fn look(pool: &mut Pool<'_>, id: CellId, cell: &Cell, at: u64, batch: &Batch) -> Result<Option<String>, SinkError> {
    let (message, seed) = (cell.parameters.message(), pool.options.seed);
    let begin = at.saturating_sub(LOOK / 2).min(message) / 16 * 16;
    let bytes = (message - begin).min(LOOK);
    if bytes == 0 {
        return Ok(None);
    }
    let Some((source, worker)) = pool.worker(id) else { return Ok(None) };
    let left = match worker.peek(id, begin, bytes) {
        Ok(Ok(left)) => left,
        Ok(Err(why)) => return Ok(Some(format!("it does not show what its timed calls put out: {why}"))),
        Err(error) => return pool.fault(id, error).map(|()| None),
    };
    let text = truth::plaintext(seed, begin, bytes);
    // From file to file, each call begins with the same input.
    let first = if cell.form.is_of_files() { batch.last } else { batch.first };
    let made = if cell.algorithm == Algorithm::Xor {
        let (mut text, key) = (text, truth::xor_key(seed, cell.parameters.key()));
        (first..=batch.last).for_each(|_| truth::xor(&mut text, &key, begin));
        Some(("the harness".into(), text))
    } else {
        made_elsewhere(pool, source, begin, &text, first..=batch.last)?
    };
    Ok(match made {
        Some((by, right)) if right != left => Some(format!(
            "its output differs at byte {} of {message}: it is {}…, where {by} makes {}…",
            begin + left.iter().zip(&right).take_while(|(left, right)| left == right).count() as u64,
            hex::encode(&left[..8.min(left.len())]),
            hex::encode(&right[..8.min(right.len())])
        )),
        _ => None,
    })
}

/// The same bytes by another source, with its name; by the same source where there is no other.
fn made_elsewhere(
    pool: &mut Pool<'_>,
    source: usize,
    at: u64,
    text: &[u8],
    iterations: std::ops::RangeInclusive<u64>,
) -> Result<Option<(String, Vec<u8>)>, SinkError> {
    let others = (0..pool.surveyed.len()).filter(|other| *other != source).chain([source]);
    let able: Vec<usize> = others.filter(|other| pool.surveyed[*other].offer(Algorithm::Aes256Ctr).is_some()).collect();
    for other in able {
        let (seed, surveyed) = (pool.options.seed, &pool.surveyed[other].source);
        let (name, provider) = (surveyed.name.clone(), surveyed.provider.clone());
        let Some(worker) = pool.workers[other].as_mut() else { continue };
        match truth::counter_mode(worker, &provider, seed, at, text.to_vec(), iterations.clone()) {
            Ok(Ok(made)) => return Ok(Some((name, made))),
            // The next one may.
            Ok(Err(_)) | Err(LinkError::Reported(_)) => {}
            Err(error) => pool.note_break(other, &crate::worker::Fault { cell: None, error })?,
        }
    }
    Ok(None)
}
