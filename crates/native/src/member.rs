//! One thread of a cell with several: it creates its work, then does one job after another until it is dropped.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use ciphermeter_host::cpus;

use crate::barrier::Broken;
use crate::instead::{Instead, error, panic_text};
use crate::providers::Provider;
use crate::task::Failed;
use crate::work::{Buffers, Recipe, Work};

/// Opens the provider once more: each thread has its own.
pub type Open = fn() -> Result<Box<dyn Provider>, String>;

/// Why a thread's part failed.
pub enum Halt {
    Failed(String),
    /// Another thread failed, and reports the reason.
    Left,
}

impl From<Broken> for Halt {
    fn from(_: Broken) -> Self {
        Self::Left
    }
}

impl From<Failed> for Halt {
    fn from(failed: Failed) -> Self {
        Self::Failed(failed.to_string())
    }
}

/// A thread's part of the arena, for the duration of one job.
pub struct Region {
    start: *mut u8,
    len: usize,
}

// SAFETY: it is a borrow of bytes, which belong to no thread; the caller of `new` promised that no other thread uses
// them.
unsafe impl Send for Region {}

impl Region {
    /// A part of the arena to hand to a thread.
    ///
    /// # Safety
    /// The borrow must not end before the job that gets the region has ended, that is before [`Answer::wait`] or
    /// [`Member::ready`] has returned, or the member was dropped.
    pub unsafe fn new(part: &mut [u8]) -> Self {
        Self { start: part.as_mut_ptr(), len: part.len() }
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: it was made from such bytes, whose borrow has not ended, as `new` demands.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.len) }
    }
}

/// Runs on a thread, with its work and the last allocation of form `fresh`.
type Job = Box<dyn FnOnce(&mut Work, &mut Vec<u8>) + Send>;

/// A thread, which ends when this is dropped.
pub struct Member {
    /// `None` only while it is dropped.
    jobs: Option<Sender<Job>>,
    built: Receiver<Result<(), Instead>>,
    thread: Option<JoinHandle<()>>,
}

impl Member {
    /// Starts a thread that creates its work in its part of the arena; [`Self::ready`] returns the result.
    pub fn start(name: String, thread: usize, open: Open, recipe: Recipe, mut region: Region) -> Result<Self, Instead> {
        let (jobs, given) = channel::<Job>();
        let (tell, built) = channel();
        let live = move || {
            settle(thread);
            let mut fresh = Vec::new();
            let build = || {
                let provider = open().map_err(|why| error(format!("opening the provider again failed: {why}")))?;
                let work = recipe.work(&*provider, thread, Buffers { memory: region.bytes(), fresh: &mut fresh })?;
                // The provider must outlive the objects that it created.
                Ok((provider, work))
            };
            let panicked = |panic| {
                Err(error(format!("preparing the cell failed: thread {thread}: {}; don't use it", panicked(panic))))
            };
            let (_provider, mut work) = match catch_unwind(AssertUnwindSafe(build)).unwrap_or_else(panicked) {
                Ok(made) => made,
                // The receiver is gone only if another thread's start failed.
                Err(instead) => return drop(tell.send(Err(instead))),
            };
            drop(tell.send(Ok(())));
            given.into_iter().for_each(|job| job(&mut work, &mut fresh));
        };
        let spawned = thread::Builder::new().name(name).spawn(live);
        let started = spawned.map_err(|why| error(format!("starting thread {thread} failed: {why}; take fewer")))?;
        Ok(Self { jobs: Some(jobs), built, thread: Some(started) })
    }

    /// Waits until the thread has created its work.
    pub fn ready(&self) -> Result<(), Instead> {
        self.built.recv().unwrap_or_else(|_| Err(error("a thread ended while it was prepared; prepare the cell again")))
    }

    /// Gives the thread a job, and its part of the arena for its duration.
    pub fn ask<R, J>(&self, mut region: Region, job: J) -> Answer<R>
    where
        R: Send + 'static,
        J: FnOnce(&mut Work, Buffers<'_>) -> Result<R, Halt> + Send + 'static,
    {
        let (reply, replies) = channel();
        let job: Job = Box::new(move |work, fresh| {
            let run = || job(work, Buffers { memory: region.bytes(), fresh });
            let panicked = |panic| Err(Halt::Failed(panicked(panic)));
            drop(reply.send(catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(panicked)));
        });
        // If the thread is gone, the job is dropped, and the receiver is notified of that.
        if let Some(jobs) = &self.jobs {
            drop(jobs.send(job));
        }
        Answer(replies)
    }
}

/// Gives the calling thread its own CPU. Otherwise the system lets threads that were woken together share the waker's
/// CPU for some milliseconds: longer than a sample.
fn settle(thread: usize) {
    let cpus = cpus::spread();
    if let Some(cpu) = cpus.get(thread % cpus.len().max(1)) {
        // Where there are no masks, as on macOS, the system decides.
        let _ = cpus::pin(*cpu);
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        // Without a sender its loop ends; a panic in a library's destructor does not matter any more.
        self.jobs = None;
        self.thread.take().map(JoinHandle::join);
    }
}

/// The future result of a job.
pub struct Answer<R>(Receiver<Result<R, Halt>>);

impl<R> Answer<R> {
    /// Waits for it.
    pub fn wait(&self) -> Result<R, Halt> {
        self.0.recv().unwrap_or_else(|_| Err(Halt::Failed("it is gone".into())))
    }
}

fn panicked(panic: Box<dyn Any + Send>) -> String {
    format!("the library panicked: {}", panic_text(&*panic))
}
