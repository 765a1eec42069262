//! The way back: iterations are undone, and the CRC-32 of what comes back is that of the message, or not.

use crc32fast::Hasher;

use super::files::{Files, pieces};
use super::part::{Part, start_of};
use super::sample::{Medium, ThreadJob};
use super::thread::SplitThread;
use crate::cell_thread::ThreadFailure;
use crate::timed_loop::Failed;

/// Undoes iterations `first` to `last` on the thread's slice, from file to file the last alone, and begins the CRC-32 of
/// what comes back.
pub fn undo(mut job: ThreadJob, thread: &mut SplitThread, first: u64, last: u64) -> Result<Hasher, ThreadFailure> {
    let range = job.range();
    if let Medium::Files(files) = &job.medium {
        return Ok(undo_file(files, thread, range, last)?);
    }
    for iteration in (first..=last).rev() {
        // Encrypting again under the same key and counters undoes it.
        job.encrypt_slice(thread, iteration)?;
    }
    let mut hasher = Hasher::new();
    if let Medium::Memory(message) = &mut job.medium {
        // SAFETY: slices do not overlap.
        hasher.update(unsafe { message.bytes(range) });
    }
    Ok(hasher)
}

fn undo_file(
    files: &Files,
    thread: &mut SplitThread,
    range: std::ops::Range<u64>,
    iteration: u64,
) -> Result<Hasher, Failed> {
    let (mut hasher, mut buffer) = (Hasher::new(), Vec::new());
    for piece in pieces(range) {
        buffer.resize((piece.end - piece.start) as usize, 0);
        files.read_output(piece.start, &mut buffer)?;
        thread.back.encrypt(start_of(iteration), piece.start, Part::in_place(&mut buffer))?;
        hasher.update(&buffer);
    }
    Ok(hasher)
}

/// The CRC-32 of slices that follow one another.
pub fn combined(slices: impl IntoIterator<Item = Hasher>) -> u32 {
    let mut whole = Hasher::new();
    slices.into_iter().for_each(|slice| whole.combine(&slice));
    whole.finalize()
}
