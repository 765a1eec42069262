//! A prepared cell of a split message.

use std::sync::Arc;

use ciphermeter_core::{Algorithm, Family, Form, Operation};
use ciphermeter_protocol::{MAX_MESSAGE, Prepare, seed};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::message::Place;
use super::part::PartCipher;
use super::round_trip::{combined, undo};
use super::sample::{Job, ThreadJob};
use crate::arena::Arena;
use crate::barrier::Barrier;
use crate::cell_thread::{OpenProvider, open_again};
use crate::crew::Crew;
use crate::failure_reply::{FailureReply, unsupported};
use crate::providers::{LoopParameters, Provider};
use crate::single_thread_cell::Sampled;

/// What each thread has.
pub struct SplitThread {
    pub cipher: Box<dyn PartCipher>,
    /// It must outlive the objects that it created.
    _provider: Box<dyn Provider>,
}

/// Ready to be sampled.
pub struct SplitCell {
    pub algorithm: Algorithm,
    pub place: Place,
    job: Job,
    crew: Crew<SplitThread>,
    /// The number of the last iteration; 0 belongs to `digest`.
    last: u64,
}

impl SplitCell {
    /// Where the request's message would lie.
    pub fn place(prepare: &Prepare) -> Place {
        let bytes = |n| usize::try_from(n).unwrap_or(usize::MAX);
        Place::new(prepare.algorithm, bytes(prepare.message), bytes(prepare.offset))
    }

    /// Starts the cell's threads, all under one key.
    pub fn new(prepare: &Prepare, open: OpenProvider) -> Result<Self, FailureReply> {
        let Prepare { algorithm, form, threads, seed, message, .. } = *prepare;
        let key = Arc::new(key(algorithm, seed, prepare.key));
        let create = |_| {
            let key = key.clone();
            move || {
                let provider = open_again(open)?;
                let cipher = part_cipher(&*provider, algorithm, Operation::Encrypt, &key)?;
                Ok(SplitThread { cipher, _provider: provider })
            }
        };
        let crew = Crew::start(prepare.cell, (0..threads).map(create).collect())?;
        let period = seed::period("message", seed, usize::try_from(message).unwrap_or(usize::MAX));
        let job = Job { form, threads, period: Arc::new(period), chunks: Arc::default() };
        Ok(Self { algorithm, place: Self::place(prepare), job, crew, last: 0 })
    }

    /// Sets the message up, so that no sample has to wait for the system to map its pages.
    pub fn touch(&self, arena: &mut Arena) -> Result<(), String> {
        let touch = || {
            |mut job: ThreadJob, _: &mut SplitThread| {
                job.touch();
                Ok(())
            }
        };
        self.run_on_all(arena, touch).map(drop)
    }

    /// Sets the message up, warms up for at least `warmup_ns`, then times `iterations` of them.
    pub fn sample(&mut self, arena: &mut Arena, warmup_ns: u64, iterations: u64) -> Result<Sampled, String> {
        let first = self.last + 1;
        let barrier = Barrier::new(self.crew.len(), self.last, warmup_ns, iterations);
        let timings = self.run_on_all(arena, || {
            let participant = barrier.participant();
            move |job: ThreadJob, thread: &mut SplitThread| job.sample(thread, participant)
        });
        self.last = barrier.last();
        Ok(barrier.sampled(&timings?, first))
    }

    /// Makes the output of an iteration anew: all from `first` on, over a message that is set up.
    pub fn recompute(&mut self, arena: &mut Arena, first: u64, iteration: u64) -> Result<(), String> {
        self.run_on_all(arena, || {
            move |mut job: ThreadJob, thread: &mut SplitThread| {
                job.set_up();
                (first..=iteration).try_for_each(|iteration| job.encrypt_slice(thread, iteration))?;
                Ok(())
            }
        })
        .map(drop)
    }

    /// Hashes what is there.
    pub fn hash(&self, arena: &mut Arena) -> Result<Sha256, String> {
        Ok(Sha256::new().chain_update(self.place.bytes_in(arena)?))
    }

    /// Why it has no output to look at, or none to hash as a whole.
    pub fn no_output(&self, whole: bool) -> Option<String> {
        if self.algorithm.family() == Family::Ceiling {
            return Some(format!("{} has no output to look at", self.algorithm));
        }
        let long = whole && self.place.message as u64 > MAX_MESSAGE;
        long.then(|| format!("a digest of over {MAX_MESSAGE} bytes; use verify and peek"))
    }

    /// Decrypts what iterations `first` to `last` left, and returns the CRC-32 of that.
    pub fn verify(&mut self, arena: &mut Arena, first: u64, last: u64) -> Result<u32, String> {
        let undo = || move |job: ThreadJob, thread: &mut SplitThread| undo(job, thread, first, last);
        Ok(combined(self.run_on_all(arena, undo)?))
    }

    /// Some bytes of what is there; the error says why there are none.
    pub fn peek(&self, arena: &mut Arena, at: u64, bytes: u64) -> Result<Vec<u8>, String> {
        let message = self.place.bytes_in(arena)?;
        let (at, bytes) = (usize::try_from(at).unwrap_or(usize::MAX), usize::try_from(bytes).unwrap_or(usize::MAX));
        let found = at.checked_add(bytes).and_then(|end| message.get(at..end));
        found.map(Vec::from).ok_or_else(|| format!("byte {at} and {bytes} from there on are not within the message"))
    }

    /// Gives each thread a job on the message, and waits for every thread.
    fn run_on_all<R, J>(&self, arena: &mut Arena, mut create: impl FnMut() -> J) -> Result<Vec<R>, String>
    where
        R: Send + 'static,
        J: FnOnce(ThreadJob, &mut SplitThread) -> Result<R, crate::cell_thread::ThreadFailure> + Send + 'static,
    {
        // SAFETY: the arena is borrowed for as long as this runs, which waits for every thread.
        let message = unsafe { self.place.shared(arena) }?;
        self.job.chunks.clear();
        let jobs = (0..self.job.threads).map(|thread| {
            let (job, run) = (ThreadJob { job: self.job.clone(), thread, message }, create());
            move |state: &mut SplitThread| run(job, state)
        });
        // All are created before the first is handed out: a barrier with unclaimed places could never begin.
        self.crew.run_on_all(jobs.collect())
    }
}

/// What encrypts parts of a message in place.
pub fn part_cipher(
    provider: &dyn Provider,
    algorithm: Algorithm,
    operation: Operation,
    key: &[u8],
) -> Result<Box<dyn PartCipher>, FailureReply> {
    let parameters = LoopParameters { algorithm, operation, form: Form::InPlace, key, message: 0, aad: 0 };
    provider.part_cipher(&parameters).map_err(unsupported)
}

/// The raw key: `xor` bytes of it for XOR.
fn key(algorithm: Algorithm, seed: u64, xor: u64) -> Zeroizing<Vec<u8>> {
    if algorithm != Algorithm::Xor {
        return Zeroizing::new(seed::period("key", seed, algorithm.key_bytes()));
    }
    let length = usize::try_from(xor).unwrap_or(usize::MAX);
    let period = Zeroizing::new(seed::period("key", seed, length));
    Zeroizing::new(period.iter().copied().cycle().take(length).collect())
}
