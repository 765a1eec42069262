//! Verify first: what fails here is not timed.
//!
//! Three proofs for each provider, algorithm and form: known vectors (valid ones must come out, forged ones be rejected), the tag
//! cut and flipped at every length that is awkward, and digests of what prepared cells put out at awkward lengths, equal to
//! every other provider's.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use ciphermeter_core::{Algorithm, Cell, CellId, Family, Form, Operation, Outcome, Parameters};
use ciphermeter_protocol::{CheckInput, LinkError};

use crate::pool::Pool;
use crate::rounds::least;
use crate::vectors::{Vector, vectors};
use crate::worker::Fault;
use crate::{Answer, Progress, SinkError, Worker};

/// Lengths at block, vector and buffer boundaries, where implementations change their path.
const AWKWARD: [u64; 15] = [0, 1, 15, 16, 17, 31, 63, 64, 65, 255, 256, 4097, 16_385, 65_535, (1 << 20) + 1];

/// A length that the threads of form `dynamic` take in several chunks.
const SEVERAL_CHUNKS: u64 = (3 << 20) + 5;

/// Cells of verification have numbers of their own, above every cell of a run.
pub const SCRATCH: CellId = CellId(u32::MAX);

/// What a proof came to.
pub enum Verdict {
    Right,
    Wrong(String),
    Broken(LinkError),
}

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
        verify_form(pool, source, algorithm, form, &mut digests)?;
    }
    compare(pool, &digests)
}

pub fn tell_verifying(pool: &mut Pool<'_>, source: usize, algorithm: Algorithm, form: Form, deadline: Duration) {
    let name = &pool.surveyed[source].source.name;
    pool.sink.progress(&Progress {
        stage: "verifying",
        what: format!("{name} {algorithm} {form}"),
        fork: 0,
        rounds: 0,
        done: 0.05 * source as f64 / pool.surveyed.len() as f64,
        left: deadline.saturating_sub(pool.clock.now()),
    });
}

fn verify_form(
    pool: &mut Pool<'_>,
    source: usize,
    algorithm: Algorithm,
    form: Form,
    digests: &mut Digests,
) -> Result<(), SinkError> {
    stand_in(pool, source)?;
    let provider = pool.surveyed[source].source.provider.clone();
    let (seed, splits) = (pool.options.seed, Splits::of(pool, source, algorithm, form));
    let Some(worker) = pool.workers[source].as_mut() else { return Ok(()) };
    let verdict = answer_vectors(worker, &provider, algorithm, form).and_then(|verdict| match verdict {
        Verdict::Right => collect_digests(worker, &provider, source, (algorithm, form), seed, &splits, digests),
        verdict => Ok(verdict),
    });
    pass(pool, source, algorithm, form, verdict)
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
        Verdict::Broken(error) => {
            let why = format!("its worker failed while it was verified: {error}");
            disqualify(pool, source, algorithm, form, Outcome::Failed { why })?;
            match error {
                LinkError::Reported(_) => Ok(()),
                error => pool.note_break(source, &Fault { cell: None, error }),
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
            pool.note_break(source, &Fault { cell: None, error: error.into() })?;
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
/// nothing here can tell which is right, and none is timed.
fn compare(pool: &mut Pool<'_>, digests: &Digests) -> Result<(), SinkError> {
    for (key, given) in digests {
        let mut votes = BTreeMap::<[u8; 32], usize>::new();
        for (_, _, digest) in given {
            *votes.entry(*digest).or_default() += 1;
        }
        if votes.len() < 2 {
            continue;
        }
        let most = votes.values().copied().max().unwrap_or(0);
        let agreed = (votes.values().filter(|count| **count == most).count() == 1)
            .then(|| votes.iter().find(|(_, count)| **count == most).map(|(digest, _)| *digest))
            .flatten();
        for (source, form, digest) in given.iter().filter(|(_, _, digest)| Some(*digest) != agreed) {
            let DigestKey { algorithm, operation, length, iteration, .. } = key;
            let others =
                if agreed.is_some() { "all others" } else { "another, and no majority here says which is right" };
            let why = format!(
                "{operation} of {length} bytes, iteration {iteration}, hashes to {}…, which differs from {others}",
                hex::encode(&digest[..4])
            );
            disqualify(pool, *source, *algorithm, *form, Outcome::WrongOutput { why })?;
        }
    }
    Ok(())
}

/// Whether a cell's calls are verified by vectors and digests.
fn is_message(cell: &Cell) -> bool {
    cell.algorithm.family() != Family::Ceiling && cell.operation != Operation::Transfer
}

/// The two operations that undo each other.
fn operations(algorithm: Algorithm) -> (Operation, Operation) {
    if algorithm.has(Operation::Seal) {
        (Operation::Seal, Operation::Open)
    } else {
        (Operation::Encrypt, Operation::Decrypt)
    }
}

fn answer_vectors(worker: &mut Worker, provider: &str, algorithm: Algorithm, form: Form) -> Result<Verdict, LinkError> {
    let (seal, open) = operations(algorithm);
    let (mut sealed, mut opened, mut last_why) = (0, 0, String::from("none was asked"));
    for vector in known(algorithm) {
        let ask = |operation, input: &[u8]| CheckInput {
            provider: provider.into(),
            algorithm,
            operation,
            form: Some(form),
            key: vector.key.clone(),
            nonce: vector.nonce.clone(),
            aad: vector.aad.clone(),
            input: input.to_vec(),
            threads: None,
        };
        let wrong = |operation, expected: &str, answer: &Answer| {
            Ok(Verdict::Wrong(format!("vector {}: {operation} must {expected}, {}", vector.id, told(answer))))
        };
        let answer = worker.check(ask(open, &vector.sealed))?;
        match (&answer, vector.valid) {
            (Answer::Unsupported(why), _) => {
                last_why = why.clone();
                continue;
            }
            (Answer::Output(output), true) if *output == vector.message => opened += 1,
            (Answer::Rejected, false) => {}
            (_, true) => return wrong(open, "give the message", &answer),
            (_, false) => return wrong(open, "reject a forgery", &answer),
        }
        if !vector.valid {
            continue;
        }
        match worker.check(ask(seal, &vector.message))? {
            Answer::Output(output) if output == vector.sealed => sealed += 1,
            Answer::Unsupported(why) => last_why = why,
            answer => return wrong(seal, "give the sealed text", &answer),
        }
        for forged in forgeries(algorithm, &vector) {
            let answer = worker.check(ask(open, &forged))?;
            if !matches!(answer, Answer::Rejected | Answer::Unsupported(_)) {
                return wrong(open, "reject a forgery", &answer);
            }
        }
    }
    if sealed == 0 || opened == 0 {
        return Ok(Verdict::Wrong(format!("it answered no vector, so it is unverified: {last_why}")));
    }
    Ok(Verdict::Right)
}

fn told(answer: &Answer) -> String {
    match answer {
        Answer::Output(output) => {
            format!("it gave {} bytes beginning {}", output.len(), hex::encode(&output[..output.len().min(8)]))
        }
        Answer::Rejected => "it rejected it".into(),
        Answer::Unsupported(why) => format!("it says unsupported: {why}"),
    }
}

/// The known answers of an algorithm. XOR has none published; its answer is its definition.
fn known(algorithm: Algorithm) -> Vec<Vector> {
    if algorithm != Algorithm::Xor {
        return vectors(algorithm);
    }
    let key: Vec<u8> = (0..32).map(|n| n * 7 + 1).collect();
    let of_length = |length: usize| {
        let message: Vec<u8> = (0..length).map(|n| (n * 31 + 5) as u8).collect();
        let sealed = message.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key).collect();
        Vector {
            id: format!("xor-{length}"),
            key: key.clone(),
            nonce: vec![],
            aad: vec![],
            message,
            sealed,
            valid: true,
        }
    };
    [0, 1, 31, 32, 33, 63, 64, 65, 1000].map(of_length).into()
}

/// A sealed text cut short and with each end flipped. For a few vectors only: they cost as much as the vector itself.
fn forgeries(algorithm: Algorithm, vector: &Vector) -> Vec<Vec<u8>> {
    let length = vector.sealed.len();
    if algorithm.tag_bytes() == 0 || !length.is_multiple_of(7) || length == 0 {
        return Vec::new();
    }
    let flipped = |place: usize| {
        let mut sealed = vector.sealed.clone();
        sealed[place] ^= 1;
        sealed
    };
    vec![
        flipped(0),
        flipped(length - 1),
        vector.sealed[..length - 1].to_vec(),
        vector.sealed[..length.min(15)].to_vec(),
        vec![],
    ]
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
    let lengths = AWKWARD.into_iter().chain(form.is_split().then_some(SEVERAL_CHUNKS));
    let all = lengths.flat_map(|length| splits.threads.iter().map(move |threads| (length, *threads)));
    let all: Vec<_> = all.flat_map(|one| splits.keys.iter().map(move |key| (one, *key))).collect();
    for operation in [seal, open] {
        for &((length, threads), key) in &all {
            let parameters = Parameters::message_cell(length, length % 20, threads).with_key(key);
            let cell = Cell { provider: provider.into(), algorithm, operation, form, parameters };
            if worker.prepare(SCRATCH, &cell, provider, seed, 0)?.is_err() {
                continue;
            }
            let in_place = form == Form::InPlace || (form.is_split() && !form.is_of_files());
            let chained = in_place && operation == seal;
            for (first, iteration) in [(0, 0), (if chained { 3 } else { 5 }, 5)] {
                match worker.digest(SCRATCH, first, iteration)? {
                    Ok(digest) => {
                        let key = DigestKey { algorithm, operation, length, key, first, iteration };
                        digests.entry(key).or_default().push((source, form, digest));
                    }
                    Err(why) => return Ok(Verdict::Wrong(format!("it has no digest of {cell}: {why}"))),
                }
            }
            worker.release(SCRATCH)?;
        }
    }
    Ok(Verdict::Right)
}
