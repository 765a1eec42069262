//! A prepared cell: its task, what its buffers are set up from, and where its numbering stands.

use ciphermeter_protocol::Prepare;

use crate::arena::Arena;
use crate::clock::{self, Took};
use crate::shape::Shape;
use crate::stream::Streams;
use crate::task::{Failed, Task};

/// Ready to be sampled.
pub struct Cell {
    pub shape: Shape,
    streams: Streams,
    task: Box<dyn Task>,
    /// Iteration 0's sealed text, for `open` and `decrypt`.
    sealed: Vec<u8>,
    /// The number of the last iteration; 0 belongs to `digest`.
    last: u64,
}

/// A timed batch.
pub struct Sampled {
    pub took: Took,
    pub first: u64,
    pub last: u64,
}

/// Where calls work: the arena, and what form `fresh` allocated last.
#[derive(Default)]
pub struct Workspace {
    pub arena: Arena,
    pub fresh: Vec<u8>,
}

impl Cell {
    /// Puts together what belongs together.
    pub fn new(shape: Shape, streams: Streams, task: Box<dyn Task>, sealed: Vec<u8>) -> Self {
        Self { shape, streams, task, sealed, last: 0 }
    }

    /// The shape that a request asks for.
    pub fn shape(prepare: &Prepare, nonce: usize) -> Shape {
        let message = usize::try_from(prepare.message).unwrap_or(usize::MAX);
        Shape {
            algorithm: prepare.algorithm,
            operation: prepare.operation,
            form: prepare.form,
            message,
            sealed: prepare.algorithm.sealed_bytes(message),
            aad: usize::try_from(prepare.aad).unwrap_or(usize::MAX),
            offset: usize::try_from(prepare.offset).unwrap_or(0),
            nonce,
        }
    }

    /// Sets the buffers up, warms up for at least `warmup_ns`, then times `iterations` calls.
    pub fn sample(&mut self, space: &mut Workspace, warmup_ns: u64, iterations: u64) -> Result<Sampled, Failed> {
        let first = self.last + 1;
        self.set_up(space);
        let mut job = self.shape.job(space.arena.bytes(), &mut space.fresh, true);
        let mut warm = 0;
        let mut batch = 1;
        while warm < warmup_ns {
            // A batch's numbers are used up even if a call of it fails.
            let start = self.last + 1;
            self.last += batch;
            let took = clock::time(self.task.as_mut(), &mut job, start, batch)?;
            warm += took.ns.max(1);
            // Twice as many, but not far beyond the end.
            let left = warmup_ns.saturating_sub(warm);
            batch = (2 * batch).min(left.saturating_mul(batch) / took.ns.max(1) + 1);
        }
        let start = self.last + 1;
        self.last += iterations;
        let took = clock::time(self.task.as_mut(), &mut job, start, iterations)?;
        Ok(Sampled { took, first, last: self.last })
    }

    /// Times single calls.
    pub fn latency(&mut self, space: &mut Workspace, count: u64) -> Result<Vec<u64>, Failed> {
        self.set_up(space);
        let mut job = self.shape.job(space.arena.bytes(), &mut space.fresh, true);
        let mut calls = Vec::with_capacity(usize::try_from(count).unwrap_or(0));
        for _ in 0..count {
            self.last += 1;
            let start = std::time::Instant::now();
            self.task.run(&mut job, self.last, 1)?;
            calls.push(clock::nanoseconds(start.elapsed()));
        }
        Ok(calls)
    }

    /// Makes the output of an iteration anew: in place all from `first` on, else that one alone.
    pub fn make(&mut self, space: &mut Workspace, first: u64, iteration: u64) -> Result<(), Failed> {
        let first = if self.shape.chains() { first } else { iteration };
        self.set_up(space);
        let mut job = self.shape.job(space.arena.bytes(), &mut space.fresh, true);
        self.task.run(&mut job, first, iteration - first + 1)
    }

    /// The two parts of the output that the last call left.
    pub fn output<'a>(&self, space: &'a mut Workspace) -> [&'a [u8]; 2] {
        let given = match self.shape.operation.consumes_sealed() {
            true => self.shape.message,
            false => self.shape.sealed - self.shape.algorithm.tag_bytes(),
        };
        self.shape.output(space.arena.bytes(), &space.fresh, given)
    }

    fn set_up(&self, space: &mut Workspace) {
        self.shape.fill(space.arena.bytes(), &self.streams, &self.sealed);
    }
}
