//! A prepared cell of a split message.

use std::sync::Arc;

use ciphermeter_core::Algorithm;
use ciphermeter_protocol::{MAX_MESSAGE, Prepare, Reply, seed};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::files::{FileStore, Files, Recipe, pieces};
use super::message::Place;
use super::round_trip::{combined, undo};
use super::sample::{Job, Medium, ThreadJob};
use super::thread::SplitThread;
use crate::arena::{Arena, Split};
use crate::barrier::Barrier;
use crate::crew::Crew;
use crate::failure_reply::FailureReply;
use crate::providers::OpenProvider;
use crate::single_thread_cell::Sampled;

/// Where a cell's message is.
enum Store {
    Memory(Place),
    Files(Arc<Files>),
}

/// Ready to be sampled.
pub struct SplitCell {
    pub algorithm: Algorithm,
    store: Store,
    job: Job,
    crew: Crew<SplitThread>,
    /// How its output is decrypted, where that is kept.
    recipe: Option<Recipe>,
    /// The number of the last iteration; 0 belongs to `digest`.
    last: u64,
}

impl SplitCell {
    /// The bytes of the arena that the request's message takes.
    pub fn arena_bytes(prepare: &Prepare) -> usize {
        if prepare.form.is_of_files() { 0 } else { Self::place(prepare).bytes() }
    }

    fn place(prepare: &Prepare) -> Place {
        let bytes = |n| usize::try_from(n).unwrap_or(usize::MAX);
        Place::new(prepare.algorithm, bytes(prepare.message), bytes(prepare.offset))
    }

    /// Starts the cell's threads, all under one key.
    pub fn new(prepare: &Prepare, open: OpenProvider, files: &mut FileStore) -> Result<Self, FailureReply> {
        let Prepare { algorithm, form, threads, seed, message, .. } = *prepare;
        let period = seed::period("message", seed, usize::try_from(message).unwrap_or(usize::MAX));
        let store = match form.is_of_files() {
            true => Store::Files(files.files(prepare, &period).map_err(Reply::Unsupported)?),
            false => Store::Memory(Self::place(prepare)),
        };
        let key = Arc::new(key(algorithm, seed, prepare.key));
        let recipe = match &store {
            Store::Files(files) => files.kept.as_ref().map(|output| Recipe::new(output, algorithm, key.clone())),
            Store::Memory(_) => None,
        };
        let create = |_| {
            let key = key.clone();
            move || SplitThread::create(open, algorithm, form, &key)
        };
        let crew = Crew::start(prepare.cell, (0..threads).map(create).collect())?;
        let job = Job { form, threads, period: Arc::new(period), chunks: Arc::default() };
        Ok(Self { algorithm, store, job, crew, recipe, last: 0 })
    }

    /// Bytes of the message.
    fn bytes(&self) -> u64 {
        match &self.store {
            Store::Memory(place) => place.message as u64,
            Store::Files(files) => files.bytes,
        }
    }

    /// The bytes of the arena from its start that its message ends at, and how it lies there; none of files.
    fn split(&self) -> Option<(Split, usize)> {
        match &self.store {
            Store::Memory(place) => Some((place.split(self.job.threads), place.bytes())),
            Store::Files(_) => None,
        }
    }

    /// Whether the system has yet to map pages of its message.
    pub fn lacks_pages(&self, arena: &Arena) -> bool {
        self.split().is_some_and(|(_, bytes)| !arena.is_touched(bytes))
    }

    /// Sets the message up, so that no sample has to wait for the system to map its pages, and each lies near its thread.
    pub fn touch(&self, arena: &mut Arena) -> Result<(), String> {
        let Some((split, bytes)) = self.split() else { return Ok(()) };
        arena.begin_touch(split);
        let touch = || {
            |mut job: ThreadJob, _: &mut SplitThread| {
                job.touch()?;
                Ok(())
            }
        };
        self.run_on_all(arena, touch)?;
        arena.end_touch(split, bytes);
        Ok(())
    }

    /// Sets the message up, warms up for at least `warmup_ns`, then times `iterations` of them.
    pub fn sample(&mut self, arena: &mut Arena, warmup_ns: u64, iterations: u64) -> Result<Sampled, String> {
        if self.split().is_some_and(|(split, bytes)| !arena.is_touched_by(split, bytes)) {
            self.touch(arena)?;
        }
        let first = self.last + 1;
        let barrier = Barrier::new(self.crew.len(), self.last, warmup_ns, iterations);
        let timings = self.run_on_all(arena, || {
            let participant = barrier.participant();
            move |job: ThreadJob, thread: &mut SplitThread| job.sample(thread, participant)
        });
        self.last = barrier.last();
        let sampled = barrier.sampled(&timings?, first);
        self.tell_how_to_decrypt(self.last)?;
        Ok(sampled)
    }

    /// Makes the output of an iteration anew: in memory all from `first` on, over a message that is set up.
    pub fn recompute(&mut self, arena: &mut Arena, first: u64, iteration: u64) -> Result<(), String> {
        if let Store::Files(files) = &self.store {
            files.begin().map_err(|failed| failed.to_string())?;
            let again = || move |mut job: ThreadJob, thread: &mut SplitThread| Ok(job.encrypt(thread, iteration)?);
            self.run_on_all(arena, again)?;
            return self.tell_how_to_decrypt(iteration);
        }
        self.run_on_all(arena, || {
            move |mut job: ThreadJob, thread: &mut SplitThread| {
                job.set_up()?;
                (first..=iteration).try_for_each(|iteration| job.encrypt_slice(thread, iteration))?;
                Ok(())
            }
        })
        .map(drop)
    }

    /// Beside an output that is kept.
    fn tell_how_to_decrypt(&self, iteration: u64) -> Result<(), String> {
        self.recipe.as_ref().map_or(Ok(()), |recipe| recipe.write(iteration))
    }

    /// Hashes what is there.
    pub fn hash(&self, arena: &mut Arena) -> Result<Sha256, String> {
        match &self.store {
            Store::Memory(place) => Ok(Sha256::new().chain_update(place.bytes_in(arena)?)),
            Store::Files(files) => {
                let (mut hash, mut buffer) = (Sha256::new(), Vec::new());
                for piece in pieces(0..files.bytes) {
                    buffer.resize((piece.end - piece.start) as usize, 0);
                    files.read_output(piece.start, &mut buffer).map_err(|failed| failed.to_string())?;
                    hash.update(&buffer);
                }
                Ok(hash)
            }
        }
    }

    /// Why it has no output to look at, or none to hash as a whole.
    pub fn no_output(&self, whole: bool) -> Option<String> {
        if self.algorithm.is_ceiling() {
            return Some(format!("{} has no output to look at", self.algorithm));
        }
        let long = whole && self.bytes() > MAX_MESSAGE;
        long.then(|| format!("a digest of over {MAX_MESSAGE} bytes; use verify and peek"))
    }

    /// Decrypts what iterations `first` to `last` left, and returns the CRC-32 of that.
    pub fn verify(&mut self, arena: &mut Arena, first: u64, last: u64) -> Result<u32, String> {
        let undo = || move |job: ThreadJob, thread: &mut SplitThread| undo(job, thread, first, last);
        Ok(combined(self.run_on_all(arena, undo)?))
    }

    /// Some bytes of what is there; the error says why there are none.
    pub fn peek(&self, arena: &mut Arena, at: u64, bytes: u64) -> Result<Vec<u8>, String> {
        if at.checked_add(bytes).is_none_or(|end| end > self.bytes()) {
            return Err(format!("byte {at} and {bytes} from there on are not within the message"));
        }
        let mut found = vec![0; usize::try_from(bytes).unwrap_or(0)];
        match &self.store {
            // Within the message, which is in memory.
            Store::Memory(place) => found.copy_from_slice(&place.bytes_in(arena)?[at as usize..][..bytes as usize]),
            Store::Files(files) => files.read_output(at, &mut found).map_err(|failed| failed.to_string())?,
        }
        Ok(found)
    }

    /// Gives each thread a job on the message, and waits for every thread.
    fn run_on_all<R, J>(&self, arena: &mut Arena, mut create: impl FnMut() -> J) -> Result<Vec<R>, String>
    where
        R: Send + 'static,
        J: FnOnce(ThreadJob, &mut SplitThread) -> Result<R, crate::cell_thread::ThreadFailure> + Send + 'static,
    {
        let medium = match &self.store {
            // SAFETY: the arena is borrowed for as long as this runs, which waits for every thread.
            Store::Memory(place) => Medium::Memory(unsafe { place.shared(arena) }?),
            Store::Files(files) => Medium::Files(files.clone()),
        };
        self.job.chunks.clear();
        let jobs = (0..self.job.threads).map(|thread| {
            let (job, run) = (ThreadJob { job: self.job.clone(), thread, medium: medium.clone() }, create());
            move |state: &mut SplitThread| run(job, state)
        });
        // All are created before the first is handed out: a barrier with unclaimed places could never begin.
        self.crew.run_on_all(jobs.collect())
    }
}

/// The raw key: `xor` bytes of it for XOR.
fn key(algorithm: Algorithm, seed: u64, xor: u64) -> Zeroizing<Vec<u8>> {
    let xor = usize::try_from(xor).unwrap_or(usize::MAX);
    Zeroizing::new(seed::stream("key", seed, if algorithm == Algorithm::Xor { xor } else { algorithm.key_bytes() }))
}
