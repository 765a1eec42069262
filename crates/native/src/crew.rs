//! The threads of one cell, which live as long as it: each sleeps while it has nothing to do, so that it disturbs no
//! other sample.

use crate::cell_thread::{CellThread, PendingResult, ThreadFailure};
use crate::failure_reply::FailureReply;

/// Threads that each have a state of their own.
pub struct Crew<S>(Vec<CellThread<S>>);

impl<S: 'static> Crew<S> {
    /// Starts the threads of cell `number`; `creates` has what creates each one's state, on the thread itself.
    pub fn start<C>(number: u64, creates: Vec<C>) -> Result<Self, FailureReply>
    where
        C: FnOnce() -> Result<S, FailureReply> + Send + 'static,
    {
        let start = |(thread, create)| CellThread::start(format!("c{number}.{thread}"), thread, create);
        // If one fails, dropping the others ends them before this returns.
        let threads: Vec<CellThread<S>> = creates.into_iter().enumerate().map(start).collect::<Result<_, _>>()?;
        threads.iter().try_for_each(CellThread::ready)?;
        Ok(Self(threads))
    }

    /// How many they are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Gives one thread a job and waits for it.
    pub fn run_on<R, J>(&self, thread: usize, job: J) -> Result<R, ThreadFailure>
    where
        R: Send + 'static,
        J: FnOnce(&mut S) -> Result<R, ThreadFailure> + Send + 'static,
    {
        self.0[thread].submit(job).wait()
    }

    /// Gives each thread its job and waits for every thread, also after a failure: until then what the jobs borrow is
    /// theirs. There is a job for each.
    pub fn run_on_all<R, J>(&self, jobs: Vec<J>) -> Result<Vec<R>, String>
    where
        R: Send + 'static,
        J: FnOnce(&mut S) -> Result<R, ThreadFailure> + Send + 'static,
    {
        let pending: Vec<_> = self.0.iter().zip(jobs).map(|(thread, job)| thread.submit(job)).collect();
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
            None if done.len() == self.0.len() => Ok(done),
            failed => Err(failed.unwrap_or_else(|| "a thread left".into())),
        }
    }
}
