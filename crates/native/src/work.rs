//! The work of one thread of a cell: a task, and the inputs of its buffers. A cell of one thread has one of these, a
//! cell of several has one for each.

use ciphermeter_core::{Form, Operation};
use ciphermeter_protocol::Prepare;

use crate::instead::{Instead, error, unsupported};
use crate::job::Job;
use crate::providers::{Offered, Provider, Want};
use crate::shape::Shape;
use crate::slowed::Slowdown;
use crate::stream::Streams;
use crate::task::{Failed, Task};

/// The memory of a thread's calls: its part of the arena, and the last allocation of form `fresh`.
pub struct Buffers<'a> {
    pub memory: &'a mut [u8],
    pub fresh: &'a mut Vec<u8>,
}

/// What every thread of a cell creates its work from.
#[derive(Clone)]
pub struct Recipe {
    pub shape: Shape,
    seed: u64,
    /// The form in which iteration 0's text is sealed, for cells that open: the library's first.
    sealing: Form,
    slowed: Option<Slowdown>,
}

impl Recipe {
    /// The recipe for a request, given an offer that covers it.
    pub fn new(prepare: &Prepare, offered: &Offered, slowed: Option<Slowdown>) -> Self {
        let Prepare { algorithm, operation, form, seed, .. } = *prepare;
        let message = usize::try_from(prepare.message).unwrap_or(usize::MAX);
        let shape = Shape {
            algorithm,
            operation,
            form,
            message,
            sealed: algorithm.sealed_bytes(message),
            aad: usize::try_from(prepare.aad).unwrap_or(usize::MAX),
            offset: usize::try_from(prepare.offset).unwrap_or(0),
            nonce: if operation == Operation::KeySetup { algorithm.key_bytes() } else { algorithm.nonce_bytes() },
        };
        Self { shape, seed, sealing: offered.forms[0], slowed }
    }

    /// Creates thread `thread`'s work. A cell that opens first seals its text in the buffers.
    pub fn work(&self, provider: &dyn Provider, thread: usize, buffers: Buffers<'_>) -> Result<Work, Instead> {
        let Shape { algorithm, operation, form, message, aad, .. } = self.shape;
        let streams = Streams::of_thread(thread, algorithm, self.seed, message, aad);
        let key = if operation == Operation::KeySetup { &[] } else { &streams.key[..] };
        let want = Want { algorithm, operation, form, key, message, aad };
        let mut task = provider.task(&want).map_err(unsupported)?;
        if let Some(slowed) = self.slowed {
            task = slowed.onto(task, algorithm);
        }
        let sealed = if self.shape.opens() { self.seal(provider, &want, &streams, buffers)? } else { Vec::new() };
        Ok(Work { shape: self.shape.clone(), streams, task, sealed })
    }

    /// Iteration 0's sealed text, by the same library.
    fn seal(
        &self,
        provider: &dyn Provider,
        want: &Want<'_>,
        streams: &Streams,
        Buffers { memory, fresh }: Buffers<'_>,
    ) -> Result<Vec<u8>, Instead> {
        let operation = if want.operation == Operation::Open { Operation::Seal } else { Operation::Encrypt };
        let mut task = provider.task(&Want { operation, form: self.sealing, ..*want }).map_err(unsupported)?;
        let shape = Shape { operation, form: self.sealing, ..self.shape.clone() };
        shape.fill(memory, streams, &[]);
        let mut job = shape.job(memory, fresh, true);
        let sealed = task.run(&mut job, 0, 1).map(|()| job.given);
        let given = sealed.map_err(|why| error(format!("sealing the text to open failed: {why}; don't use it")))?;
        Ok(shape.output(memory, fresh, given).concat())
    }
}

/// One thread's part of a prepared cell.
pub struct Work {
    pub shape: Shape,
    streams: Streams,
    task: Box<dyn Task>,
    /// Iteration 0's sealed text, for `open` and `decrypt`.
    sealed: Vec<u8>,
}

impl Work {
    /// Sets up the buffers: returns the task, and the job to run it on.
    pub fn arm<'a>(&'a mut self, buffers: Buffers<'a>) -> (&'a mut dyn Task, Job<'a>) {
        self.shape.fill(buffers.memory, &self.streams, &self.sealed);
        (self.task.as_mut(), self.shape.job(buffers.memory, buffers.fresh, true))
    }

    /// Recomputes the output of an iteration: in place all from `first` on, otherwise only that one.
    pub fn make(&mut self, buffers: Buffers<'_>, first: u64, iteration: u64) -> Result<(), Failed> {
        let first = if self.shape.chains() { first } else { iteration };
        let (task, mut job) = self.arm(buffers);
        task.run(&mut job, first, iteration - first + 1)
    }

    /// The two parts of the last call's output.
    pub fn output<'a>(&self, Buffers { memory, fresh }: Buffers<'a>) -> [&'a [u8]; 2] {
        let given = match self.shape.operation.consumes_sealed() {
            true => self.shape.message,
            false => self.shape.sealed - self.shape.algorithm.tag_bytes(),
        };
        self.shape.output(memory, fresh, given)
    }
}
