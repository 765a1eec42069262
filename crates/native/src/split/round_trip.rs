//! The way back: iterations are undone, and the CRC-32 of what comes back is that of the message, or not.

use crc32fast::Hasher;

use super::cell::SplitThread;
use super::sample::ThreadJob;
use crate::cell_thread::ThreadFailure;

/// Undoes iterations `first` to `last` on the thread's slice, and begins the CRC-32 of what is there then.
pub fn undo(mut job: ThreadJob, thread: &mut SplitThread, first: u64, last: u64) -> Result<Hasher, ThreadFailure> {
    for iteration in (first..=last).rev() {
        // Encrypting again under the same key and counters undoes it.
        job.encrypt_slice(thread, iteration)?;
    }
    let mut hasher = Hasher::new();
    hasher.update(job.slice());
    Ok(hasher)
}

/// The CRC-32 of slices that follow one another.
pub fn combined(slices: impl IntoIterator<Item = Hasher>) -> u32 {
    let mut whole = Hasher::new();
    slices.into_iter().for_each(|slice| whole.combine(&slice));
    whole.finalize()
}
