//! The form `device`: the message lies in the card's memory, and iterations follow each other there.

use std::cell::RefCell;
use std::rc::Rc;

use wgpu::{BindGroup, Buffer, BufferUsages, CommandEncoder, SubmissionIndex};

use super::buffers::{Buffers, pieces};
use super::context::Context;
use super::step::Step;
use crate::card::{Message, Refused, Work};
use crate::text::Text;

/// Where the parameters of dispatches lie in their buffer: every adapter takes multiples of 256.
const STRIDE: u64 = 256;
/// The most dispatches or copies of one submission.
const MOST_DISPATCHES: usize = 256;
/// The most bytes of one submission: systems reset a card that is busy with one for seconds.
const MOST_BYTES: u64 = 1 << 30;
/// How much of the plaintext is handed to the driver at a time.
const UPLOAD: u64 = 16 << 20;

/// A message in the card's memory.
pub struct Device {
    context: Rc<Context>,
    buffers: Rc<RefCell<Buffers>>,
    step: Option<Step>,
    bytes: u64,
    parameters: Buffer,
    /// A binding for each part, made when the buffers are set up.
    groups: Vec<BindGroup>,
}

impl Device {
    pub fn new(
        context: Rc<Context>,
        buffers: Rc<RefCell<Buffers>>,
        step: Option<Step>,
        work: Work,
        bytes: u64,
    ) -> Result<Self, Refused> {
        buffers.borrow_mut().reserve_device(&context, bytes, work == Work::Copy)?;
        let usage = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
        let parameters = context.buffer(STRIDE * MOST_DISPATCHES as u64, usage, false)?;
        Ok(Self { context, buffers, step, bytes, parameters, groups: Vec::new() })
    }

    /// Waits for the submission before the last one, so that two are on their way at most.
    fn follow(&self, flying: &mut Option<SubmissionIndex>, next: SubmissionIndex) -> Result<(), String> {
        match flying.replace(next) {
            Some(before) => self.context.wait(before),
            None => Ok(()),
        }
    }
}

impl Message for Device {
    fn set_up(&mut self, text: &Text) -> Result<(), String> {
        let buffers = self.buffers.borrow();
        let bind =
            |step: &Step| buffers.parts.iter().map(|part| step.bind(&self.context, part, &self.parameters)).collect();
        self.groups = self.step.as_ref().map(bind).unwrap_or_default();
        let mut piece = vec![0; UPLOAD.min(self.bytes) as usize];
        let mut flying = None;
        for (index, (at, length)) in pieces(self.bytes, self.context.part).enumerate() {
            for (within, length) in pieces(length, UPLOAD) {
                let piece = &mut piece[..length as usize];
                text.fill(at + within, piece);
                self.context.queue.write_buffer(&buffers.parts[index], within, piece);
                self.follow(&mut flying, self.context.queue.submit([]))?;
            }
        }
        let mut encoder = self.context.encoder();
        if self.step.is_none() {
            buffers.seconds.iter().for_each(|second| encoder.clear_buffer(second, 0, None));
        }
        let submission = self.context.submit(encoder);
        self.context.wait(submission)
    }

    fn run(&mut self, counters: &mut dyn Iterator<Item = u128>) -> Result<(), String> {
        let buffers = self.buffers.borrow();
        let mut batch = Batch { encoder: self.context.encoder(), parameters: Vec::new(), dispatches: 0, bytes: 0 };
        let mut flying = None;
        for counter in counters {
            for (index, (at, length)) in pieces(self.bytes, self.context.part).enumerate() {
                match &self.step {
                    Some(step) => batch.dispatch(step, &self.groups[index], counter, at, length),
                    None => {
                        let (from, to) = (&buffers.parts[index], &buffers.seconds[index]);
                        batch.encoder.copy_buffer_to_buffer(from, 0, to, 0, length);
                    }
                }
                batch.dispatches += 1;
                batch.bytes += length;
                if batch.dispatches == MOST_DISPATCHES || batch.bytes >= MOST_BYTES {
                    let submission = batch.submit(&self.context, &self.parameters);
                    self.follow(&mut flying, submission)?;
                }
            }
        }
        let submission = batch.submit(&self.context, &self.parameters);
        self.context.wait(submission)
    }

    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<(), String> {
        self.buffers.borrow_mut().read_device(&self.context, at, into)
    }

    fn pin_ns(&self) -> u64 {
        0
    }
}

/// What is submitted together.
struct Batch {
    encoder: CommandEncoder,
    parameters: Vec<u8>,
    dispatches: usize,
    bytes: u64,
}

impl Batch {
    fn dispatch(&mut self, step: &Step, group: &BindGroup, counter: u128, at: u64, length: u64) {
        let offset = self.dispatches as u64 * STRIDE;
        self.parameters.resize(offset as usize, 0);
        self.parameters.extend(step.parameters(counter, at, length));
        step.dispatch(&mut self.encoder, group, offset as u32, length);
    }

    fn submit(&mut self, context: &Context, parameters: &Buffer) -> SubmissionIndex {
        if !self.parameters.is_empty() {
            context.queue.write_buffer(parameters, 0, &self.parameters);
        }
        let encoder = std::mem::replace(&mut self.encoder, context.encoder());
        self.parameters.clear();
        (self.dispatches, self.bytes) = (0, 0);
        context.submit(encoder)
    }
}
