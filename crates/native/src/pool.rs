//! A prepared cell of several threads.
//!
//! Its threads live as long as the cell: each creates its own library objects and never passes them on, works in its
//! own part of the arena, and sleeps while it has nothing to do, so that it disturbs no other sample.

use sha2::{Digest, Sha256};

use crate::arena::{Arena, PAGE};
use crate::barrier::{Attendance, Barrier, Ended};
use crate::cell::Sampled;
use crate::instead::{Instead, error};
use crate::member::{Answer, Halt, Member, Open, Region};
use crate::shape::Shape;
use crate::work::{Buffers, Recipe, Work};

/// Ready to be sampled.
pub struct Pool {
    pub shape: Shape,
    members: Vec<Member>,
    /// The number of the last iteration; 0 belongs to `digest`.
    last: u64,
}

impl Pool {
    /// The bytes of the arena for each thread: whole pages, even on systems with larger ones, so that no two threads
    /// share a page.
    pub fn stride(shape: &Shape) -> usize {
        shape.bytes().next_multiple_of(PAGE.max(rustix::param::page_size()))
    }

    /// Starts the threads of cell `number`; the arena must be large enough for all of them.
    pub fn new(number: u64, threads: usize, open: Open, recipe: &Recipe, arena: &mut Arena) -> Result<Self, Instead> {
        let shape = recipe.shape.clone();
        let start =
            |(thread, region)| Member::start(format!("c{number}.{thread}"), thread, open, recipe.clone(), region);
        let regions = regions(arena, &shape, threads).map_err(error)?;
        // If one fails, dropping the others ends them before the arena is used again.
        let members: Vec<Member> = regions.into_iter().enumerate().map(start).collect::<Result<_, _>>()?;
        members.iter().try_for_each(Member::ready)?;
        Ok(Self { shape, members, last: 0 })
    }

    /// Each thread sets up its buffers, all warm up in lockstep for at least `warmup_ns`, meet, and do `iterations`
    /// timed calls each.
    pub fn sample(&mut self, arena: &mut Arena, warmup_ns: u64, iterations: u64) -> Result<Sampled, String> {
        let first = self.last + 1;
        let barrier = Barrier::new(self.members.len(), self.last, warmup_ns, iterations);
        let sample = |place| move |work: &mut Work, buffers: Buffers<'_>| attend(place, work, buffers);
        let ended = self.all(arena, || sample(barrier.attend()));
        self.last = barrier.last();
        Ok(barrier.sampled(&ended?, first))
    }

    /// Every thread recomputes an iteration's output, as [`Work::make`] does.
    pub fn make(&mut self, arena: &mut Arena, first: u64, iteration: u64) -> Result<(), String> {
        let make = || move |work: &mut Work, buffers: Buffers<'_>| Ok(work.make(buffers, first, iteration)?);
        self.all(arena, make).map(drop)
    }

    /// Hashes the outputs that the last calls left, thread after thread.
    pub fn hash(&mut self, arena: &mut Arena) -> Result<Sha256, String> {
        let mut hash = Sha256::new();
        for (member, region) in self.members.iter().zip(regions(arena, &self.shape, self.members.len())?) {
            let go_on = move |work: &mut Work, buffers: Buffers<'_>| {
                work.output(buffers).iter().for_each(|part| hash.update(part));
                Ok(hash)
            };
            hash = member.ask(region, go_on).wait().map_err(|_| "hashing what a thread left failed")?;
        }
        Ok(hash)
    }

    /// Gives each thread a job and waits for every thread, also after a failure: until then the arena is theirs.
    fn all<R, J>(&mut self, arena: &mut Arena, mut job: impl FnMut() -> J) -> Result<Vec<R>, String>
    where
        R: Send + 'static,
        J: FnOnce(&mut Work, Buffers<'_>) -> Result<R, Halt> + Send + 'static,
    {
        let regions = regions(arena, &self.shape, self.members.len())?;
        // All are created before the first is handed out: a barrier with unclaimed places could never begin.
        let jobs: Vec<J> = self.members.iter().map(|_| job()).collect();
        let given = self.members.iter().zip(regions).zip(jobs);
        let replies: Vec<_> = given.map(|((member, region), job)| member.ask(region, job)).collect();
        let results: Vec<Result<R, Halt>> = replies.iter().map(Answer::wait).collect();
        let (mut done, mut failed) = (Vec::new(), None);
        for (thread, result) in results.into_iter().enumerate() {
            match result {
                Ok(result) => done.push(result),
                Err(Halt::Failed(why)) => failed = failed.or_else(|| Some(format!("thread {thread}: {why}"))),
                Err(Halt::Left) => {}
            }
        }
        match failed {
            None if done.len() == self.members.len() => Ok(done),
            failed => Err(failed.unwrap_or_else(|| "a thread left".into())),
        }
    }
}

/// A sample, as one thread executes it.
fn attend(mut place: Attendance, work: &mut Work, buffers: Buffers<'_>) -> Result<Ended, Halt> {
    let (task, mut job) = work.arm(buffers);
    loop {
        let step = place.next()?;
        task.run(&mut job, step.first, step.count)?;
        if step.timed {
            return Ok(place.end());
        }
    }
}

/// The threads' parts of the arena, from its start. They are handed out by methods that keep the arena borrowed until
/// they have waited for every thread.
fn regions(arena: &mut Arena, shape: &Shape, threads: usize) -> Result<Vec<Region>, String> {
    let parts = arena.bytes().chunks_exact_mut(Pool::stride(shape)).take(threads);
    // SAFETY: `new` has waited for each member, or dropped it, when it returns; `all` and `hash` for each answer.
    let regions: Vec<Region> = parts.map(|part| unsafe { Region::new(part) }).collect();
    // Mapping more memory for another cell may have failed since; then the arena is empty.
    if regions.len() == threads { Ok(regions) } else { Err("the arena is lost; free some memory".into()) }
}
