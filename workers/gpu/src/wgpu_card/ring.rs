//! The form `end-to-end`: chunks of a message in the host's memory go through a ring of mapped staging buffers, several
//! at once: while the card works on one, the host copies others in and out.

use std::cell::RefCell;
use std::rc::Rc;

use wgpu::{BindGroup, MapMode, SubmissionIndex};

use super::buffers::{Buffers, Slot, copy_out, pieces};
use super::context::Context;
use super::step::Step;
use crate::card::{Message, Refused, Work};
use crate::text::Text;

/// The most bytes of a chunk.
pub const CHUNK: u64 = 32 << 20;
/// The most chunks on their way.
const SLOTS: u64 = 4;

/// A message that goes through the card.
pub struct Ring {
    context: Rc<Context>,
    buffers: Rc<RefCell<Buffers>>,
    step: Option<Step>,
    work: Work,
    bytes: u64,
    chunk: u64,
    slots: usize,
    groups: Vec<BindGroup>,
}

/// A chunk on its way.
struct Flying {
    submission: SubmissionIndex,
    at: usize,
    length: u64,
}

impl Ring {
    pub fn new(
        context: Rc<Context>,
        buffers: Rc<RefCell<Buffers>>,
        step: Option<Step>,
        work: Work,
        bytes: u64,
    ) -> Result<Self, Refused> {
        let chunk = CHUNK.min(context.part).min(bytes).max(64);
        let slots = SLOTS.min(bytes.div_ceil(chunk)) as usize;
        buffers.borrow_mut().reserve_host(&context, bytes, chunk, slots)?;
        Ok(Self { context, buffers, step, work, bytes, chunk, slots, groups: Vec::new() })
    }

    fn begin(
        &self,
        host: &[u8],
        slot: &Slot,
        group: usize,
        counter: u128,
        at: u64,
        length: u64,
    ) -> Result<Flying, String> {
        let context = &self.context;
        let place = at as usize;
        let mut encoder = context.encoder();
        if self.work.copies_in() {
            let view = slot.up.slice(0..length).get_mapped_range_mut();
            let mut view =
                view.map_err(|error| format!("writing mapped memory failed: {error}; start the worker again"))?;
            view.copy_from_slice(&host[place..place + length as usize]);
            drop(view);
            slot.up.unmap();
            encoder.copy_buffer_to_buffer(&slot.up, 0, &slot.work, 0, length);
        }
        if let Some(step) = &self.step {
            context.queue.write_buffer(&slot.parameters, 0, &step.parameters(counter, at, length));
            step.dispatch(&mut encoder, &self.groups[group], 0, length);
        }
        if self.work.copies_out() {
            encoder.copy_buffer_to_buffer(&slot.work, 0, &slot.down, 0, length);
        }
        let submission = context.submit(encoder);
        if self.work.copies_out() {
            context.map(&slot.down, MapMode::Read, length);
        }
        if self.work.copies_in() {
            context.map(&slot.up, MapMode::Write, slot.up.size());
        }
        Ok(Flying { submission, at: place, length })
    }

    fn finish(&self, host: &mut [u8], slot: &Slot, flying: Flying) -> Result<(), String> {
        self.context.wait(flying.submission)?;
        if self.work.copies_out() {
            let into = &mut host[flying.at..flying.at + flying.length as usize];
            copy_out(&slot.down, flying.length, |view| into.copy_from_slice(view))?;
        }
        Ok(())
    }
}

impl Message for Ring {
    fn set_up(&mut self, text: &Text) -> Result<(), String> {
        let mut buffers = self.buffers.borrow_mut();
        text.fill(0, &mut buffers.host[..self.bytes as usize]);
        let bind = |step: &Step| {
            let slots = buffers.slots.iter();
            slots.map(|slot| step.bind(&self.context, &slot.work, &slot.parameters)).collect()
        };
        self.groups = self.step.as_ref().map(bind).unwrap_or_default();
        Ok(())
    }

    fn run(&mut self, counters: &mut dyn Iterator<Item = u128>) -> Result<(), String> {
        let Buffers { host, slots, .. } = &mut *self.buffers.borrow_mut();
        let mut ring: Vec<Option<Flying>> = (0..self.slots).map(|_| None).collect();
        for counter in counters {
            for (number, (at, length)) in pieces(self.bytes, self.chunk).enumerate() {
                let index = number % self.slots;
                if let Some(flying) = ring[index].take() {
                    self.finish(host, &slots[index], flying)?;
                }
                ring[index] = Some(self.begin(host, &slots[index], index, counter, at, length)?);
            }
            // An iteration begins when the one before it is done. The oldest chunk is finished first.
            let chunks = self.bytes.div_ceil(self.chunk) as usize;
            for index in (chunks..chunks + self.slots).map(|number| number % self.slots) {
                if let Some(flying) = ring[index].take() {
                    self.finish(host, &slots[index], flying)?;
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
