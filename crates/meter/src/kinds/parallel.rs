//! One long message, split among threads or encrypted by a graphics card (METHODOLOGY.md, "Split messages").
//!
//! All sizes are parts of their own, because their messages would not fit into memory together. What was timed is proven right in
//! three ways: where slices meet, and at a few other places, the bytes must be those that another provider makes of them under
//! counters of the harness's own reckoning; all of it must decrypt to what has the message's CRC-32; and in the pilot, the digest of a
//! message that is not too long must be the one that another provider makes anew.

use std::collections::BTreeSet;
use std::time::Duration;

use ciphermeter_core::{Algorithm, Bytes, Cell, CellId, Family, Form, Metric, Outcome, Record, Scenario};
use ciphermeter_host::usage;
use ciphermeter_protocol::LinkError;

use crate::kind::{Kind, Share};
use crate::outputs::made_anew;
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
/// So many calls are looked at, without a warm-up. Odd, because an even number of calls that undo each other leaves what none at all
/// leaves; several, because threads that meet between calls are part of what is timed.
const CHAIN: u64 = 3;
/// The longest message of which the digest is compared, in bytes: hashing more takes longer than measuring it.
const MOST_DIGEST: u64 = 128 << 20;
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
#[derive(Default)]
pub struct Parallel {
    /// The sources of which it was said that nothing else here can check them.
    alone: BTreeSet<usize>,
    /// The cells of which the digest was compared.
    hashed: BTreeSet<CellId>,
}

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

    fn trials(&self) -> u32 {
        3
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

    /// Takes out cells that are far slower than others of as many threads, one after another, until six forks of one message each fit;
    /// then the whole size, because without one thread there is no speed-up, and without all of them nothing that it is about.
    fn keep_what_fits(
        &self,
        pool: &mut Pool<'_>,
        settings: &mut [Option<Setting>],
        _budget: Duration,
        deadline: Duration,
    ) -> Result<(), SinkError> {
        while let Some(too_long) = TooLong::of(pool, settings, deadline) {
            let threads = |id: CellId| {
                let cell = &pool.plan.get(id).cell;
                if cell.form.is_of_card() { pool.options.cpus.into() } else { cell.parameters.threads() }
            };
            let usual = |id: CellId| {
                let same: Vec<Duration> = too_long
                    .costs
                    .iter()
                    .filter(|(_, other)| threads(*other) == threads(id))
                    .map(|(cost, _)| *cost)
                    .collect();
                same[same.len() / 2]
            };
            let dearest = too_long.costs.iter().rev().find(|(cost, id)| *cost > usual(*id) * OUTLIER);
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
        let mut batch = batch.clone();
        if batch.last - batch.first + 1 != CHAIN {
            let expected = Duration::from_nanos(batch.ns() / batch.iterations * CHAIN);
            match pool.sample(id, 0, CHAIN, expected)? {
                Some(again) => batch = again,
                None => return Ok(()),
            }
        }
        let batch = &batch;
        let places = places(&cell, &mut pool.random);
        for at in places {
            if let Some(why) = self.look(pool, id, &cell, at, batch)? {
                return pool.fall_out(id, Outcome::WrongOutput { why });
            }
        }
        if self.hashed.insert(id)
            && cell.parameters.message() <= MOST_DIGEST
            && let Some(why) = digest_differs(pool, id, batch)?
        {
            return pool.fall_out(id, Outcome::WrongOutput { why });
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

impl Parallel {
    /// Looks at the output around a place; what is wrong with it, if anything.
    fn look(
        &mut self,
        pool: &mut Pool<'_>,
        id: CellId,
        cell: &Cell,
        at: u64,
        batch: &Batch,
    ) -> Result<Option<String>, SinkError> {
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
            Some((None, text))
        } else {
            let made = made_elsewhere(pool, source, begin, &text, first..=batch.last)?;
            made.map(|(judge, bytes)| (Some(judge), bytes))
        };
        if let Some((Some(judge), _)) = &made
            && *judge == source
            && self.alone.insert(source)
        {
            let name = &pool.surveyed[source].source.name;
            let note = format!(
                "{name}: what it encrypts is compared with its own answers, as no other provider here has the cipher"
            );
            pool.sink.note(&note)?;
        }
        let by = |by: Option<usize>| by.map_or("the harness", |by| pool.surveyed[by].source.name.as_str());
        Ok(match made {
            None => Some("no provider here could make the same bytes, so its output is unverified".into()),
            Some((judge, right)) if right != left => Some(format!(
                "its output differs at byte {} of {message}: it is {}…, where {} makes {}…",
                begin + left.iter().zip(&right).take_while(|(left, right)| left == right).count() as u64,
                hex::encode(&left[..8.min(left.len())]),
                by(judge),
                hex::encode(&right[..8.min(right.len())])
            )),
            _ => None,
        })
    }
}

/// What is wrong with the digest of what a sample left, if anything: another provider, or a fresh process of the same one, makes it anew.
fn digest_differs(pool: &mut Pool<'_>, id: CellId, batch: &Batch) -> Result<Option<String>, SinkError> {
    let Some((source, worker)) = pool.worker(id) else { return Ok(None) };
    let left = match worker.digest(id, batch.first, batch.last) {
        Ok(Ok(left)) => left,
        Ok(Err(why)) => return Ok(Some(format!("it has no digest of what its timed calls put out: {why}"))),
        Err(error) => return pool.fault(id, error).map(|()| None),
    };
    Ok(match made_anew(pool, id, source, batch.first, batch.last)? {
        Some((by, right)) if right != left => Some(format!(
            "what its timed calls left hashes to {}…, where {by} makes {}…",
            hex::encode(&left[..4]),
            hex::encode(&right[..4])
        )),
        _ => None,
    })
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
    let fewer = if sources > 2 { "name fewer with --provider, or " } else { "" };
    let why = format!(
        "the messages of all providers together take {}, and {} of memory are free; {fewer}choose a smaller --message",
        about(whole),
        about(free)
    );
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
            pool.fall_out(id, Outcome::Unsupported { why: why.clone() })?;
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

/// The same bytes by another source, with which it was; by the same source where there is no other.
fn made_elsewhere(
    pool: &mut Pool<'_>,
    source: usize,
    at: u64,
    text: &[u8],
    iterations: std::ops::RangeInclusive<u64>,
) -> Result<Option<(usize, Vec<u8>)>, SinkError> {
    let others = (0..pool.surveyed.len()).filter(|other| *other != source).chain([source]);
    let able: Vec<usize> = others.filter(|other| pool.surveyed[*other].offer(Algorithm::Aes256Ctr).is_some()).collect();
    for other in able {
        let (seed, provider) = (pool.options.seed, pool.surveyed[other].source.provider.clone());
        let Some(worker) = pool.workers[other].as_mut() else { continue };
        match truth::counter_mode(worker, &provider, seed, at, text.to_vec(), iterations.clone()) {
            Ok(Ok(made)) => return Ok(Some((other, made))),
            // The next one may.
            Ok(Err(_)) | Err(LinkError::Reported(_)) => {}
            Err(error) => pool.note_break(other, &crate::worker::Fault { cell: None, error })?,
        }
    }
    Ok(None)
}
