//! One thread of a cell with several: it creates what it works with, then does one job after another until it is
//! dropped.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use ciphermeter_host::cpus;

use crate::barrier::Broken;
use crate::failure_reply::{FailureReply, error, panic_text};
use crate::providers::{OpenProvider, Provider};
use crate::timed_loop::Failed;

/// Opens the provider on the calling thread: each has its own.
pub fn open_again(open: OpenProvider) -> Result<Box<dyn Provider>, FailureReply> {
    open().map_err(|why| error(format!("opening the provider again failed: {why}")))
}

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

    /// The part.
    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: it was made from such bytes, whose borrow has not ended, as `new` demands.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.len) }
    }
}

/// Runs on a thread, with what the thread has created.
type Job<S> = Box<dyn FnOnce(&mut S) + Send>;

/// A thread with a state of its own, which it creates and drops itself. It ends when this is dropped.
pub struct CellThread<S> {
    /// `None` only while it is dropped.
    jobs: Option<Sender<Job<S>>>,
    prepared: Receiver<Result<(), FailureReply>>,
    thread: Option<JoinHandle<()>>,
}

impl<S: 'static> CellThread<S> {
    /// Starts a thread that creates its state; [`Self::ready`] returns whether it has one.
    pub fn start(
        name: String,
        thread: usize,
        create: impl FnOnce() -> Result<S, FailureReply> + Send + 'static,
    ) -> Result<Self, FailureReply> {
        let (jobs, submitted) = channel::<Job<S>>();
        let (report, prepared) = channel();
        let run_thread = move || {
            pin_to_own_cpu(thread);
            let panicked = |panic| {
                Err(error(format!("preparing the cell failed: thread {thread}: {}; don't use it", panicked(panic))))
            };
            let mut state = match catch_unwind(AssertUnwindSafe(create)).unwrap_or_else(panicked) {
                Ok(state) => state,
                // The receiver is gone only if another thread's start failed.
                Err(failure) => return drop(report.send(Err(failure))),
            };
            drop(report.send(Ok(())));
            submitted.into_iter().for_each(|job| job(&mut state));
        };
        let spawned = thread::Builder::new().name(name).spawn(run_thread);
        let started = spawned.map_err(|why| error(format!("starting thread {thread} failed: {why}; take fewer")))?;
        Ok(Self { jobs: Some(jobs), prepared, thread: Some(started) })
    }

    /// Waits until the thread has created its state.
    pub fn ready(&self) -> Result<(), FailureReply> {
        self.prepared
            .recv()
            .unwrap_or_else(|_| Err(error("a thread ended while it was prepared; prepare the cell again")))
    }

    /// Gives the thread a job.
    pub fn submit<R, J>(&self, job: J) -> PendingResult<R>
    where
        R: Send + 'static,
        J: FnOnce(&mut S) -> Result<R, ThreadFailure> + Send + 'static,
    {
        let (sender, receiver) = channel();
        let job: Job<S> = Box::new(move |state| {
            let run = || job(state);
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

impl<S> Drop for CellThread<S> {
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
