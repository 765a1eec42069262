//! From one mapped file to another, a window at a time, so that only so much of either is mapped at once.

use std::ops::Range;

use memmap2::MmapOptions;

use super::{Files, bus};
use crate::split::part::{Part, PartCipher};
use crate::timed_loop::Failed;

/// Bytes of a window: many pages for each call of the system, and little memory for each thread.
const WINDOW: u64 = 64 << 20;

/// Encrypts a range of the input into the output.
pub fn encrypt(files: &Files, cipher: &mut dyn PartCipher, start: u128, range: Range<u64>) -> Result<(), Failed> {
    let mut begin = range.start;
    while begin < range.end {
        let end = range.end.min(begin + WINDOW);
        window(files, cipher, start, begin..end)?;
        begin = end;
    }
    Ok(())
}

fn window(files: &Files, cipher: &mut dyn PartCipher, start: u128, range: Range<u64>) -> Result<(), Failed> {
    let not = |why: std::io::Error| Failed::File(format!("mapping a file failed: {why}; free some memory"));
    let length = (range.end - range.start) as usize;
    let mut options = MmapOptions::new();
    // Pages come on demand: all at once was slower (PARALLEL.md).
    options.offset(range.start).len(length);
    // SAFETY: what other programs do to files of the user's own only changes bytes that are checked later; other files have no
    // name. Threads write to parts that do not overlap. If a file shrinks nevertheless, `bus` puts memory where it was.
    let (input, mut output) =
        unsafe { (options.map(&files.input).map_err(not)?, options.map_mut(&files.output).map_err(not)?) };
    let part = Part::apart(&input, &mut output);
    bus::watch(|| cipher.encrypt(start, range.start, part)).map_err(|bus::Missing| files.missing_page())?
}
