//! The form `device`: the message lies in the card's memory, and iterations follow each other in one stream.

use std::cell::RefCell;
use std::rc::Rc;

use super::buffers::{Buffers, chunks};
use super::context::Context;
use super::driver::{DeviceMemory, Stream};
use super::step::Step;
use crate::card::{Message, Refused, Work};
use crate::text::Text;

/// How much of the plaintext is copied at a time.
const UPLOAD: u64 = 16 << 20;
/// The stream is waited for after so many iterations: a queue is finite.
const MOST_QUEUED: usize = 256;

/// A message in the card's memory.
pub struct Device {
    context: Rc<Context>,
    buffers: Rc<RefCell<Buffers>>,
    step: Step,
    stream: Stream,
    bytes: u64,
}

impl Device {
    pub fn new(context: Rc<Context>, buffers: Rc<RefCell<Buffers>>, work: Work, bytes: u64) -> Result<Self, Refused> {
        buffers.borrow_mut().reserve_device(bytes, work == Work::Copy)?;
        let step = Step::new(&context, &work)?;
        let stream = Stream::new().map_err(Refused::Failed)?;
        Ok(Self { context, buffers, step, stream, bytes })
    }

    fn queue(&self, memory: &DeviceMemory, second: Option<&DeviceMemory>, counter: u128) -> Result<(), String> {
        match (&self.step, second) {
            _ if self.bytes == 0 => Ok(()),
            (Step::None, Some(second)) => memory.queue_copy(second, self.bytes, &self.stream),
            (step, _) => step.queue(&self.context, counter, 0, (memory.address, self.bytes), Some(&self.stream)),
        }
    }
}

impl Message for Device {
    fn set_up(&mut self, text: &Text) -> Result<(), String> {
        let buffers = self.buffers.borrow();
        let mut piece = vec![0; UPLOAD.min(self.bytes) as usize];
        for (at, length) in chunks(self.bytes, UPLOAD) {
            let piece = &mut piece[..length as usize];
            text.fill(at, piece);
            buffers.message.as_ref().ok_or("no memory is reserved; prepare the cell again")?.write(at, piece)?;
        }
        let Some(second) = buffers.second.as_ref().filter(|_| matches!(self.step, Step::None)) else { return Ok(()) };
        piece.fill(0);
        chunks(self.bytes, UPLOAD).try_for_each(|(at, length)| second.write(at, &piece[..length as usize]))
    }

    fn run(&mut self, counters: &mut dyn Iterator<Item = u128>) -> Result<(), String> {
        let buffers = self.buffers.borrow();
        let memory = buffers.message.as_ref().ok_or("no memory is reserved; prepare the cell again")?;
        let mut queued = 0;
        for counter in counters {
            self.queue(memory, buffers.second.as_ref(), counter)?;
            queued += 1;
            if queued % MOST_QUEUED == 0 {
                self.stream.wait()?;
            }
        }
        self.stream.wait()
    }

    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<(), String> {
        let buffers = self.buffers.borrow();
        buffers.message.as_ref().ok_or("no memory is reserved; prepare the cell again")?.read(at, into)
    }

    fn pin_ns(&self) -> u64 {
        0
    }
}
