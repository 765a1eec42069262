//! Verify first: what fails here is not timed.
//!
//! Three proofs for each provider, algorithm and form: known vectors (valid ones must come out, forged ones be rejected), the tag
//! cut and flipped at every length that is awkward, and digests of what prepared cells put out at awkward lengths, equal to
//! every other provider's.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use ciphermeter_core::{Algorithm, Cell, CellId, Form, Operation, Outcome, Parameters};
use ciphermeter_protocol::LinkError;

pub use crate::answers::Verdict;
use crate::answers::{Tally, answer_vectors, operations};
use crate::pool::{MOST_BREAKS, Pool};
use crate::rounds::least;
use crate::worker::Fault;
use crate::{Progress, SinkError, Source, Worker};

/// Lengths at block, vector and buffer boundaries, where implementations change their path.
const AWKWARD: [u64; 15] = [0, 1, 15, 16, 17, 31, 63, 64, 65, 255, 256, 4097, 16_385, 65_535, (1 << 20) + 1];

/// A length that the threads of form `dynamic` take in several chunks.
const SEVERAL_CHUNKS: u64 = (3 << 20) + 5;

/// Cells of verification have numbers of their own, above every cell of a run.
pub const SCRATCH: CellId = CellId(u32::MAX);

/// Digests of one output as several sources gave them.
type Digests = BTreeMap<DigestKey, Vec<(usize, Form, [u8; 32])>>;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct DigestKey {
    algorithm: Algorithm,
    operation: Operation,
    length: u64,
    /// Bytes of XOR's key.
    key: u64,
    first: u64,
    iteration: u64,
}

/// Verifies every algorithm and form of the plan's messages; what fails falls out.
pub fn verify_messages(pool: &mut Pool<'_>, deadline: Duration) -> Result<(), SinkError> {
    let mut digests = Digests::new();
    let forms = |source: usize| pool.plan.forms(source, is_message).into_iter().map(move |form| (source, form));
    let all: Vec<_> = (0..pool.surveyed.len()).flat_map(forms).collect();
    let began = pool.clock.now();
    for (place, (source, (algorithm, form))) in all.iter().copied().enumerate() {
        if pool.must_stop() {
            let whole = (pool.clock.now() - began).mul_f64(all.len() as f64 / place.max(1) as f64);
            return least::announce(pool, whole);
        }
        tell_verifying(pool, source, algorithm, form, deadline);
        let before = pool.clock.now();
        while !verify_form(pool, source, algorithm, form, &mut digests)? && !pool.must_stop() {
            let is_its = |(other, of, _): &(usize, Form, [u8; 32])| (*other, *of) == (source, form);
            digests.retain(|key, given| {
                given.retain(|one| key.algorithm != algorithm || !is_its(one));
                !given.is_empty()
            });
        }
        if pool.surveyed[source].source.device.is_some() {
            pool.set_beside(before);
        }
    }
    compare(pool, &digests)
}

pub fn tell_verifying(pool: &mut Pool<'_>, source: usize, algorithm: Algorithm, form: Form, deadline: Duration) {
    let Source { name, device, .. } = &pool.surveyed[source].source;
    // Devices take no time of the others'.
    let left = (deadline + pool.beside).saturating_sub(pool.clock.now());
    pool.sink.progress(&Progress {
        stage: "verifying",
        what: format!("{name} {algorithm} {form}"),
        fork: 0,
        rounds: 0,
        done: 0.05 * source as f64 / pool.surveyed.len() as f64,
        left: device.is_none().then_some(left),
    });
}

/// False if a device was reset meanwhile, so that it is to be verified once more.
fn verify_form(
    pool: &mut Pool<'_>,
    source: usize,
    algorithm: Algorithm,
    form: Form,
    digests: &mut Digests,
) -> Result<bool, SinkError> {
    stand_in(pool, source)?;
    let provider = pool.surveyed[source].source.provider.clone();
    let (seed, splits) = (pool.options.seed, Splits::of(pool, source, algorithm, form));
    let Some(worker) = pool.workers[source].as_mut() else { return Ok(pool.breaks[source] >= MOST_BREAKS) };
    let answered = answer_vectors(worker, &provider, algorithm, form, &mut Tally::default());
    let verdict = answered.and_then(|verdict| match verdict {
        Verdict::Right => collect_digests(worker, &provider, source, (algorithm, form), seed, &splits, digests),
        verdict => Ok(verdict),
    });
    match verdict {
        Err(error) if pool.is_reset(source, &error) => {
            pool.note_break(source, &Fault::new(None, error))?;
            Ok(pool.breaks[source] >= MOST_BREAKS)
        }
        verdict => pass(pool, source, algorithm, form, verdict).map(|()| true),
    }
}

/// Takes out what was not proven right.
pub fn pass(
    pool: &mut Pool<'_>,
    source: usize,
    algorithm: Algorithm,
    form: Form,
    verdict: Result<Verdict, LinkError>,
) -> Result<(), SinkError> {
    match verdict.unwrap_or_else(Verdict::Broken) {
        Verdict::Right => Ok(()),
        Verdict::Wrong(why) => disqualify(pool, source, algorithm, form, Outcome::WrongOutput { why }),
        Verdict::Unanswered(why) => disqualify(pool, source, algorithm, form, Outcome::Unsupported { why }),
        Verdict::Broken(_) if pool.stop.is_interrupted() => Ok(()),
        Verdict::Broken(error) => {
            let why = format!("its worker failed while it was verified: {error}");
            disqualify(pool, source, algorithm, form, Outcome::Failed { why })?;
            match error {
                LinkError::Reported(_) => Ok(()),
                error => pool.note_break(source, &Fault::new(None, error)),
            }
        }
    }
}

/// Sees that there is a process for the rest of the verification, if the source may still have one.
pub fn stand_in(pool: &mut Pool<'_>, source: usize) -> Result<(), SinkError> {
    if pool.workers[source].is_none() {
        pool.workers[source] = replace(pool, source)?;
    }
    Ok(())
}

fn replace(pool: &mut Pool<'_>, source: usize) -> Result<Option<Worker>, SinkError> {
    if pool.plan.of_source(source).is_empty() {
        return Ok(None);
    }
    let survey = &pool.surveyed[source];
    match pool.launch.launch(&survey.source, pool.part.affinity) {
        Ok(link) => Ok(Some(pool.known(survey, link))),
        Err(error) => {
            pool.note_break(source, &Fault::at_start(error))?;
            Ok(None)
        }
    }
}

fn disqualify(
    pool: &mut Pool<'_>,
    source: usize,
    algorithm: Algorithm,
    form: Form,
    outcome: Outcome,
) -> Result<(), SinkError> {
    for id in pool.plan.of_source(source) {
        let cell = &pool.plan.get(id).cell;
        if cell.algorithm == algorithm && (cell.form == form || cell.operation == Operation::KeySetup) {
            pool.fall_out(id, outcome.clone())?;
        }
    }
    Ok(())
}

/// Every provider's digest of one output must be the same. The few that differ from the many are wrong; where there are no many,
/// nothing here can tell which is right, and none is timed. This machine's providers decide before any device has a vote: a board that is
/// broken is broken with all its providers.
fn compare(pool: &mut Pool<'_>, digests: &Digests) -> Result<(), SinkError> {
    let local: Vec<bool> = pool.surveyed.iter().map(|survey| survey.source.device.is_none()).collect();
    for (key, given) in digests {
        let is_here = |source: usize| local[source];
        let here = given.iter().filter(|(source, ..)| is_here(*source)).map(|(_, _, digest)| *digest);
        let (agreed, others) = match (majority(here), majority(given.iter().map(|(_, _, digest)| *digest))) {
            (Some(right), _) => (Some(right), "this machine's providers"),
            (None, Some(right)) => (Some(right), "all others"),
            (None, None) => (None, "another, and no majority here says which is right"),
        };
        for (source, form, digest) in given.iter().filter(|(_, _, digest)| Some(*digest) != agreed) {
            let DigestKey { algorithm, operation, length, iteration, .. } = key;
            let others = if is_here(*source) && agreed.is_some() { "all others" } else { others };
            let why = format!(
                "{operation} of {length} bytes, iteration {iteration}, hashes to {}…, which differs from {others}",
                hex::encode(&digest[..4])
            );
            disqualify(pool, *source, *algorithm, *form, Outcome::WrongOutput { why })?;
        }
    }
    Ok(())
}

/// The digest that more have than any other; `None` where two lead.
fn majority(digests: impl Iterator<Item = [u8; 32]>) -> Option<[u8; 32]> {
    let mut votes = BTreeMap::<[u8; 32], usize>::new();
    digests.for_each(|digest| *votes.entry(digest).or_default() += 1);
    let most = votes.values().copied().max()?;
    let mut leading = votes.iter().filter(|(_, count)| **count == most);
    let (digest, _) = leading.next()?;
    leading.next().is_none().then_some(*digest)
}

/// Whether a cell's calls are verified by vectors and digests.
fn is_message(cell: &Cell) -> bool {
    !cell.algorithm.is_ceiling() && cell.operation != Operation::Transfer
}

/// In how many ways messages of a form are split, and under keys of which lengths.
struct Splits {
    threads: Vec<u64>,
    keys: Vec<u64>,
}

impl Splits {
    /// One thread and XOR's usual key, unless the plan has split cells of that form.
    fn of(pool: &Pool<'_>, source: usize, algorithm: Algorithm, form: Form) -> Self {
        let cells = pool.plan.of_source(source).into_iter().map(|id| &pool.plan.get(id).cell);
        let split: Vec<_> = cells.filter(|cell| (cell.algorithm, cell.form) == (algorithm, form)).collect();
        let distinct = |parameter: fn(&Parameters) -> u64| {
            let all: BTreeSet<u64> = split.iter().map(|cell| parameter(&cell.parameters)).collect();
            all.into_iter().collect()
        };
        match form.is_split() {
            true => Self { threads: distinct(Parameters::threads), keys: distinct(Parameters::key) },
            false => Self { threads: vec![1], keys: vec![Parameters::default().key()] },
        }
    }
}

/// Digests of iteration 0, and of a later one; in place, that is a chain over three. A split message's digest does not depend on the
/// number of threads.
fn collect_digests(
    worker: &mut Worker,
    provider: &str,
    source: usize,
    (algorithm, form): (Algorithm, Form),
    seed: u64,
    splits: &Splits,
    digests: &mut Digests,
) -> Result<Verdict, LinkError> {
    let (seal, open) = operations(algorithm);
    let awkward = AWKWARD.into_iter().chain(form.is_split().then_some(SEVERAL_CHUNKS));
    let lengths: BTreeSet<u64> = awkward.filter_map(|length| algorithm.nearest(length)).collect();
    let all = lengths.into_iter().flat_map(|length| splits.threads.iter().map(move |threads| (length, *threads)));
    let all: Vec<_> = all.flat_map(|one| splits.keys.iter().map(move |key| (one, *key))).collect();
    for operation in [seal, open] {
        for &((length, threads), key) in &all {
            let parameters = Parameters::message_cell(length, length % 20, threads).with_key(key);
            let cell = Cell { provider: provider.into(), algorithm, operation, form, parameters };
            if worker.prepare(SCRATCH, &cell, provider, seed, 0, 1)?.is_err() {
                continue;
            }
            let in_place = form == Form::InPlace || (form.is_split() && !form.is_of_files());
            let chained = in_place && operation == seal;
            let ranges = [(0, 0), (if chained { 3 } else { 5 }, 5)];
            let mut made = Vec::new();
            for (first, iteration) in ranges {
                made.push(worker.digest(SCRATCH, first, iteration));
                if matches!(made.last(), Some(Err(_))) {
                    break;
                }
            }
            // One that answered with an error still has the cell, and another algorithm is next.
            if matches!(made.last(), Some(Ok(_) | Err(LinkError::Reported(_)))) {
                worker.release(SCRATCH)?;
            }
            for ((first, iteration), digest) in ranges.into_iter().zip(made) {
                let digest = match digest? {
                    Ok(digest) => digest,
                    Err(why) => return Ok(Verdict::Wrong(format!("it has no digest of {cell}: {why}"))),
                };
                let key = DigestKey { algorithm, operation, length, key, first, iteration };
                digests.entry(key).or_default().push((source, form, digest));
            }
        }
    }
    Ok(Verdict::Right)
}
