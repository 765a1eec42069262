//! Was the output of the timed calls themselves right?
//!
//! After a sample the worker hashes what its last timed call left in the buffer; a sibling, another provider of the same algorithm, makes
//! the same iteration anew. A call that silently failed, was skipped or came from a cache shows here, and only here.
//! These samples run apart from the rounds and are not counted: hashing in between would disturb the next cell.

use std::time::Duration;

use ciphermeter_core::{CellId, Form, Operation, Outcome};
use ciphermeter_protocol::LinkError;

use crate::pool::Pool;
use crate::{Batch, SinkError, Worker};

/// In place, making an output anew runs the whole chain of calls that led to it; no longer one is asked for.
/// Odd, because an even number of calls that undo each other leaves what none at all leaves.
const LONGEST_CHAIN: u64 = (1 << 16) + 1;

/// Has the output of the sample that a cell's worker ran last confirmed.
pub fn confirm(pool: &mut Pool<'_>, id: CellId, batch: &Batch) -> Result<(), SinkError> {
    let cell = &pool.plan.get(id).cell;
    if cell.operation == Operation::KeySetup || cell.algorithm.is_ceiling() {
        return Ok(());
    }
    let chains = cell.form == Form::InPlace && matches!(cell.operation, Operation::Seal | Operation::Encrypt);
    let chain = batch.last - batch.first + 1;
    if chains && chain > 1 && (chain > LONGEST_CHAIN || chain.is_multiple_of(2)) {
        let calls = LONGEST_CHAIN.min(chain - 1);
        let expected = Duration::from_nanos(batch.ns() / batch.iterations * calls);
        // Without a warm-up it makes exactly so many, or its worker is not believed.
        return match pool.sample(id, 0, calls, expected)? {
            Some(batch) => confirm(pool, id, &batch),
            None => Ok(()),
        };
    }
    // Where calls don't chain, the last one alone says what came out.
    let first = if chains { batch.first } else { batch.last };
    let Some((source, worker)) = pool.worker(id) else { return Ok(()) };
    let left = match worker.digest(id, batch.first, batch.last) {
        Ok(Ok(digest)) => digest,
        Ok(Err(why)) => {
            let why = format!("it does not say what its timed calls put out: {why}");
            return pool.fall_out(id, Outcome::WrongOutput { why });
        }
        Err(error) => {
            let is_lost = pool.is_lost(id, &error);
            pool.fault(id, error)?;
            return if is_lost { confirm_again(pool, id, batch) } else { Ok(()) };
        }
    };
    match made_otherwise(pool, id, source, (first, batch.last), left)? {
        Some((by, right)) => {
            let why = format!(
                "the timed loop left an output that hashes to {}…, where {by} makes {}… of iteration {}",
                hex::encode(&left[..4]),
                hex::encode(&right[..4]),
                batch.last
            );
            pool.fall_out(id, Outcome::WrongOutput { why })
        }
        None => Ok(()),
    }
}

/// What a device left is gone with its reset; another sample of so many calls leaves as much.
fn confirm_again(pool: &mut Pool<'_>, id: CellId, batch: &Batch) -> Result<(), SinkError> {
    match pool.sample(id, 0, batch.iterations, batch.elapsed)? {
        Some(batch) => confirm(pool, id, &batch),
        None => Ok(()),
    }
}

/// The digest of an output that is not `left`, that of what the cell left, and the name of what made it anew.
pub fn made_otherwise(
    pool: &mut Pool<'_>,
    id: CellId,
    source: usize,
    range: (u64, u64),
    left: [u8; 32],
) -> Result<Option<(String, [u8; 32])>, SinkError> {
    Ok(made_anew(pool, id, source, range, left)?.filter(|(_, right)| *right != left))
}

/// The same output from another source, with its name: a sibling in the group, or a fresh process of the same
/// provider where there is none.
fn made_anew(
    pool: &mut Pool<'_>,
    id: CellId,
    source: usize,
    (first, last): (u64, u64),
    left: [u8; 32],
) -> Result<Option<(String, [u8; 32])>, SinkError> {
    for sibling in siblings(pool, id, source) {
        let Some((other, worker)) = pool.worker(sibling) else { continue };
        match worker.digest(sibling, first, last) {
            Ok(Ok(digest)) => return Ok(Some((pool.surveyed[other].source.name.clone(), digest))),
            // That it can't is no fault of the sibling's; the next one may.
            Ok(Err(_)) | Err(LinkError::Reported(_)) => {}
            Err(error) => pool.fault(sibling, error)?,
        }
    }
    match in_fresh_process(pool, id, source, (first, last), left) {
        Ok(digest) => Ok(digest.map(|digest| {
            let by = if pool.surveyed[source].source.is_on_line() {
                "the device itself"
            } else {
                "a fresh process of its own"
            };
            (by.into(), digest)
        })),
        Err(error) => pool.fault(id, error).map(|()| None),
    }
}

fn siblings(pool: &Pool<'_>, id: CellId, source: usize) -> Vec<CellId> {
    let cell = &pool.plan.get(id).cell;
    let twin = |other: &CellId| {
        let planned = pool.plan.get(*other);
        planned.source != Some(source)
            && planned.cell.algorithm == cell.algorithm
            && planned.cell.operation == cell.operation
            && planned.cell.form == cell.form
            && planned.cell.parameters == cell.parameters
            && pool.is_on(*other)
    };
    pool.plan.ids().filter(twin).collect()
}

/// By a process of the source that has timed nothing. It makes the outputs of one cell after the other, as starting one for each would take
/// most of a fork where processes start slowly.
fn in_fresh_process(
    pool: &mut Pool<'_>,
    id: CellId,
    source: usize,
    (first, last): (u64, u64),
    left: [u8; 32],
) -> Result<Option<[u8; 32]>, LinkError> {
    if pool.surveyed[source].source.is_on_line() {
        // There is one such process, and what the cell left in it is gone with the cell.
        let Some((_, worker)) = pool.worker(id) else { return Ok(None) };
        worker.release(id)?;
        return worker.digest(id, first, last).map(Result::ok);
    }
    // What an earlier cell did to its process is no fault of this one's: it agrees, or a process that has served none decides.
    let kept = pool.witnesses.remove(&source);
    let agreeing = kept.and_then(|mut kept| {
        let digest = alone(pool, &mut kept, id, first, last).ok()??;
        (digest == left).then_some((Some(digest), kept))
    });
    let (digest, mut witness) = match agreeing {
        Some(agreeing) => agreeing,
        None => {
            let survey = &pool.surveyed[source];
            let link = pool.launch.launch(&survey.source, pool.part.affinity)?;
            let mut fresh = pool.known(survey, link);
            (alone(pool, &mut fresh, id, first, last)?, fresh)
        }
    };
    if witness.release(id).is_ok() {
        pool.witnesses.insert(source, witness);
    }
    Ok(digest)
}

/// What a worker makes that has prepared this cell alone.
fn alone(
    pool: &Pool<'_>,
    worker: &mut Worker,
    id: CellId,
    first: u64,
    last: u64,
) -> Result<Option<[u8; 32]>, LinkError> {
    let planned = pool.plan.get(id);
    let Some(source) = planned.source else { return Ok(None) };
    let provider = &pool.surveyed[source].source.provider;
    match worker.prepare(id, &planned.cell, provider, pool.options.seed, pool.offset, 1)? {
        Ok(()) => worker.digest(id, first, last).map(Result::ok),
        Err(_) => Ok(None),
    }
}
