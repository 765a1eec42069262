//! What one thread of a prepared cell runs: a timed loop, and the inputs of its buffers. A cell of one thread has one
//! of these, a cell of several has one for each.

use ciphermeter_core::{Form, Layout, Operation};
use ciphermeter_protocol::Prepare;

use crate::buffer_layout::BufferLayout;
use crate::failure_reply::{FailureReply, error, unsupported};
use crate::instances::Instances;
use crate::loop_buffers::LoopBuffers;
use crate::providers::{LoopParameters, Offered, Provider};
use crate::slowed::Slowdown;
use crate::stream::Streams;
use crate::timed_loop::{Failed, TimedLoop};

/// The memory of a thread's calls: its part of the arena, and the last allocation of form `fresh`.
pub struct ThreadMemory<'a> {
    pub arena: &'a mut [u8],
    pub fresh: &'a mut Vec<u8>,
}

/// What every thread of a cell creates its prepared loop from.
#[derive(Clone)]
pub struct CellSettings {
    pub layout: BufferLayout,
    seed: u64,
    /// How many loops there are, each with a key object of its own.
    instances: usize,
    /// The form in which iteration 0's text is sealed, for cells that open: the library's first.
    sealing: Form,
    slowed: Option<Slowdown>,
}

impl CellSettings {
    /// The settings for a request, given an offer that covers it.
    pub fn new(prepare: &Prepare, offered: &Offered, slowed: Option<Slowdown>) -> Self {
        let Prepare { algorithm, operation, form, seed, .. } = *prepare;
        let message = usize::try_from(prepare.message).unwrap_or(usize::MAX);
        let layout = BufferLayout {
            algorithm,
            operation,
            form,
            message,
            sealed: algorithm.sealed_bytes(message),
            aad: usize::try_from(prepare.aad).unwrap_or(usize::MAX),
            offset: usize::try_from(prepare.offset).unwrap_or(0),
            nonce_at: usize::try_from(prepare.offset).unwrap_or(0),
            nonce: if operation == Operation::KeySetup { algorithm.key_bytes() } else { algorithm.nonce_bytes() },
        };
        let instances = usize::try_from(prepare.instances).unwrap_or(1);
        Self { layout, seed, instances, sealing: offered.forms[0], slowed }
    }

    /// Creates thread `thread`'s loop. A cell that opens first seals its text in the buffers.
    pub fn prepare_loop(
        &self,
        provider: &dyn Provider,
        thread: usize,
        memory: ThreadMemory<'_>,
    ) -> Result<PreparedLoop, FailureReply> {
        let BufferLayout { algorithm, operation, form, message, aad, .. } = self.layout;
        let streams = Streams::of_thread(thread, algorithm, self.seed, message, aad);
        let key = if operation == Operation::KeySetup { &[] } else { &streams.key[..] };
        let parameters = LoopParameters { algorithm, operation, form, key, message, aad };
        let mut instances = Instances::default();
        for _ in 0..self.instances {
            let timed_loop = provider.timed_loop(&parameters).map_err(unsupported)?;
            instances.add(match self.slowed {
                Some(slowed) => slowed.onto(timed_loop, algorithm),
                None => timed_loop,
            });
        }
        let sealed = if self.layout.opens() { self.seal(provider, &parameters, &streams, memory)? } else { Vec::new() };
        Ok(PreparedLoop { layout: self.layout.clone(), streams, instances, sealed })
    }

    /// Iteration 0's sealed text, by the same library.
    fn seal(
        &self,
        provider: &dyn Provider,
        parameters: &LoopParameters<'_>,
        streams: &Streams,
        ThreadMemory { arena, fresh }: ThreadMemory<'_>,
    ) -> Result<Vec<u8>, FailureReply> {
        let operation = if parameters.operation == Operation::Open { Operation::Seal } else { Operation::Encrypt };
        let mut timed_loop = provider
            .timed_loop(&LoopParameters { operation, form: self.sealing, ..*parameters })
            .map_err(unsupported)?;
        let layout = BufferLayout { operation, form: self.sealing, ..self.layout.clone() };
        layout.fill(arena, streams, &[]);
        let mut buffers = layout.buffers(arena, fresh, true);
        let sealed = timed_loop.run(&mut buffers, 0, 1).map(|()| buffers.produced);
        let produced = sealed.map_err(|why| error(format!("sealing the text to open failed: {why}; don't use it")))?;
        Ok(layout.output(arena, fresh, produced).concat())
    }
}

/// A timed loop that is ready, with the inputs of its buffers.
pub struct PreparedLoop {
    pub layout: BufferLayout,
    streams: Streams,
    instances: Instances,
    /// Iteration 0's sealed text, for `open` and `decrypt`.
    sealed: Vec<u8>,
}

impl PreparedLoop {
    /// Has nonce, texts and key lie there from now on. A worker that made fewer instances than there are in layouts takes turns with
    /// those that it has.
    pub fn move_to(&mut self, layout: Layout) {
        (self.layout.offset, self.layout.nonce_at) = (layout.offset.into(), layout.nonce.into());
        self.instances.take(layout.instance.into());
    }

    /// Sets up the buffers: returns the loop, and the buffers to run it on.
    pub fn set_up<'a>(&'a mut self, memory: ThreadMemory<'a>) -> (&'a mut dyn TimedLoop, LoopBuffers<'a>) {
        self.layout.fill(memory.arena, &self.streams, &self.sealed);
        (self.instances.current(), self.layout.buffers(memory.arena, memory.fresh, true))
    }

    /// Recomputes the output of an iteration: in place all from `first` on, otherwise only that one.
    pub fn recompute(&mut self, memory: ThreadMemory<'_>, first: u64, iteration: u64) -> Result<(), Failed> {
        let first = if self.layout.chains() { first } else { iteration };
        let (timed_loop, mut buffers) = self.set_up(memory);
        timed_loop.run(&mut buffers, first, iteration - first + 1)
    }

    /// The two parts of the last call's output.
    pub fn output<'a>(&self, ThreadMemory { arena, fresh }: ThreadMemory<'a>) -> [&'a [u8]; 2] {
        let produced = match self.layout.operation.consumes_sealed() {
            true => self.layout.message,
            false => self.layout.sealed - self.layout.algorithm.tag_bytes(),
        };
        self.layout.output(arena, fresh, produced)
    }
}
