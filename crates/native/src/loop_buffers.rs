//! What the timed loop works on: buffers that were set up beforehand, and each call's view of them.

use std::marker::PhantomData;

use aes_gcm::aead::inout::{InOutBuf, InOutBufReserved};

use crate::providers::padding::BLOCK;

/// Bytes of the usual tag, and of the longest padding.
pub const TAG: usize = 16;

/// What the first 8 bytes of the nonce are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbering {
    /// The same in each iteration.
    None,
    /// The iteration's number, big-endian.
    BigEndian,
    /// The sector's, which is that of the iteration, little-endian.
    Sector,
}

impl Numbering {
    /// Puts the number of iteration `i` into a nonce.
    #[inline(always)]
    pub fn write(self, nonce: &mut [u8], i: u64) {
        match self {
            Self::None => {}
            Self::BigEndian => nonce[..8].copy_from_slice(&i.to_be_bytes()),
            Self::Sector => nonce[..8].copy_from_slice(&i.to_le_bytes()),
        }
    }
}

/// The buffers of one thread between set-up and the last call. Made by [`crate::buffer_layout::BufferLayout::buffers`].
pub struct LoopBuffers<'a> {
    /// The nonce, or the raw key for `key-setup`.
    pub(crate) nonce: &'a mut [u8],
    pub(crate) numbering: Numbering,
    pub(crate) aad: &'a [u8],
    pub(crate) input: *const u8,
    pub(crate) input_len: usize,
    pub(crate) output: *mut u8,
    pub(crate) capacity: usize,
    pub(crate) tag: *mut u8,
    /// Its length; 0 where none lies beside a text. It goes round with its text.
    pub(crate) tag_len: usize,
    /// Sealed text that each call first copies over its input; null except for in-place opening.
    pub(crate) sealed: *const u8,
    /// How many of its bytes precede its text: the tag of algorithms that put it first.
    pub(crate) sealed_before: usize,
    pub(crate) sealed_len: usize,
    /// How many bytes a call must produce, where that is known beforehand.
    pub(crate) expected: Option<usize>,
    /// How many bytes the last call produced.
    pub(crate) produced: usize,
    /// Where in each buffer the part of the text begins that the next call works on.
    pub(crate) at: usize,
    /// Where in each buffer the texts of a batch begin.
    pub(crate) places: &'a [usize],
    /// What the last call allocated, in form `fresh`.
    pub(crate) fresh: &'a mut Vec<u8>,
    pub(crate) buffers: PhantomData<&'a mut [u8]>,
}

/// What one call gets: a view of the loop's buffers.
pub struct CallArguments<'a> {
    /// The nonce; for `key-setup` the raw key.
    pub nonce: &'a [u8],
    /// Associated data.
    pub aad: &'a [u8],
    /// The text to work on.
    pub text: Text<'a>,
    /// Where sealing puts the tag and opening finds it, in the forms `in-place` and `into` of an AEAD: right after the
    /// text (of the output when sealing, of the input when opening), or right before it where the tag comes first.
    pub tag: &'a mut [u8],
}

/// Input and output: the same memory or separate memory, never overlapping otherwise.
pub struct Text<'a> {
    input: *const u8,
    len: usize,
    output: *mut u8,
    capacity: usize,
    buffers: PhantomData<&'a mut [u8]>,
}

impl LoopBuffers<'_> {
    /// Has the next call work on the text whose part of each buffer begins at `at`: one of those that the buffers were set up with.
    #[inline]
    pub fn turn_to(&mut self, at: usize) {
        let by = at.wrapping_sub(self.at);
        self.at = at;
        self.input = self.input.wrapping_add(by);
        self.output = self.output.wrapping_add(by);
        if self.tag_len > 0 {
            self.tag = self.tag.wrapping_add(by);
        }
        if !self.sealed.is_null() {
            self.sealed = self.sealed.wrapping_add(by);
        }
    }

    /// What iteration `i` works on. In-place opening copies the sealed text back here, inside the timing.
    #[inline(always)]
    pub fn call(&mut self, i: u64) -> CallArguments<'_> {
        self.numbering.write(self.nonce, i);
        if !self.sealed.is_null() {
            let (to, from, before) = (self.output, self.sealed, self.sealed_before);
            // SAFETY: `BufferLayout::buffers` points `sealed` and `output` at texts with `sealed_before` bytes before
            // them, in buffers of at least `sealed_len` bytes from there that don't overlap; `input` reads where
            // `output` is.
            unsafe { to.sub(before).copy_from_nonoverlapping(from.sub(before), self.sealed_len) };
        }
        // SAFETY: nothing else touches the buffers for as long as `self` is borrowed.
        unsafe { self.view(self.nonce) }
    }

    /// The text that it was turned to, with a nonce.
    ///
    /// # Safety
    /// Nothing else touches that text for as long as the nonce is borrowed.
    #[inline(always)]
    pub(crate) unsafe fn view<'n>(&self, nonce: &'n [u8]) -> CallArguments<'n>
    where
        Self: 'n,
    {
        let (input, len, output, capacity) = (self.input, self.input_len, self.output, self.capacity);
        // SAFETY: `BufferLayout::buffers` points `tag` at so many bytes beside this text; the caller's promise.
        let tag = unsafe { std::slice::from_raw_parts_mut(self.tag, self.tag_len) };
        CallArguments { nonce, aad: self.aad, text: Text { input, len, output, capacity, buffers: PhantomData }, tag }
    }
}

impl<'a> Text<'a> {
    /// Length of the input in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the input has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Where to read, for libraries that take pointers.
    pub fn input(&self) -> *const u8 {
        self.input
    }

    /// Where to write, for libraries that take pointers; the same place in form `in-place`.
    pub fn output(&self) -> *mut u8 {
        self.output
    }

    /// Pads the input to whole blocks in the room behind it, as PKCS#7 does (RFC 5652, 6.3), and returns its new length: for
    /// libraries that take whole blocks in one piece.
    pub fn pad(&self) -> usize {
        let padding = BLOCK - self.len % BLOCK;
        // SAFETY: in either buffer of a text there is room for a block of padding, which belongs to this call.
        unsafe { self.input.cast_mut().add(self.len).write_bytes(padding as u8, padding) };
        self.len + padding
    }

    /// The input, for libraries that allocate their output.
    pub fn read(&self) -> &'a [u8] {
        // SAFETY: `input` holds `len` initialised bytes for 'a, and nothing is written while a call only reads.
        unsafe { std::slice::from_raw_parts(self.input, self.len) }
    }

    /// The bytes to overwrite, for libraries that only work in place.
    pub fn in_place(self) -> &'a mut [u8] {
        debug_assert_eq!(self.input, self.output.cast_const(), "only `in-place` cells work in place");
        // SAFETY: `output` holds at least `len` initialised bytes that this call alone may touch.
        unsafe { std::slice::from_raw_parts_mut(self.output, self.len) }
    }

    /// Input and output of equal length, as the RustCrypto crates take them.
    pub fn inout(self) -> InOutBuf<'a, 'a, u8> {
        // SAFETY: both hold `len` initialised bytes for 'a, are equal or apart, and are used by this call alone.
        unsafe { InOutBuf::from_raw(self.input, self.output, self.len) }
    }

    /// Input, and output with room for padding, as the RustCrypto crates take them.
    pub fn reserved(self) -> InOutBufReserved<'a, 'a, u8> {
        // SAFETY: as in `inout`; `capacity` is at least `len`, and all of it is initialised.
        unsafe { InOutBufReserved::from_raw(self.input, self.len, self.output, self.capacity) }
    }
}
