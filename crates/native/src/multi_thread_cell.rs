//! A prepared cell of several threads.
//!
//! Each thread creates its own library objects and never passes them on, and works in its own part of the arena.

use sha2::{Digest, Sha256};

use crate::arena::{Arena, PAGE};
use crate::barrier::{Barrier, Participant, ThreadTiming};
use crate::buffer_layout::BufferLayout;
use crate::cell_thread::{ArenaPart, ThreadFailure, open_again};
use crate::crew::Crew;
use crate::failure_reply::{FailureReply, error};
use crate::prepared_loop::{CellSettings, PreparedLoop, ThreadMemory};
use crate::providers::{OpenProvider, Provider};
use crate::single_thread_cell::Sampled;

/// Ready to be sampled.
pub struct MultiThreadCell {
    pub layout: BufferLayout,
    crew: Crew<LoopThread>,
    /// The number of the last iteration; 0 belongs to `digest`.
    last: u64,
}

/// What each thread has.
struct LoopThread {
    prepared_loop: PreparedLoop,
    /// The last allocation of form `fresh`.
    fresh: Vec<u8>,
    /// It must outlive the objects that it created.
    _provider: Box<dyn Provider>,
}

impl LoopThread {
    fn create(
        thread: usize,
        open: OpenProvider,
        settings: &CellSettings,
        part: &mut ArenaPart,
    ) -> Result<Self, FailureReply> {
        let (provider, mut fresh) = (open_again(open)?, Vec::new());
        let memory = ThreadMemory { arena: part.bytes(), fresh: &mut fresh };
        let prepared_loop = settings.prepare_loop(&*provider, thread, memory)?;
        Ok(Self { prepared_loop, fresh, _provider: provider })
    }
}

impl MultiThreadCell {
    /// The bytes of the arena for each thread: whole pages, even on systems with larger ones, so that no two threads
    /// share a page.
    pub fn stride(layout: &BufferLayout) -> usize {
        layout.bytes().next_multiple_of(PAGE.max(rustix::param::page_size()))
    }

    /// Starts the threads of cell `number`; the arena must be large enough for all of them.
    pub fn new(
        number: u64,
        threads: usize,
        open: OpenProvider,
        settings: &CellSettings,
        arena: &mut Arena,
    ) -> Result<Self, FailureReply> {
        let layout = settings.layout.clone();
        let create = |(thread, mut part): (usize, ArenaPart)| {
            let settings = settings.clone();
            move || LoopThread::create(thread, open, &settings, &mut part)
        };
        let parts = arena_parts(arena, &layout, threads).map_err(error)?;
        let crew = Crew::start(number, parts.into_iter().enumerate().map(create).collect())?;
        Ok(Self { layout, crew, last: 0 })
    }

    /// Each thread sets up its buffers, all warm up in lockstep for at least `warmup_ns`, meet, and do `iterations`
    /// timed calls each.
    pub fn sample(&mut self, arena: &mut Arena, warmup_ns: u64, iterations: u64) -> Result<Sampled, String> {
        let first = self.last + 1;
        let barrier = Barrier::new(self.crew.len(), self.last, warmup_ns, iterations);
        let sample = |participant| {
            move |prepared_loop: &mut PreparedLoop, memory: ThreadMemory<'_>| {
                sample_on_thread(participant, prepared_loop, memory)
            }
        };
        let timings = self.run_on_all(arena, || sample(barrier.participant()));
        self.last = barrier.last();
        Ok(barrier.sampled(&timings?, first))
    }

    /// Every thread recomputes an iteration's output, as [`PreparedLoop::recompute`] does.
    pub fn recompute(&mut self, arena: &mut Arena, first: u64, iteration: u64) -> Result<(), String> {
        let recompute = || {
            move |prepared_loop: &mut PreparedLoop, memory: ThreadMemory<'_>| {
                Ok(prepared_loop.recompute(memory, first, iteration)?)
            }
        };
        self.run_on_all(arena, recompute).map(drop)
    }

    /// Hashes the outputs that the calls of iteration `last` left, thread after thread.
    pub fn hash(&mut self, arena: &mut Arena, last: u64) -> Result<Sha256, String> {
        let mut hash = Sha256::new();
        for (thread, part) in arena_parts(arena, &self.layout, self.crew.len())?.into_iter().enumerate() {
            let hash_output = on_loop(part, move |prepared_loop, memory| {
                prepared_loop.output(memory, last).iter().for_each(|part| hash.update(part));
                Ok(hash)
            });
            hash = self.crew.run_on(thread, hash_output).map_err(|_| "hashing what a thread left failed")?;
        }
        Ok(hash)
    }

    /// Gives each thread a job and its part of the arena, and waits for every thread.
    fn run_on_all<R, J>(&mut self, arena: &mut Arena, mut create_job: impl FnMut() -> J) -> Result<Vec<R>, String>
    where
        R: Send + 'static,
        J: FnOnce(&mut PreparedLoop, ThreadMemory<'_>) -> Result<R, ThreadFailure> + Send + 'static,
    {
        let parts = arena_parts(arena, &self.layout, self.crew.len())?;
        // All are created before the first is handed out: a barrier with unclaimed places could never begin.
        let jobs = parts.into_iter().map(|part| on_loop(part, create_job())).collect();
        self.crew.run_on_all(jobs)
    }
}

/// A job on a thread's loop, in its part of the arena.
fn on_loop<R, J>(mut part: ArenaPart, job: J) -> impl FnOnce(&mut LoopThread) -> Result<R, ThreadFailure>
where
    J: FnOnce(&mut PreparedLoop, ThreadMemory<'_>) -> Result<R, ThreadFailure>,
{
    move |thread| job(&mut thread.prepared_loop, ThreadMemory { arena: part.bytes(), fresh: &mut thread.fresh })
}

/// A sample, as one thread executes it.
fn sample_on_thread(
    mut participant: Participant,
    prepared_loop: &mut PreparedLoop,
    memory: ThreadMemory<'_>,
) -> Result<ThreadTiming, ThreadFailure> {
    let (timed_loop, mut buffers) = prepared_loop.set_up(memory, 0);
    loop {
        let step = participant.next()?;
        timed_loop.run(&mut buffers, step.first, step.count)?;
        if step.timed {
            return Ok(participant.end());
        }
    }
}

/// The threads' parts of the arena, from its start. They are handed out by methods that keep the arena borrowed until
/// they have waited for every thread.
fn arena_parts(arena: &mut Arena, layout: &BufferLayout, threads: usize) -> Result<Vec<ArenaPart>, String> {
    let parts = arena.bytes().chunks_exact_mut(MultiThreadCell::stride(layout)).take(threads);
    // SAFETY: `Crew` has waited for each thread, or dropped it, when it has started or run its jobs.
    let arena_parts: Vec<ArenaPart> = parts.map(|part| unsafe { ArenaPart::new(part) }).collect();
    // Mapping more memory for another cell may have failed since; then the arena is empty.
    if arena_parts.len() == threads { Ok(arena_parts) } else { Err("the arena is lost; free some memory".into()) }
}
