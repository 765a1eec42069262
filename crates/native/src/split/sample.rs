//! A sample of a split message, as one thread takes part in it.

use std::ops::Range;
use std::sync::Arc;

use ciphermeter_core::Form;
use ciphermeter_protocol::seed::fill_from;

use super::files::{Files, chunked, mapped};
use super::message::SharedMessage;
use super::part::start_of;
use super::slices::{CHUNK, Chunks, slice};
use super::thread::SplitThread;
use crate::barrier::{Participant, ThreadTiming};
use crate::cell_thread::ThreadFailure;
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

/// Where the message is.
#[derive(Clone)]
pub enum Medium {
    Memory(SharedMessage),
    Files(Arc<Files>),
}

impl Medium {
    fn len(&self) -> u64 {
        match self {
            Self::Memory(message) => message.len(),
            Self::Files(files) => files.bytes,
        }
    }
}

/// One thread's part of it.
pub struct ThreadJob {
    pub job: Job,
    pub thread: u64,
    pub medium: Medium,
}

impl ThreadJob {
    /// Sets up the thread's static slice, then goes through the sample.
    pub fn sample(
        mut self,
        thread: &mut SplitThread,
        mut participant: Participant,
    ) -> Result<ThreadTiming, ThreadFailure> {
        self.set_up()?;
        loop {
            let step = participant.next()?;
            for iteration in step.first..step.first + step.count {
                // The message is done when all of its parts are.
                if iteration > step.first {
                    participant.meet()?;
                }
                self.begin(&mut participant)?;
                self.encrypt(thread, iteration)?;
            }
            if step.timed {
                return Ok(participant.end());
            }
        }
    }

    /// Fills the thread's static slice with plaintext: whichever thread touches a page first has it near itself. Of a file,
    /// the slice is read, so that it lies in the page cache; direct I/O goes past that.
    pub fn set_up(&mut self) -> Result<(), Failed> {
        let range = self.range();
        match &mut self.medium {
            Medium::Memory(message) => {
                let begin = range.start;
                // SAFETY: slices do not overlap, and each thread sets up its own.
                fill_from(unsafe { message.bytes(range) }, &self.job.period, begin);
                Ok(())
            }
            Medium::Files(files) if self.job.form != Form::Direct => files.read_ahead(range),
            Medium::Files(_) => Ok(()),
        }
    }

    /// Sets it up for the first time, with what it is copied to.
    pub fn touch(&mut self) -> Result<(), Failed> {
        self.set_up()?;
        let range = self.range();
        if let Medium::Memory(message) = &mut self.medium {
            // SAFETY: slices do not overlap, and a copy's lie as far apart.
            let part = unsafe { message.part(range) };
            if part.output.cast_const() != part.input {
                // SAFETY: both sides hold `len` bytes and do not overlap.
                unsafe { part.output.copy_from_nonoverlapping(part.input, part.len) };
            }
        }
        Ok(())
    }

    /// From file to file, the first thread makes room for the output, and the others wait for that.
    fn begin(&self, participant: &mut Participant) -> Result<(), ThreadFailure> {
        let Medium::Files(files) = &self.medium else { return Ok(()) };
        if self.thread == 0 {
            files.begin()?;
        }
        Ok(participant.meet()?)
    }

    /// What falls to the thread of one iteration.
    pub fn encrypt(&mut self, thread: &mut SplitThread, iteration: u64) -> Result<(), Failed> {
        if matches!(self.job.form, Form::Static | Form::Mapped) {
            return self.encrypt_slice(thread, iteration);
        }
        let (job, start) = (&self.job, start_of(iteration));
        job.chunks.begin(iteration);
        while let Some(chunk) = job.chunks.take(iteration, self.medium.len(), CHUNK) {
            match &mut self.medium {
                Medium::Memory(message) => {
                    let at = chunk.start;
                    // SAFETY: each chunk is taken by one thread.
                    thread.cipher.encrypt(start, at, unsafe { message.part(chunk) })?;
                }
                Medium::Files(files) => {
                    let (cipher, buffer) = thread.cipher_and_buffer()?;
                    chunked::encrypt(files, cipher, start, chunk, buffer)?;
                }
            }
        }
        Ok(())
    }

    /// The thread's static slice of one iteration.
    pub fn encrypt_slice(&mut self, thread: &mut SplitThread, iteration: u64) -> Result<(), Failed> {
        let (range, start) = (self.range(), start_of(iteration));
        match &mut self.medium {
            Medium::Memory(message) => {
                let at = range.start;
                // SAFETY: slices do not overlap.
                thread.cipher.encrypt(start, at, unsafe { message.part(range) })
            }
            Medium::Files(files) => mapped::encrypt(files, &mut *thread.cipher, start, range),
        }
    }

    /// The thread's static slice.
    pub fn range(&self) -> Range<u64> {
        slice(self.medium.len(), self.job.threads, self.thread)
    }
}
