//! A prepared cell of several threads.
//!
//! Its threads live as long as the cell: each creates its own library objects and never passes them on, works in its
//! own part of the arena, and sleeps while it has nothing to do, so that it disturbs no other sample.

use sha2::{Digest, Sha256};

use crate::arena::{Arena, PAGE};
use crate::barrier::{Barrier, Participant, ThreadTiming};
use crate::buffer_layout::BufferLayout;
use crate::cell_thread::{ArenaPart, CellThread, OpenProvider, PendingResult, ThreadFailure};
use crate::failure_reply::{FailureReply, error};
use crate::prepared_loop::{CellSettings, PreparedLoop, ThreadMemory};
use crate::single_thread_cell::Sampled;

/// Ready to be sampled.
pub struct MultiThreadCell {
    pub layout: BufferLayout,
    threads: Vec<CellThread>,
    /// The number of the last iteration; 0 belongs to `digest`.
    last: u64,
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
        let start =
            |(thread, part)| CellThread::start(format!("c{number}.{thread}"), thread, open, settings.clone(), part);
        let parts = arena_parts(arena, &layout, threads).map_err(error)?;
        // If one fails, dropping the others ends them before the arena is used again.
        let threads: Vec<CellThread> = parts.into_iter().enumerate().map(start).collect::<Result<_, _>>()?;
        threads.iter().try_for_each(CellThread::ready)?;
        Ok(Self { layout, threads, last: 0 })
    }

    /// Each thread sets up its buffers, all warm up in lockstep for at least `warmup_ns`, meet, and do `iterations`
    /// timed calls each.
    pub fn sample(&mut self, arena: &mut Arena, warmup_ns: u64, iterations: u64) -> Result<Sampled, String> {
        let first = self.last + 1;
        let barrier = Barrier::new(self.threads.len(), self.last, warmup_ns, iterations);
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

    /// Hashes the outputs that the last calls left, thread after thread.
    pub fn hash(&mut self, arena: &mut Arena) -> Result<Sha256, String> {
        let mut hash = Sha256::new();
        for (thread, part) in self.threads.iter().zip(arena_parts(arena, &self.layout, self.threads.len())?) {
            let hash_output = move |prepared_loop: &mut PreparedLoop, memory: ThreadMemory<'_>| {
                prepared_loop.output(memory).iter().for_each(|part| hash.update(part));
                Ok(hash)
            };
            hash = thread.submit(part, hash_output).wait().map_err(|_| "hashing what a thread left failed")?;
        }
        Ok(hash)
    }

    /// Gives each thread a job and waits for every thread, also after a failure: until then the arena is theirs.
    fn run_on_all<R, J>(&mut self, arena: &mut Arena, mut create_job: impl FnMut() -> J) -> Result<Vec<R>, String>
    where
        R: Send + 'static,
        J: FnOnce(&mut PreparedLoop, ThreadMemory<'_>) -> Result<R, ThreadFailure> + Send + 'static,
    {
        let parts = arena_parts(arena, &self.layout, self.threads.len())?;
        // All are created before the first is handed out: a barrier with unclaimed places could never begin.
        let jobs: Vec<J> = self.threads.iter().map(|_| create_job()).collect();
        let assigned = self.threads.iter().zip(parts).zip(jobs);
        let pending: Vec<_> = assigned.map(|((thread, part), job)| thread.submit(part, job)).collect();
        let results: Vec<Result<R, ThreadFailure>> = pending.iter().map(PendingResult::wait).collect();
        let (mut done, mut failed) = (Vec::new(), None);
        for (thread, result) in results.into_iter().enumerate() {
            match result {
                Ok(result) => done.push(result),
                Err(ThreadFailure::Failed(why)) => failed = failed.or_else(|| Some(format!("thread {thread}: {why}"))),
                Err(ThreadFailure::OtherLeft) => {}
            }
        }
        match failed {
            None if done.len() == self.threads.len() => Ok(done),
            failed => Err(failed.unwrap_or_else(|| "a thread left".into())),
        }
    }
}

/// A sample, as one thread executes it.
fn sample_on_thread(
    mut participant: Participant,
    prepared_loop: &mut PreparedLoop,
    memory: ThreadMemory<'_>,
) -> Result<ThreadTiming, ThreadFailure> {
    let (timed_loop, mut buffers) = prepared_loop.set_up(memory);
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
    // SAFETY: `new` has waited for each thread, or dropped it, when it returns; `run_on_all` and `hash` for each
    // result.
    let arena_parts: Vec<ArenaPart> = parts.map(|part| unsafe { ArenaPart::new(part) }).collect();
    // Mapping more memory for another cell may have failed since; then the arena is empty.
    if arena_parts.len() == threads { Ok(arena_parts) } else { Err("the arena is lost; free some memory".into()) }
}
