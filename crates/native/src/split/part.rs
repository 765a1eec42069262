//! A part of a split message, and what encrypts it.

use std::marker::PhantomData;
use std::ops::Range;

use crate::loop_buffers::{LoopBuffers, Numbering};
use crate::timed_loop::{Failed, TimedLoop};

/// The most bytes of one call: the lengths of C libraries are an `int`.
const CALL: usize = 1 << 30;
/// Bytes of a block of AES.
const BLOCK: u64 = 16;

/// Bytes to read and bytes to write: the same ones, or others that do not overlap.
pub struct Part<'a> {
    pub input: *const u8,
    pub output: *mut u8,
    pub len: usize,
    memory: PhantomData<&'a mut [u8]>,
}

impl<'a> Part<'a> {
    /// A part to encrypt in place.
    pub fn in_place(bytes: &'a mut [u8]) -> Self {
        let (output, len) = (bytes.as_mut_ptr(), bytes.len());
        Self { input: output, output, len, memory: PhantomData }
    }

    /// A part to encrypt into another place of the same length.
    pub fn apart(input: &'a [u8], output: &'a mut [u8]) -> Self {
        debug_assert_eq!(input.len(), output.len());
        Self { input: input.as_ptr(), output: output.as_mut_ptr(), len: input.len(), memory: PhantomData }
    }

    /// A part of memory that is shared among threads.
    ///
    /// # Safety
    /// Input and output hold `len` initialised bytes for 'a, are equal or apart, and are used by nothing else meanwhile.
    pub unsafe fn from_raw(input: *const u8, output: *mut u8, len: usize) -> Self {
        Self { input, output, len, memory: PhantomData }
    }

    /// Some of its bytes; the range lies within it.
    fn range(&mut self, range: Range<usize>) -> Part<'_> {
        // SAFETY: the range lies within the part.
        let (input, output) = unsafe { (self.input.add(range.start), self.output.add(range.start)) };
        Part { input, output, len: range.len(), memory: PhantomData }
    }
}

/// Encrypts any part of a message. Encrypting twice gives the message back.
pub trait PartCipher {
    /// Encrypts a part that begins `at` bytes into the message, a multiple of [`super::slices::UNIT`]. `start` is the
    /// message's first counter block as a big-endian number, for ciphers that have one.
    fn encrypt(&mut self, start: u128, at: u64, part: Part<'_>) -> Result<(), Failed>;
}

/// The first counter block of an iteration: its number, then zeros.
pub fn start_of(iteration: u64) -> u128 {
    u128::from(iteration) << 64
}

/// Counter mode, by a library's loop for whole messages under any counter block.
pub struct CounterCipher {
    timed_loop: Box<dyn TimedLoop>,
    fresh: Vec<u8>,
}

impl CounterCipher {
    /// The loop encrypts in place or from one buffer into another, as its parts will be.
    pub fn new(timed_loop: Box<dyn TimedLoop>) -> Self {
        Self { timed_loop, fresh: Vec::new() }
    }
}

impl PartCipher for CounterCipher {
    fn encrypt(&mut self, start: u128, at: u64, mut part: Part<'_>) -> Result<(), Failed> {
        for call in (0..part.len).step_by(CALL) {
            let block = start.wrapping_add(u128::from((at + call as u64) / BLOCK));
            let mut nonce = block.to_be_bytes();
            let Part { input, output, len, .. } = part.range(call..part.len.min(call + CALL));
            let mut buffers = LoopBuffers {
                nonce: &mut nonce,
                numbering: Numbering::None,
                aad: &[],
                input,
                input_len: len,
                output,
                capacity: len,
                tag: std::ptr::dangling_mut(),
                tag_len: 0,
                sealed: std::ptr::null(),
                sealed_before: 0,
                sealed_len: 0,
                expected: Some(len),
                produced: 0,
                at: 0,
                places: &[0],
                fresh: &mut self.fresh,
                buffers: PhantomData,
            };
            self.timed_loop.run(&mut buffers, 0, 1)?;
        }
        Ok(())
    }
}
