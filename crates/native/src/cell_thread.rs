//! One thread of a cell with several: it creates its prepared loop, then does one job after another until it is
//! dropped.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use ciphermeter_host::cpus;

use crate::barrier::Broken;
use crate::failure_reply::{FailureReply, error, panic_text};
use crate::prepared_loop::{CellSettings, PreparedLoop, ThreadMemory};
use crate::providers::Provider;
use crate::timed_loop::Failed;

/// Opens the provider once more: each thread has its own.
pub type OpenProvider = fn() -> Result<Box<dyn Provider>, String>;

/// Why a thread's part failed.
pub enum ThreadFailure {
    Failed(String),
    /// Another thread failed, and reports the reason.
    OtherLeft,
}

impl From<Broken> for ThreadFailure {
    fn from(_: Broken) -> Self {
        Self::OtherLeft
    }
}

impl From<Failed> for ThreadFailure {
    fn from(failed: Failed) -> Self {
        Self::Failed(failed.to_string())
    }
}

/// A thread's part of the arena, for the duration of one job.
pub struct ArenaPart {
    start: *mut u8,
    len: usize,
}

// SAFETY: it is a borrow of bytes, which belong to no thread; the caller of `new` promised that no other thread uses
// them.
unsafe impl Send for ArenaPart {}

impl ArenaPart {
    /// A part of the arena to hand to a thread.
    ///
    /// # Safety
    /// The borrow must not end before the job that gets the part has ended, that is before [`PendingResult::wait`] or
    /// [`CellThread::ready`] has returned, or the thread was dropped.
    pub unsafe fn new(part: &mut [u8]) -> Self {
        Self { start: part.as_mut_ptr(), len: part.len() }
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: it was made from such bytes, whose borrow has not ended, as `new` demands.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.len) }
    }
}

/// Runs on a thread, with its prepared loop and the last allocation of form `fresh`.
type Job = Box<dyn FnOnce(&mut PreparedLoop, &mut Vec<u8>) + Send>;

/// A thread, which ends when this is dropped.
pub struct CellThread {
    /// `None` only while it is dropped.
    jobs: Option<Sender<Job>>,
    prepared: Receiver<Result<(), FailureReply>>,
    thread: Option<JoinHandle<()>>,
}

impl CellThread {
    /// Starts a thread that creates its prepared loop in its part of the arena; [`Self::ready`] returns the result.
    pub fn start(
        name: String,
        thread: usize,
        open: OpenProvider,
        settings: CellSettings,
        mut part: ArenaPart,
    ) -> Result<Self, FailureReply> {
        let (jobs, submitted) = channel::<Job>();
        let (report, prepared) = channel();
        let run_thread = move || {
            pin_to_own_cpu(thread);
            let mut fresh = Vec::new();
            let prepare = || {
                let provider = open().map_err(|why| error(format!("opening the provider again failed: {why}")))?;
                let prepared_loop = settings.prepare_loop(
                    &*provider,
                    thread,
                    ThreadMemory { arena: part.bytes(), fresh: &mut fresh },
                )?;
                // The provider must outlive the objects that it created.
                Ok((provider, prepared_loop))
            };
            let panicked = |panic| {
                Err(error(format!("preparing the cell failed: thread {thread}: {}; don't use it", panicked(panic))))
            };
            let (_provider, mut prepared_loop) = match catch_unwind(AssertUnwindSafe(prepare)).unwrap_or_else(panicked)
            {
                Ok(prepared) => prepared,
                // The receiver is gone only if another thread's start failed.
                Err(failure) => return drop(report.send(Err(failure))),
            };
            drop(report.send(Ok(())));
            submitted.into_iter().for_each(|job| job(&mut prepared_loop, &mut fresh));
        };
        let spawned = thread::Builder::new().name(name).spawn(run_thread);
        let started = spawned.map_err(|why| error(format!("starting thread {thread} failed: {why}; take fewer")))?;
        Ok(Self { jobs: Some(jobs), prepared, thread: Some(started) })
    }

    /// Waits until the thread has created its prepared loop.
    pub fn ready(&self) -> Result<(), FailureReply> {
        self.prepared
            .recv()
            .unwrap_or_else(|_| Err(error("a thread ended while it was prepared; prepare the cell again")))
    }

    /// Gives the thread a job, and its part of the arena for its duration.
    pub fn submit<R, J>(&self, mut part: ArenaPart, job: J) -> PendingResult<R>
    where
        R: Send + 'static,
        J: FnOnce(&mut PreparedLoop, ThreadMemory<'_>) -> Result<R, ThreadFailure> + Send + 'static,
    {
        let (sender, receiver) = channel();
        let job: Job = Box::new(move |prepared_loop, fresh| {
            let run = || job(prepared_loop, ThreadMemory { arena: part.bytes(), fresh });
            let panicked = |panic| Err(ThreadFailure::Failed(panicked(panic)));
            drop(sender.send(catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(panicked)));
        });
        // If the thread is gone, the job is dropped, and the receiver is notified of that.
        if let Some(jobs) = &self.jobs {
            drop(jobs.send(job));
        }
        PendingResult(receiver)
    }
}

/// Gives the calling thread its own CPU. Otherwise the system lets threads that were woken together share the waker's
/// CPU for some milliseconds: longer than a sample.
fn pin_to_own_cpu(thread: usize) {
    let cpus = cpus::spread();
    if let Some(cpu) = cpus.get(thread % cpus.len().max(1)) {
        // Where there are no masks, as on macOS, the system decides.
        let _ = cpus::pin(*cpu);
    }
}

impl Drop for CellThread {
    fn drop(&mut self) {
        // Without a sender its loop ends; a panic in a library's destructor does not matter any more.
        self.jobs = None;
        self.thread.take().map(JoinHandle::join);
    }
}

/// The future result of a job.
pub struct PendingResult<R>(Receiver<Result<R, ThreadFailure>>);

impl<R> PendingResult<R> {
    /// Waits for it.
    pub fn wait(&self) -> Result<R, ThreadFailure> {
        self.0.recv().unwrap_or_else(|_| Err(ThreadFailure::Failed("it is gone".into())))
    }
}

fn panicked(panic: Box<dyn Any + Send>) -> String {
    format!("the library panicked: {}", panic_text(&*panic))
}
