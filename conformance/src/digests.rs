//! `digest`: of the output that the timed calls left, and of recomputed output, both compared with the digests that
//! `vectors/make.py` computed.

use std::io;

use serde_json::json;

use crate::answers::{Row, rows};
use crate::describe::{Offer, Way};
use crate::facts::Facts;
use crate::report::{Check, Fault, ensure, failed};
use crate::suite::Suite;
use crate::worker::Worker;

/// A message that every worker must have room for; for larger ones, `unsupported` is a valid answer.
const MODEST: u64 = 4097;

/// The offsets of the rows' cells in the arena, in turn: the bytes must not depend on them.
const OFFSETS: [u64; 4] = [0, 64, 192, 4032];

/// Far enough to expose a nonce with a counter of fewer than 64 bits.
const FAR: u64 = 12_345_678_901;

/// Every declared way of one offer.
pub fn check(suite: &mut Suite, offer: &Offer) -> io::Result<()> {
    for way in offer.ways() {
        if !way.has_output() {
            suite.check(&way.title("no digest"), |worker| no_digest(worker, &way))?;
            continue;
        }
        suite.check(&way.title("digests made anew"), |worker| each_row(worker, &way, anew))?;
        suite.check(&way.title("digests of what samples left"), |worker| each_row(worker, &way, left))?;
        suite.check(&way.title("digests while another cell runs"), |worker| between_cells(worker, &way))?;
        suite.check(&way.title("digest of a number used again"), |worker| used_again(worker, &way))?;
        suite.check(&way.title("digest after a warm-up"), |worker| after_warmup(worker, &way))?;
    }
    Ok(())
}

/// A cell prepared from a row of known digests.
pub struct Known<'a> {
    way: &'a Way<'a>,
    row: Row,
    pub cell: u64,
}

impl Known<'_> {
    /// Requests the digest after iterations `first` to `iteration` and compares it.
    pub fn expect(&self, worker: &mut Worker, first: u64, iteration: u64) -> Check {
        let expected = self.row.digest(self.way.operation, self.way.form, first, iteration)?;
        let came = digest(worker, self.cell, Some(first), iteration)?;
        self.compare(expected, &came, first, iteration)
    }

    /// The same with `first` absent.
    fn expect_alone(&self, worker: &mut Worker, iteration: u64) -> Check {
        let expected = self.row.digest(self.way.operation, self.way.form, iteration, iteration)?;
        let came = digest(worker, self.cell, None, iteration)?;
        self.compare(expected, &came, iteration, iteration)
    }

    fn compare(&self, expected: &str, came: &str, first: u64, iteration: u64) -> Check {
        let Row { message, aad, seed, threads, texts, keys, .. } = self.row;
        let mut several = if threads > 1 { format!("{threads} threads, ") } else { String::new() };
        if texts * keys > 1 {
            several = format!("{texts} texts, {keys} keys, ");
        }
        ensure(came == expected, || {
            format!(
                "{several}message {message}, aad {aad}, seed {seed}, iterations {first} to {iteration}: expected {expected}, got {came}"
            )
        })
    }

    /// Runs a sample without warm-up and expects it to count `first` to `last`.
    fn sample(&self, worker: &mut Worker, first: u64, last: u64) -> Check {
        let request = json!({"do": "sample", "cell": self.cell, "warmup_ns": 0, "iterations": last - first + 1});
        let reply = worker.ask(&request)?.expect("sample")?;
        reply.expect_integer("first", first)?;
        reply.expect_integer("last", last)
    }
}

/// A cell's digest, in hex.
pub fn digest(worker: &mut Worker, cell: u64, first: Option<u64>, iteration: u64) -> Result<String, Fault> {
    let mut request = json!({"do": "digest", "cell": cell, "iteration": iteration});
    if let Some(first) = first {
        request["first"] = first.into();
    }
    let reply = worker.ask(&request)?.expect("digest")?;
    reply.expect_integer("cell", cell)?;
    Ok(reply.text("sha256")?.to_owned())
}

/// Prepares a cell with a new number for a row.
pub fn prepare<'a>(worker: &mut Worker, way: &'a Way<'a>, row: Row, offset: u64) -> Result<Option<Known<'a>>, Fault> {
    let cell = worker.fresh_cell();
    prepare_as(worker, cell, way, row, offset)
}

/// Prepares a cell for a row; None where the worker has no room for a long message or does not support the empty one.
fn prepare_as<'a>(
    worker: &mut Worker,
    cell: u64,
    way: &'a Way<'a>,
    row: Row,
    offset: u64,
) -> Result<Option<Known<'a>>, Fault> {
    let takes = worker.facts().takes(row.message, row.aad);
    let mut request = way.prepare(cell, row.message, row.aad, row.seed);
    request["offset"] = offset.into();
    request["threads"] = row.threads.into();
    if row.texts * row.keys > 1 {
        (request["texts"], request["keys"]) = (row.texts.into(), row.keys.into());
    } else if worker.facts().moves_layouts && row.threads == 1 {
        request["instances"] = 4.into();
    }
    let reply = worker.ask(&request)?.expect_one_of(&["ready", "unsupported"])?;
    if reply.is() == "unsupported" && row.threads > 1 {
        return Err(Fault::Skipped(reply.text("why")?.to_owned()));
    }
    if !takes {
        return reply.expect("unsupported").map(|_| None);
    }
    if reply.is() == "unsupported" && row.message == 0 {
        return worker.forgive_empty(reply).map(|()| None);
    }
    let may_refuse = row.message > MODEST || way.offer.algorithm.may_refuse(row.aad);
    if reply.is() == "unsupported" && may_refuse {
        return Ok(None);
    }
    reply.expect("ready")?.expect_integer("cell", cell)?;
    Ok(Some(Known { way, row, cell }))
}

pub fn release(worker: &mut Worker, cell: u64) -> Check {
    worker.ask(&json!({"do": "release", "cell": cell}))?.expect("released")?.expect_integer("cell", cell)
}

fn each_row(worker: &mut Worker, way: &Way, check: fn(&mut Worker, &Known) -> Check) -> Check {
    for (row, offset) in rows(way.offer.algorithm.name).zip(OFFSETS.into_iter().cycle()) {
        if let Some(known) = prepare(worker, way, row, offset)? {
            check(worker, &known)?;
            release(worker, known.cell)?;
        }
    }
    Ok(())
}

pub fn anew(worker: &mut Worker, known: &Known) -> Check {
    for iteration in [0, 1, FAR] {
        known.expect_alone(worker, iteration)?;
    }
    known.expect(worker, 5, 5)?;
    known.expect(worker, 1, 5)
}

pub fn left(worker: &mut Worker, known: &Known) -> Check {
    known.sample(worker, 1, 3)?;
    known.expect(worker, 1, 3)?;
    // A recomputed digest may use the buffers; the sample's output must still be known.
    known.expect_alone(worker, 0)?;
    known.expect(worker, 1, 3)?;
    // The next sample starts from fresh buffers, and digests have not changed its count.
    known.sample(worker, 4, 5)?;
    known.expect(worker, 4, 5)?;
    known.expect(worker, 1, 3)
}

/// A released cell's sample must not count for the next cell with that number.
fn used_again(worker: &mut Worker, way: &Way) -> Check {
    let (long, short) = two_rows(way, &worker.facts())?;
    let Some(one) = prepare(worker, way, long, 0)? else { return Ok(()) };
    one.sample(worker, 1, 3)?;
    release(worker, one.cell)?;
    let Some(other) = prepare_as(worker, one.cell, way, short, 0)? else { return Ok(()) };
    other.expect(worker, 1, 3)?;
    other.sample(worker, 1, 3)?;
    other.expect(worker, 1, 3)?;
    release(worker, other.cell)
}

/// A row with a long message and one with a short one; any worker has room for one of them.
fn two_rows(way: &Way, facts: &Facts) -> Result<(Row, Row), Fault> {
    let row =
        |message| rows(way.offer.algorithm.name).find(|row| row.message == message && facts.takes(message, row.aad));
    match (row(4093).or_else(|| row(255)).or_else(|| row(64)), row(65).or_else(|| row(63)).or_else(|| row(16))) {
        (Some(long), Some(short)) => Ok((long, short)),
        _ => failed("the suite lacks rows of 64 and 16 bytes; add them to vectors/make.py"),
    }
}

/// The cells of a worker share one arena, but must not share digests and counts.
fn between_cells(worker: &mut Worker, way: &Way) -> Check {
    let (long, short) = two_rows(way, &worker.facts())?;
    room_for_three(worker, way, short)?;
    let (Some(one), Some(other)) = (prepare(worker, way, long, 0)?, prepare(worker, way, short, 0)?) else {
        return Ok(());
    };
    one.sample(worker, 1, 3)?;
    other.sample(worker, 1, 3)?;
    one.expect(worker, 1, 3)?;
    other.expect(worker, 1, 3)?;
    one.sample(worker, 4, 5)?;
    let Some(third) = prepare(worker, way, short, 64)? else { return Ok(()) };
    one.expect(worker, 4, 5)?;
    let kinds = if way.is_of_batches() { vec!["unsupported"] } else { worker.facts().or_unsupported(&["latency"]) };
    worker.ask(&json!({"do": "latency", "cell": other.cell, "count": 3}))?.expect_one_of(&kinds)?;
    one.expect(worker, 4, 5)?;
    release(worker, one.cell)?;
    third.expect(worker, 1, 5)?;
    other.expect(worker, 1, 3)?;
    release(worker, other.cell)?;
    release(worker, third.cell)
}

/// A device may have room for fewer cells; then there is nothing in between.
fn room_for_three(worker: &mut Worker, way: &Way, row: Row) -> Check {
    if !worker.facts().is_device {
        return Ok(());
    }
    let (mut cells, mut full) = (Vec::new(), None);
    while cells.len() < 3 && full.is_none() {
        let cell = worker.fresh_cell();
        let request = way.prepare(cell, row.message, row.aad, row.seed);
        let reply = worker.ask(&request)?.expect_one_of(&["ready", "unsupported"])?;
        if reply.is() == "ready" {
            cells.push(cell);
        } else {
            full = Some(reply.text("why")?.to_owned());
        }
    }
    for cell in cells {
        release(worker, cell)?;
    }
    full.map_or(Ok(()), |why| Err(Fault::Skipped(why)))
}

/// The number of calls in a warm-up is not known beforehand, so here the digest of the sample's output must equal the
/// same digest recomputed.
fn after_warmup(worker: &mut Worker, way: &Way) -> Check {
    let (row, _) = two_rows(way, &worker.facts())?;
    let Some(known) = prepare(worker, way, row, 0)? else { return Ok(()) };
    let request = json!({"do": "sample", "cell": known.cell, "warmup_ns": 200_000, "iterations": 4});
    let sample = worker.ask(&request)?.expect("sample")?;
    let (first, last) = (sample.integer("first")?, sample.integer("last")?);
    let left = digest(worker, known.cell, Some(first), last)?;
    known.sample(worker, last + 1, last + 1)?;
    let anew = digest(worker, known.cell, Some(first), last)?;
    release(worker, known.cell)?;
    ensure(left == anew, || {
        format!("expected {anew} as made anew, the sample had left {left} (iterations {first} to {last})")
    })
}

fn no_digest(worker: &mut Worker, way: &Way) -> Check {
    let cell = worker.fresh_cell();
    let message = worker.facts().up_to(4096);
    worker.ask(&way.prepare(cell, message, 0, 42))?.expect("ready")?;
    worker.ask(&json!({"do": "digest", "cell": cell, "iteration": 0}))?.expect("unsupported")?;
    worker.ask(&json!({"do": "sample", "cell": cell, "warmup_ns": 0, "iterations": 3}))?.expect("sample")?;
    worker.ask(&json!({"do": "digest", "cell": cell, "first": 1, "iteration": 3}))?.expect("unsupported")?;
    release(worker, cell)
}
