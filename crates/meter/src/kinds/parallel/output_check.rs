//! Is what the timed calls put out what it should be? At a few places, as a whole, and on the way back.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::rc::Rc;

use ciphermeter_core::{Algorithm, Cell, CellId, Form, Note, Outcome};
use ciphermeter_protocol::LinkError;

use crate::outputs::made_otherwise;
use crate::own_input::OwnInput;
use crate::pool::Pool;
use crate::{Batch, SinkError, truth};

/// The longest message of which the digest is compared, in bytes: hashing more takes longer than measuring it.
const MOST_DIGEST: u64 = 128 << 20;
/// Bytes that are looked at around a place, half of them before it.
const LOOK: u64 = 64;
/// The most places of slices that are looked at, and as many others.
const PLACES: usize = 16;
/// What threads of form `dynamic` take at once, and where a card's work may be divided (PROTOCOL.md).
const CHUNK: u64 = 1 << 20;

/// What looks at outputs.
#[derive(Default)]
pub struct OutputCheck {
    /// The sources of which it was said that nothing else here can check them.
    alone: BTreeSet<usize>,
    /// The cells of which the digest was compared.
    hashed: BTreeSet<CellId>,
    /// The file of the user's that is the message.
    own: Option<Rc<OwnInput>>,
}

impl OutputCheck {
    /// At messages from this file, where it is there.
    pub fn at(own: Option<Rc<OwnInput>>) -> Self {
        Self { own, ..Self::default() }
    }

    /// What becomes of a cell of which a sample's output is wrong; `None` if nothing is.
    pub fn outcome(&mut self, pool: &mut Pool<'_>, id: CellId, batch: &Batch) -> Result<Option<Outcome>, SinkError> {
        let cell = pool.plan.get(id).cell.clone();
        let Some(why) = self.wrong(pool, id, &cell, batch)? else { return Ok(None) };
        let changed = self.own.as_ref().filter(|own| own.has_changed());
        Ok(Some(match changed {
            Some(own) => Outcome::Failed { why: own.changed() },
            None => Outcome::WrongOutput { why },
        }))
    }

    /// What is wrong with what a sample left, if anything, and if its worker still lives.
    fn wrong(
        &mut self,
        pool: &mut Pool<'_>,
        id: CellId,
        cell: &Cell,
        batch: &Batch,
    ) -> Result<Option<String>, SinkError> {
        for at in places(cell, &mut pool.random) {
            if let Some(why) = self.output_check(pool, id, cell, at, batch)? {
                return Ok(Some(why));
            }
        }
        // No other process has the user's file as message in its memory.
        if self.own.is_none()
            && self.hashed.insert(id)
            && cell.parameters.message() <= MOST_DIGEST
            && let Some(why) = digest_differs(pool, id, batch)?
        {
            return Ok(Some(why));
        }
        let Some((_, worker)) = pool.worker(id) else { return Ok(None) };
        let verified = worker.verify(id, batch);
        let right = match &self.own {
            Some(own) => own.crc32().map_err(|why| own.unreadable(&why)),
            None => Ok(truth::crc32(pool.options.seed, cell.parameters.message())),
        };
        Ok(match (verified, right) {
            (Err(error), _) => return pool.fault(id, error).map(|()| None),
            (Ok(Err(why)), _) => Some(format!("it does not decrypt what its timed calls put out: {why}")),
            (Ok(Ok(crc32)), Ok(right)) if crc32 == right => None,
            (Ok(Ok(crc32)), Ok(right)) => Some(format!(
                "decrypted again, its output has the CRC-32 {crc32:08x}, where the message has {right:08x}"
            )),
            (Ok(Ok(_)), Err(why)) => Some(why),
        })
    }

    /// Bytes of the message.
    fn text(&self, seed: u64, at: u64, bytes: u64) -> Result<Vec<u8>, String> {
        match &self.own {
            Some(own) => own.bytes(at, bytes).map_err(|why| own.unreadable(&why)),
            None => Ok(truth::plaintext(seed, at, bytes)),
        }
    }

    /// Looks at the output around a place; what is wrong with it, if anything.
    fn output_check(
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
        let text = match self.text(seed, begin, bytes) {
            Ok(text) => text,
            Err(why) => return Ok(Some(why)),
        };
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
                "{name} is verified against itself alone, because no other provider of this run has the cipher"
            );
            pool.sink.note(Note::other(note))?;
        }
        let by = |by: Option<usize>| by.map_or("the harness", |by| pool.surveyed[by].source.name.as_str());
        Ok(match made {
            None => Some("no provider here could make the same bytes, so its output is unverified".into()),
            Some((judge, right)) if right != left => {
                let same = left.iter().zip(&right).take_while(|(left, right)| left == right).count();
                let from_there = |bytes: &[u8]| hex::encode(&bytes[same..bytes.len().min(same + 8)]);
                Some(format!(
                    "its output differs at byte {} of {message}: from there it is {}…, where {} makes {}…",
                    begin + same as u64,
                    from_there(&left),
                    by(judge),
                    from_there(&right)
                ))
            }
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
    let otherwise = made_otherwise(pool, id, source, (batch.first, batch.last), left)?;
    Ok(otherwise.map(|(by, right)| {
        format!(
            "what its timed calls left hashes to {}…, where {by} makes {}…",
            hex::encode(&left[..4]),
            hex::encode(&right[..4])
        )
    }))
}

/// Where a cell's output is looked at: at both ends, where slices or chunks meet, and at a few other places.
fn places(cell: &Cell, random: &mut fastrand::Rng) -> BTreeSet<u64> {
    let (message, threads) = (cell.parameters.message(), cell.parameters.threads());
    if message == 0 {
        return BTreeSet::new();
    }
    let units = message.div_ceil(LOOK);
    let meeting: Vec<u64> = match cell.form {
        Form::Static | Form::Mapped => {
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
    iterations: RangeInclusive<u64>,
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
            Err(error) => pool.note_break(other, &crate::worker::Fault::new(None, error))?,
        }
    }
    Ok(None)
}
