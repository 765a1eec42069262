//! The form `end-to-end`: chunks of a message in pinned memory are copied in, encrypted and copied back over itself,
//! each chunk in one of several streams: while the card works on one, its two copy engines move others.

use std::cell::RefCell;
use std::rc::Rc;

use super::buffers::{Buffers, CHUNK, SLOTS, chunks};
use super::context::Context;
use super::step::Step;
use crate::card::{Message, Refused, Work};
use crate::text::Text;

/// A message that goes through the card.
pub struct Streams {
    context: Rc<Context>,
    buffers: Rc<RefCell<Buffers>>,
    step: Step,
    work: Work,
    bytes: u64,
    slots: usize,
}

impl Streams {
    pub fn new(context: Rc<Context>, buffers: Rc<RefCell<Buffers>>, work: Work, bytes: u64) -> Result<Self, Refused> {
        let slots = SLOTS.min(bytes.div_ceil(CHUNK)) as usize;
        buffers.borrow_mut().reserve_pinned(bytes)?;
        buffers.borrow_mut().reserve_slots(slots, CHUNK.min(bytes))?;
        let step = Step::new(&context, &work)?;
        Ok(Self { context, buffers, step, work, bytes, slots })
    }
}

impl Message for Streams {
    fn set_up(&mut self, text: &Text) -> Result<(), String> {
        let mut buffers = self.buffers.borrow_mut();
        let pinned = buffers.pinned.as_mut().ok_or("no memory is pinned; prepare the cell again")?;
        text.fill(0, &mut pinned.bytes()[..self.bytes as usize]);
        Ok(())
    }

    fn run(&mut self, mut counters: &mut dyn Iterator<Item = u128>) -> Result<(), String> {
        let Buffers { pinned, slots, .. } = &mut *self.buffers.borrow_mut();
        let host = pinned.as_mut().ok_or("no memory is pinned; prepare the cell again")?.bytes();
        let wait = || slots[..self.slots].iter().try_for_each(|slot| slot.stream.wait());
        let result = Iterator::try_for_each(&mut counters, |counter| {
            for (number, (at, length)) in chunks(self.bytes, CHUNK).enumerate() {
                // A stream does what it is given in order, so a slot's memory is free when its next chunk arrives.
                let slot = &slots[number % self.slots];
                let chunk = &mut host[at as usize..(at + length) as usize];
                if self.work.copies_in() {
                    // SAFETY: nothing touches the host's memory until all streams have been waited for, below.
                    unsafe { slot.memory.queue_write(chunk, &slot.stream) }?;
                }
                self.step.queue(&self.context, counter, at, (slot.memory.address, length), Some(&slot.stream))?;
                if self.work.copies_out() {
                    // SAFETY: as above.
                    unsafe { slot.memory.queue_read(chunk, &slot.stream) }?;
                }
            }
            // An iteration begins when the one before it is done.
            wait()
        });
        // After a failure, too: what is on its way writes to the host's memory.
        result.and(wait())
    }

    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<(), String> {
        let mut buffers = self.buffers.borrow_mut();
        let pinned = buffers.pinned.as_mut().ok_or("no memory is pinned; prepare the cell again")?;
        into.copy_from_slice(&pinned.bytes()[at as usize..at as usize + into.len()]);
        Ok(())
    }

    fn pin_ns(&self) -> u64 {
        self.buffers.borrow().pin_ns
    }
}
