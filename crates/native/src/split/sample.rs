//! A sample of a split message, as one thread takes part in it.

use std::sync::Arc;

use ciphermeter_core::Form;

use super::cell::SplitThread;
use super::message::SharedMessage;
use super::part::start_of;
use super::slices::{CHUNK, Chunks, slice};
use crate::barrier::{Participant, ThreadTiming};
use crate::cell_thread::ThreadFailure;
use crate::stream::fill_from;
use crate::timed_loop::Failed;

/// What all threads of a sample, or of an output made anew, know.
#[derive(Clone)]
pub struct Job {
    /// `static` or `dynamic`.
    pub form: Form,
    pub threads: u64,
    /// One period of the message.
    pub period: Arc<Vec<u8>>,
    pub chunks: Arc<Chunks>,
}

/// One thread's part of it.
pub struct ThreadJob {
    pub job: Job,
    pub thread: u64,
    pub message: SharedMessage,
}

impl ThreadJob {
    /// Sets up the thread's static slice, then goes through the sample.
    pub fn sample(
        mut self,
        thread: &mut SplitThread,
        mut participant: Participant,
    ) -> Result<ThreadTiming, ThreadFailure> {
        self.set_up();
        loop {
            let step = participant.next()?;
            for iteration in step.first..step.first + step.count {
                // The message is done when all of its parts are.
                if iteration > step.first {
                    participant.meet()?;
                }
                self.encrypt(thread, iteration)?;
            }
            if step.timed {
                return Ok(participant.end());
            }
        }
    }

    /// Fills the thread's static slice with plaintext: whichever thread touches a page first has it near itself.
    pub fn set_up(&mut self) {
        let range = slice(self.message.len(), self.job.threads, self.thread);
        let begin = range.start;
        // SAFETY: slices do not overlap, and each thread sets up its own.
        fill_from(unsafe { self.message.bytes(range) }, &self.job.period, begin);
    }

    /// Fills it, and what it is copied to.
    pub fn touch(&mut self) {
        self.set_up();
        let range = slice(self.message.len(), self.job.threads, self.thread);
        // SAFETY: slices do not overlap, and a copy's lie as far apart.
        let part = unsafe { self.message.part(range) };
        if part.output.cast_const() != part.input {
            // SAFETY: both sides hold `len` bytes and do not overlap.
            unsafe { part.output.copy_from_nonoverlapping(part.input, part.len) };
        }
    }

    /// What falls to the thread of one iteration.
    fn encrypt(&mut self, thread: &mut SplitThread, iteration: u64) -> Result<(), Failed> {
        if self.job.form != Form::Dynamic {
            return self.encrypt_slice(thread, iteration);
        }
        let (job, start) = (&self.job, start_of(iteration));
        job.chunks.begin(iteration);
        while let Some(chunk) = job.chunks.take(iteration, self.message.len(), CHUNK) {
            let at = chunk.start;
            // SAFETY: each chunk is taken by one thread.
            thread.cipher.encrypt(start, at, unsafe { self.message.part(chunk) })?;
        }
        Ok(())
    }

    /// The thread's static slice of one iteration.
    pub fn encrypt_slice(&mut self, thread: &mut SplitThread, iteration: u64) -> Result<(), Failed> {
        let range = slice(self.message.len(), self.job.threads, self.thread);
        let at = range.start;
        // SAFETY: slices do not overlap.
        thread.cipher.encrypt(start_of(iteration), at, unsafe { self.message.part(range) })
    }

    /// The thread's slice as it is.
    pub fn slice(&mut self) -> &mut [u8] {
        let range = slice(self.message.len(), self.job.threads, self.thread);
        // SAFETY: slices do not overlap.
        unsafe { self.message.bytes(range) }
    }
}
