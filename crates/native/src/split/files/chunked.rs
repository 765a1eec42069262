//! From one file to another, a chunk at a time, through a buffer of the thread's own: by direct I/O, or through the page cache.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use memmap2::MmapMut;

use super::{Files, read_input, shrank};
use crate::split::part::{Part, PartCipher};
use crate::split::slices::CHUNK;
use crate::timed_loop::Failed;

/// Offsets and lengths of direct I/O are multiples of this: no usual device has larger blocks.
const BLOCK: usize = 4096;

/// A thread's memory for a chunk, at the start of a page.
pub struct ChunkBuffer(MmapMut);

impl ChunkBuffer {
    /// Room for one.
    pub fn new() -> Result<Self, Failed> {
        let memory = MmapMut::map_anon(CHUNK as usize);
        memory.map(Self).map_err(|why| Failed::File(format!("no memory for a buffer: {why}; free some")))
    }
}

/// Encrypts a chunk of the input, which begins at a multiple of its size, into the output.
pub fn encrypt(
    files: &Files,
    cipher: &mut dyn PartCipher,
    start: u128,
    range: Range<u64>,
    buffer: &mut ChunkBuffer,
) -> Result<(), Failed> {
    let (input, output, block) = match &files.direct {
        Some((input, output)) => (input, output, BLOCK),
        None => (&files.input, &files.output, 1),
    };
    let length = (range.end - range.start) as usize;
    let whole = length.next_multiple_of(block);
    if whole == length {
        read_input(input, &mut buffer.0[..length], range.start)?;
    } else {
        // The last piece of a file is no multiple of a block, and reads as far as there is any.
        read_end(input, &mut buffer.0[..whole], length, range.start)?;
    }
    cipher.encrypt(start, range.start, Part::in_place(&mut buffer.0[..length]))?;
    buffer.0[length..whole].fill(0);
    let written = output.write_all_at(&buffer.0[..whole], range.start);
    // The output is longer than the message by what fills its last block.
    let cut = written.and_then(|()| if whole > length { output.set_len(files.bytes) } else { Ok(()) });
    cut.map_err(|why| Failed::File(format!("writing byte {} of the output failed: {why}", range.start)))
}

fn read_end(input: &File, buffer: &mut [u8], least: usize, at: u64) -> Result<(), Failed> {
    match input.read_at(buffer, at) {
        Ok(got) if got >= least => Ok(()),
        Ok(_) => Err(shrank("input", at + least as u64)),
        Err(why) => Err(Failed::File(format!("reading byte {at} of the input failed: {why}"))),
    }
}
