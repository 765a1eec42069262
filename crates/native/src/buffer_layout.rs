//! A cell's buffers: their number, their lengths, and their places in the arena.
//!
//! First come 64 bytes for the nonce, 64 spare ones and the aad, at their own place in a page; then the first buffer, then
//! the second one where the cell needs it, each at the cell's offset in a page. Both places may change from sample to
//! sample. The first buffer contains plaintext, or what overwrites it; the second the output of form `into`, or the sealed
//! text that opening consumes. A tag is adjacent to its text on the sealed side, so that libraries that take it separately
//! and libraries that take both as one work on the same bytes: right after the text, or right before it, at the end of a
//! page of its own.
//!
//! Where a cell goes round several texts, each buffer contains all of them, a stride apart, so that nothing but texts and
//! tags takes up a cache; a tag that precedes its text then lies in the cache line before it.

use std::marker::PhantomData;

use ciphermeter_core::{Algorithm, Family, Form, LINE, Operation, text_stride};
use ciphermeter_protocol::seed::fill;

use crate::arena::PAGE;
use crate::loop_buffers::{LoopBuffers, Numbering, TAG};
use crate::stream::Streams;

/// Room for the longest nonce, or for the longest raw key of `key-setup`.
const NONCE_ROOM: usize = 64;

/// Where the aad begins. The bytes before it are where the tag points for calls that have none.
const AAD: usize = 2 * NONCE_ROOM;

/// Sizes in bytes, and the operation.
#[derive(Debug, Clone)]
pub struct BufferLayout {
    pub algorithm: Algorithm,
    pub operation: Operation,
    pub form: Form,
    pub message: usize,
    pub sealed: usize,
    pub aad: usize,
    /// The place of the texts in a page, below [`PAGE`].
    pub offset: usize,
    /// The place of the nonce in a page, below [`PAGE`].
    pub nonce_at: usize,
    /// The nonce's length; the raw key's for `key-setup`.
    pub nonce: usize,
    /// How many texts the calls go round.
    pub texts: usize,
}

impl BufferLayout {
    /// Whether the library gets sealed text.
    pub fn opens(&self) -> bool {
        self.operation.consumes_sealed() && !self.algorithm.is_ceiling()
    }

    /// Whether each iteration works on the output of the one before it.
    pub fn chains(&self) -> bool {
        self.form == Form::InPlace && !self.opens() && !self.algorithm.is_ceiling()
    }

    /// Whether the output lies in a second buffer.
    fn is_apart(&self) -> bool {
        matches!(self.form, Form::Into | Form::Batch)
    }

    /// Whether the tag precedes the ciphertext in the sealed text.
    pub fn tag_first(&self) -> bool {
        self.algorithm == Algorithm::Aes256Siv
    }

    /// The bytes that the cell takes of the arena, wherever in their pages nonce and texts lie.
    pub fn bytes(&self) -> usize {
        self.harness() + PAGE + self.room() + if self.has_second() { self.room() } else { 0 }
    }

    /// The bytes before the page in which the texts begin.
    fn harness(&self) -> usize {
        (PAGE + AAD + self.aad).next_multiple_of(PAGE)
    }

    fn has_second(&self) -> bool {
        // A copy has two sides, whatever the form of its group.
        self.opens() || self.is_apart() || self.algorithm == Algorithm::Memcpy
    }

    /// Bytes of a buffer, what lies before its texts included.
    fn room(&self) -> usize {
        (self.texts * self.stride()).next_multiple_of(PAGE)
    }

    /// Bytes from the beginning of one text's part of a buffer to that of the next.
    pub fn stride(&self) -> usize {
        match (self.operation, self.texts) {
            (Operation::KeySetup, _) => 0,
            (_, 1) => self.lead() + self.whole().next_multiple_of(PAGE),
            _ => self.lead() + text_stride(self.algorithm, self.message as u64) as usize,
        }
    }

    /// Bytes of a text from its beginning on: the message, and whatever a library puts behind it.
    fn whole(&self) -> usize {
        self.sealed.max(self.message + TAG)
    }

    /// The offset of a text in its part of a buffer.
    fn lead(&self) -> usize {
        match (self.tag_first(), self.texts) {
            (false, _) => 0,
            (true, 1) => PAGE,
            (true, _) => LINE as usize,
        }
    }

    fn first(&self) -> usize {
        self.harness() + self.offset
    }

    fn second(&self) -> usize {
        self.first() + self.room()
    }

    /// The offset of sealed text in a buffer, before its tag or its ciphertext; `fresh` has it where a text begins.
    fn sealed_at(&self) -> usize {
        if self.form == Form::Fresh { self.lead() } else { self.lead() - self.tag_before() }
    }

    /// Bytes of a tag that precedes its text.
    fn tag_before(&self) -> usize {
        if self.tag_first() { self.algorithm.tag_bytes() } else { 0 }
    }

    /// Sets up the buffers of a cell of one text. Whatever may contain an older output is cleared, so that it cannot pass for
    /// a new one.
    pub fn fill(&self, memory: &mut [u8], streams: &Streams, sealed: &[u8]) {
        self.fill_texts(memory, streams, std::iter::once((0, sealed)));
    }

    /// Sets up the buffers: for each text the offset of its part in a buffer, and its sealed text where it is opened.
    pub fn fill_texts<'a>(&self, memory: &mut [u8], streams: &Streams, texts: impl Iterator<Item = (usize, &'a [u8])>) {
        let (harness, buffers) = memory[..self.bytes()].split_at_mut(self.first());
        let harness = &mut harness[self.nonce_at..];
        if self.operation == Operation::KeySetup {
            return harness[..self.nonce].copy_from_slice(&streams.key);
        }
        harness[..self.nonce].copy_from_slice(&streams.nonce);
        fill(&mut harness[AAD..AAD + self.aad], &streams.aad);
        let (first, second) = buffers.split_at_mut(self.room());
        for (at, sealed) in texts {
            let first = &mut first[at..][..self.stride()];
            let second = if self.has_second() { &mut second[at..][..self.stride()] } else { &mut [][..] };
            if self.opens() {
                first.fill(0);
                second[self.sealed_at()..][..sealed.len()].copy_from_slice(sealed);
            } else {
                fill(&mut first[self.lead()..][..self.message], &streams.message);
                second.fill(0);
            }
        }
    }

    /// What a loop works on, in memory that is set up. `exact`: a call that produces another number of bytes has
    /// failed.
    pub fn buffers<'a>(&self, memory: &'a mut [u8], fresh: &'a mut Vec<u8>, exact: bool) -> LoopBuffers<'a> {
        let (harness, texts) = memory[..self.bytes()].split_at_mut(self.first());
        let (nonce, rest) = harness[self.nonce_at..].split_at_mut(NONCE_ROOM);
        let (spare, aad) = rest.split_at_mut(AAD - NONCE_ROOM);
        let (first, second) = texts.split_at_mut(self.room());
        let spare = spare.as_mut_ptr();
        // SAFETY: where there is a text, a buffer is longer than its lead.
        let text_of = |buffer: &mut [u8]| unsafe { buffer.as_mut_ptr().add(self.lead()) };
        let (first, second) = match self.operation {
            Operation::KeySetup => (spare, spare),
            _ => (text_of(first), if self.has_second() { text_of(second) } else { spare }),
        };
        let opens = self.opens();
        let text = self.text();
        let restores = opens && self.form == Form::InPlace;
        let (input, output) = match (opens, self.form) {
            _ if self.algorithm == Algorithm::Memcpy => (first, second),
            (_, Form::InPlace) | (false, Form::Fresh) => (first, first),
            (false, _) => (first, second),
            (true, _) => (second, first),
        };
        // Adjacent to the output when sealing, to the input when opening; `fresh` includes it in its own text.
        let beside = if opens { input } else { output };
        let detached = self.algorithm.family() == Family::Aead
            && self.form != Form::Fresh
            && self.operation != Operation::KeySetup;
        LoopBuffers {
            numbering: self.numbering(),
            nonce: &mut nonce[..self.nonce],
            aad: &aad[..self.aad],
            input,
            input_len: text,
            output,
            // A key's setup has no text at all.
            capacity: self.stride().saturating_sub(self.lead()),
            tag: match (detached, self.tag_first()) {
                // SAFETY: a page lies before the text.
                (true, true) => unsafe { beside.sub(self.tag_before()) },
                // SAFETY: there is room for the whole sealed text.
                (true, false) => unsafe { beside.add(self.sealed - self.algorithm.tag_bytes()) },
                (false, _) => spare,
            },
            tag_len: if detached { self.algorithm.tag_bytes() } else { 0 },
            sealed: if restores { second } else { std::ptr::null() },
            sealed_before: self.tag_before(),
            sealed_len: self.sealed,
            expected: exact.then(|| self.expected()),
            produced: 0,
            at: 0,
            places: &[0],
            fresh,
            buffers: PhantomData,
        }
    }

    /// Opening is done under one nonce; what `key-setup` numbers is a key.
    fn numbering(&self) -> Numbering {
        let is_sector = self.algorithm.is_of_sectors() && self.operation != Operation::KeySetup;
        match self.opens() || self.nonce < 8 {
            true => Numbering::None,
            false if is_sector => Numbering::Sector,
            false => Numbering::BigEndian,
        }
    }

    /// Length of the text that a call gets.
    fn text(&self) -> usize {
        match (self.opens(), self.form) {
            _ if self.operation == Operation::KeySetup => 0,
            (false, _) => self.message,
            (true, Form::Fresh) => self.sealed,
            (true, _) => self.sealed - self.algorithm.tag_bytes(),
        }
    }

    /// How many bytes a call must produce.
    fn expected(&self) -> usize {
        match (self.operation, self.form) {
            (Operation::KeySetup, _) => 0,
            (Operation::Seal | Operation::Encrypt, Form::Fresh) => self.sealed,
            (Operation::Seal | Operation::Encrypt, _) => self.sealed - self.algorithm.tag_bytes(),
            _ => self.message,
        }
    }

    /// The two parts, in the order of the sealed text, of the output that a call of `produced` bytes left of the text whose part of
    /// a buffer begins at `at`.
    pub fn output<'a>(&self, memory: &'a [u8], fresh: &'a [u8], produced: usize, at: usize) -> [&'a [u8]; 2] {
        if self.form == Form::Fresh {
            return [fresh, &[]];
        }
        let buffer = if self.is_apart() && !self.opens() { self.second() } else { self.first() };
        let start = buffer + at + self.lead();
        let (text, end) = (&memory[start..start + produced], start + produced);
        match (self.operation, self.tag_first()) {
            (Operation::Seal, true) => [&memory[start - self.tag_before()..start], text],
            (Operation::Seal, false) => [text, &memory[end..end + self.algorithm.tag_bytes()]],
            _ => [text, &[]],
        }
    }
}
