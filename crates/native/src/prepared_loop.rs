//! What one thread of a prepared cell runs: a timed loop, and the inputs of its buffers. A cell of one thread has one
//! of these, a cell of several has one for each.

use ciphermeter_core::{Form, Layout, Operation, Rotation};
use ciphermeter_protocol::Prepare;

use crate::buffer_layout::BufferLayout;
use crate::failure_reply::{FailureReply, error, unsupported};
use crate::instances::Instances;
use crate::loop_buffers::LoopBuffers;
use crate::planted::Slowdown;
use crate::providers::{LoopParameters, Offered, Provider};
use crate::rotating_loop::{Places, RotatingLoop};
use crate::stream::Streams;
use crate::timed_loop::{Failed, TimedLoop};

/// The memory of a thread's calls: its part of the arena, and the last allocation of form `fresh`.
pub struct ThreadMemory<'a> {
    pub arena: &'a mut [u8],
    pub fresh: &'a mut Vec<u8>,
}

impl ThreadMemory<'_> {
    /// The same, to be used again afterwards.
    fn reborrow(&mut self) -> ThreadMemory<'_> {
        ThreadMemory { arena: self.arena, fresh: self.fresh }
    }
}

/// Bytes that a key's objects take at most in the libraries at hand.
const KEY_OBJECT: usize = 2048;

/// What every thread of a cell creates its prepared loop from.
#[derive(Clone)]
pub struct CellSettings {
    pub layout: BufferLayout,
    seed: u64,
    /// How many loops there are, each with key objects of its own.
    instances: usize,
    rotation: Rotation,
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
            texts: usize::try_from(prepare.rotation.texts.max(form.messages_a_call())).unwrap_or(usize::MAX),
        };
        // Keys that go round lie in different places as it is.
        let instances = if prepare.rotation.is_any() { 1 } else { usize::try_from(prepare.instances).unwrap_or(1) };
        Self { layout, seed, instances, rotation: prepare.rotation, sealing: offered.forms[0], slowed }
    }

    /// Bytes of the arena that each thread needs, also to seal what it opens.
    pub fn bytes(&self) -> usize {
        self.layout.bytes().max(BufferLayout { texts: 1, ..self.layout.clone() }.bytes())
    }

    /// Bytes of sealed texts that the cell keeps beside its buffers, of its keys, and of what it allocates.
    pub fn copies(&self) -> usize {
        let keys = usize::try_from(self.rotation.keys).unwrap_or(usize::MAX);
        let kept = if self.layout.opens() { keys } else { 0 };
        let texts = (kept + usize::from(self.layout.form == Form::Fresh)).saturating_mul(self.layout.sealed);
        texts.saturating_add(keys.saturating_mul(KEY_OBJECT))
    }

    /// Creates thread `thread`'s loop. A cell that opens first seals its text in the buffers.
    pub fn prepare_loop(
        &self,
        provider: &dyn Provider,
        thread: usize,
        mut memory: ThreadMemory<'_>,
    ) -> Result<PreparedLoop, FailureReply> {
        let BufferLayout { algorithm, operation, form, message, aad, texts, .. } = self.layout;
        let streams = Streams::of_thread(thread, algorithm, self.seed, message, aad);
        let key = if operation == Operation::KeySetup { &[] } else { &streams.key[..] };
        let parameters = LoopParameters { algorithm, operation, form, key, message, aad };
        let places = Places::shuffled(texts, self.layout.stride());
        let key_of = |number: u64| Streams::key(number as usize, algorithm, self.seed);
        let mut instances = Instances::default();
        for _ in 0..self.instances {
            let timed_loop = match self.rotation.is_any() {
                true => RotatingLoop::new(self.rotation.keys as usize, places.clone(), |number| {
                    provider.timed_loop(&LoopParameters { key: &key_of(number as u64), ..parameters })
                })
                .map(|rotating| Box::new(rotating) as Box<dyn TimedLoop>),
                false => provider.timed_loop(&parameters),
            };
            let timed_loop = timed_loop.map_err(unsupported)?;
            instances.add(match self.slowed {
                Some(slowed) => slowed.onto(timed_loop, algorithm),
                None => timed_loop,
            });
        }
        let mut sealed = vec![self.seal(provider, &parameters, &streams, memory.reborrow())?];
        for number in 1..self.rotation.keys {
            let parameters = LoopParameters { key: &key_of(number), ..parameters };
            sealed.push(self.seal(provider, &parameters, &streams, memory.reborrow())?);
        }
        Ok(PreparedLoop { layout: self.layout.clone(), streams, instances, places, sealed })
    }

    /// Iteration 0's sealed text, by the same library; nothing where none is opened.
    fn seal(
        &self,
        provider: &dyn Provider,
        parameters: &LoopParameters<'_>,
        streams: &Streams,
        ThreadMemory { arena, fresh }: ThreadMemory<'_>,
    ) -> Result<Vec<u8>, FailureReply> {
        if !self.layout.opens() {
            return Ok(Vec::new());
        }
        let operation = if parameters.operation == Operation::Open { Operation::Seal } else { Operation::Encrypt };
        let mut timed_loop = provider
            .timed_loop(&LoopParameters { operation, form: self.sealing, ..*parameters })
            .map_err(unsupported)?;
        let layout = BufferLayout { operation, form: self.sealing, texts: 1, ..self.layout.clone() };
        layout.fill(arena, streams, &[]);
        let mut buffers = layout.buffers(arena, fresh, true);
        let sealed = timed_loop.run(&mut buffers, 0, 1).map(|()| buffers.produced);
        let produced = sealed.map_err(|why| error(format!("sealing the text to open failed: {why}; don't use it")))?;
        Ok(layout.output(arena, fresh, produced, 0).concat())
    }
}

/// A timed loop that is ready, with the inputs of its buffers.
pub struct PreparedLoop {
    pub layout: BufferLayout,
    streams: Streams,
    instances: Instances,
    places: Places,
    /// Iteration 0's sealed text under each key, for `open` and `decrypt`; an empty one for each key where nothing is opened.
    sealed: Vec<Vec<u8>>,
}

impl PreparedLoop {
    /// Has nonce, texts and key lie there from now on. A worker that made fewer instances than there are in layouts takes turns with
    /// those that it has.
    pub fn move_to(&mut self, layout: Layout) {
        (self.layout.offset, self.layout.nonce_at) = (layout.offset.into(), layout.nonce.into());
        self.instances.take(layout.instance.into());
    }

    /// Sets up the buffers: returns the loop, and the buffers to run it on from iteration `next` on. Where calls go round several
    /// texts, these are set up in the order of the iterations to come, so that each was touched exactly a round before its turn.
    pub fn set_up<'a>(&'a mut self, memory: ThreadMemory<'a>, next: u64) -> (&'a mut dyn TimedLoop, LoopBuffers<'a>) {
        let keys = self.sealed.len() as u64;
        let texts = (next..).take(self.places.len());
        let texts = texts.map(|i| (self.places.of(i), self.sealed[(i % keys) as usize].as_slice()));
        self.layout.fill_texts(memory.arena, &self.streams, texts);
        let buffers = self.layout.buffers(memory.arena, memory.fresh, true);
        (self.instances.current(), LoopBuffers { places: self.places.all(), ..buffers })
    }

    /// Recomputes the output of an iteration: in place all from `first` on, otherwise only that one.
    pub fn recompute(&mut self, memory: ThreadMemory<'_>, first: u64, iteration: u64) -> Result<(), Failed> {
        let first = if self.layout.chains() { first } else { iteration };
        let texts = self.places.len();
        let (timed_loop, mut buffers) = self.set_up(memory, first);
        if texts == 1 {
            return timed_loop.run(&mut buffers, first, iteration - first + 1);
        }
        // Each text has a chain of its own.
        let earlier = (iteration - first) % texts as u64;
        (first + earlier..=iteration).step_by(texts).try_for_each(|i| timed_loop.run(&mut buffers, i, 1))
    }

    /// Calls after which each key has had its turn; 0 where there is one.
    pub fn keys_round(&self) -> u64 {
        if self.sealed.len() > 1 { self.sealed.len() as u64 } else { 0 }
    }

    /// The two parts of what iteration `last`, the latest, put out.
    pub fn output<'a>(&self, ThreadMemory { arena, fresh }: ThreadMemory<'a>, last: u64) -> [&'a [u8]; 2] {
        let produced = match self.layout.operation.consumes_sealed() {
            true => self.layout.message,
            false => self.layout.sealed - self.layout.algorithm.tag_bytes(),
        };
        self.layout.output(arena, fresh, produced, self.places.of(last))
    }
}
