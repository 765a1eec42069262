//! The form `pageable`: one chunk after another is handed to the driver from ordinary memory, encrypted and read back,
//! as a program does that cares for nothing.

use std::cell::RefCell;
use std::rc::Rc;

use wgpu::{BindGroup, MapMode};

use super::buffers::{Buffers, copy_out, pieces};
use super::context::Context;
use super::ring::CHUNK;
use super::step::Step;
use crate::card::{Message, Refused, Work};
use crate::text::Text;

/// A message that goes through the card.
pub struct Pageable {
    context: Rc<Context>,
    buffers: Rc<RefCell<Buffers>>,
    step: Option<Step>,
    work: Work,
    bytes: u64,
    chunk: u64,
    group: Option<BindGroup>,
}

impl Pageable {
    pub fn new(
        context: Rc<Context>,
        buffers: Rc<RefCell<Buffers>>,
        step: Option<Step>,
        work: Work,
        bytes: u64,
    ) -> Result<Self, Refused> {
        let chunk = CHUNK.min(context.part).min(bytes).max(64);
        buffers.borrow_mut().reserve_host(&context, bytes, chunk, 1)?;
        Ok(Self { context, buffers, step, work, bytes, chunk, group: None })
    }
}

impl Message for Pageable {
    fn set_up(&mut self, text: &Text) -> Result<(), String> {
        let mut buffers = self.buffers.borrow_mut();
        text.fill(0, &mut buffers.host[..self.bytes as usize]);
        let slot = &buffers.slots[0];
        self.group = self.step.as_ref().map(|step| step.bind(&self.context, &slot.work, &slot.parameters));
        Ok(())
    }

    fn run(&mut self, counters: &mut dyn Iterator<Item = u128>) -> Result<(), String> {
        let Buffers { host, slots, .. } = &mut *self.buffers.borrow_mut();
        let (context, slot) = (&self.context, &slots[0]);
        for counter in counters {
            for (at, length) in pieces(self.bytes, self.chunk) {
                let chunk = &mut host[at as usize..(at + length) as usize];
                let mut encoder = context.encoder();
                if self.work.copies_in() {
                    context.queue.write_buffer(&slot.work, 0, chunk);
                }
                if let Some((step, group)) = self.step.as_ref().zip(self.group.as_ref()) {
                    context.queue.write_buffer(&slot.parameters, 0, &step.parameters(counter, at, length));
                    step.dispatch(&mut encoder, group, 0, length);
                }
                if self.work.copies_out() {
                    encoder.copy_buffer_to_buffer(&slot.work, 0, &slot.down, 0, length);
                }
                let submission = context.submit(encoder);
                if self.work.copies_out() {
                    context.map(&slot.down, MapMode::Read, length);
                }
                context.wait(submission)?;
                if self.work.copies_out() {
                    copy_out(&slot.down, length, |view| chunk.copy_from_slice(view))?;
                }
            }
        }
        Ok(())
    }

    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<(), String> {
        let at = at as usize;
        into.copy_from_slice(&self.buffers.borrow().host[at..at + into.len()]);
        Ok(())
    }

    fn pin_ns(&self) -> u64 {
        self.buffers.borrow().pin_ns
    }
}
