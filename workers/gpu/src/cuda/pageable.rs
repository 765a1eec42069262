//! The form `pageable`: one chunk after another is copied in from ordinary memory, encrypted and copied back, and each
//! step is waited for.

use std::cell::RefCell;
use std::rc::Rc;

use super::buffers::{Buffers, CHUNK, chunks};
use super::context::Context;
use super::kernels::wait_for_all;
use super::step::Step;
use crate::card::{Message, Refused, Work};
use crate::text::Text;

/// A message that goes through the card.
pub struct Pageable {
    context: Rc<Context>,
    buffers: Rc<RefCell<Buffers>>,
    step: Step,
    work: Work,
    bytes: u64,
}

impl Pageable {
    pub fn new(context: Rc<Context>, buffers: Rc<RefCell<Buffers>>, work: Work, bytes: u64) -> Result<Self, Refused> {
        buffers.borrow_mut().reserve_pageable(bytes)?;
        buffers.borrow_mut().reserve_slots(1, CHUNK.min(bytes))?;
        let step = Step::new(&context, &work)?;
        Ok(Self { context, buffers, step, work, bytes })
    }
}

impl Message for Pageable {
    fn set_up(&mut self, text: &Text) -> Result<(), String> {
        text.fill(0, &mut self.buffers.borrow_mut().pageable[..self.bytes as usize]);
        Ok(())
    }

    fn run(&mut self, counters: &mut dyn Iterator<Item = u128>) -> Result<(), String> {
        let Buffers { pageable, slots, .. } = &mut *self.buffers.borrow_mut();
        let memory = &slots[0].memory;
        for counter in counters {
            for (at, length) in chunks(self.bytes, CHUNK) {
                let chunk = &mut pageable[at as usize..(at + length) as usize];
                if self.work.copies_in() {
                    memory.write(0, chunk)?;
                }
                if self.work.has_kernel() {
                    self.step.queue(&self.context, counter, at, (memory.address, length), None)?;
                    wait_for_all()?;
                }
                if self.work.copies_out() {
                    memory.read(0, chunk)?;
                }
            }
        }
        Ok(())
    }

    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<(), String> {
        into.copy_from_slice(&self.buffers.borrow().pageable[at as usize..at as usize + into.len()]);
        Ok(())
    }

    fn pin_ns(&self) -> u64 {
        0
    }
}
