//! The memory of a split message: its place in the arena, and the parts of it that threads get.

use std::ops::Range;

use ciphermeter_core::Algorithm;

use super::part::Part;
use crate::arena::{Arena, PAGE, Split};

/// Where a message lies in the arena.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// Bytes of the message.
    pub message: usize,
    /// Where it begins, in bytes from the arena's start.
    offset: usize,
    /// Whether there is a second buffer: a copy has two sides.
    copies: bool,
}

impl Place {
    /// A message of so many bytes, `offset` bytes into the arena.
    pub fn new(algorithm: Algorithm, message: usize, offset: usize) -> Self {
        Self { message, offset, copies: algorithm == Algorithm::Memcpy }
    }

    /// The bytes that it takes of the arena.
    pub fn bytes(&self) -> usize {
        let buffers = if self.copies { 2 } else { 1 };
        self.stride().saturating_mul(buffers).saturating_add(self.offset)
    }

    /// Which of its pages are whose.
    pub fn split(&self, threads: u64) -> Split {
        Split { offset: self.offset, message: self.message, threads }
    }

    fn stride(&self) -> usize {
        self.message.checked_next_multiple_of(PAGE).unwrap_or(usize::MAX)
    }

    /// The message as it is now.
    pub fn bytes_in<'a>(&self, arena: &'a mut Arena) -> Result<&'a mut [u8], String> {
        let memory = arena.bytes().get_mut(self.offset..self.offset + self.message);
        memory.ok_or_else(|| "the arena is lost; free some memory".into())
    }

    /// The message for the threads of one job each.
    ///
    /// # Safety
    /// The arena must stay borrowed until all of these jobs have ended.
    pub unsafe fn shared(&self, arena: &mut Arena) -> Result<SharedMessage, String> {
        if arena.len() < self.bytes() {
            return Err("the arena is lost; free some memory".into());
        }
        // SAFETY: the arena has that many bytes.
        let start = unsafe { arena.bytes().as_mut_ptr().add(self.offset) };
        let copy = if self.copies { start.wrapping_add(self.stride()) } else { start };
        Ok(SharedMessage { start, copy, len: self.message })
    }
}

/// A message that threads work on together, each on parts of its own.
#[derive(Clone, Copy)]
pub struct SharedMessage {
    start: *mut u8,
    /// Where it is copied to; the start where nothing is.
    copy: *mut u8,
    len: usize,
}

// SAFETY: a borrow of bytes that belong to no thread; `part` and `bytes` are for one thread each.
unsafe impl Send for SharedMessage {}

impl SharedMessage {
    /// How long the message is.
    pub fn len(&self) -> u64 {
        self.len as u64
    }

    /// Some bytes of the message, to set up or to read.
    ///
    /// # Safety
    /// No other thread may use these bytes at the same time.
    pub unsafe fn bytes(&mut self, range: Range<u64>) -> &mut [u8] {
        let range = self.within(range);
        // SAFETY: within the message, which `Place::shared` was promised to outlive this.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start), range.len()) }
    }

    /// A part of it to encrypt, or to copy.
    ///
    /// # Safety
    /// No other thread may use these bytes at the same time.
    pub unsafe fn part(&mut self, range: Range<u64>) -> Part<'_> {
        let range = self.within(range);
        // SAFETY: as in `bytes`; a copy lies beyond the message, and is as long.
        unsafe { Part::from_raw(self.start.add(range.start), self.copy.add(range.start), range.len()) }
    }

    /// Clipped to the message.
    fn within(&self, range: Range<u64>) -> Range<usize> {
        let end = usize::try_from(range.end).unwrap_or(usize::MAX).min(self.len);
        usize::try_from(range.start).unwrap_or(usize::MAX).min(end)..end
    }
}
