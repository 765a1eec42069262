//! What a journal comes to.

use std::collections::HashMap;

use crate::journal::{Entry, Journal};
use crate::parts::Parts;
use crate::ranges::Ranges;

/// What the entries of a journal come to.
#[derive(Default)]
pub(super) struct Replayed {
    /// What is on disk of each file, if its part still exists.
    pub(super) have: HashMap<u32, Ranges>,
    /// Every part was complete, and renaming may have begun.
    pub(super) placing: bool,
    /// The number of the last attempt, if one was recorded.
    pub(super) attempts: Option<u32>,
}

impl Replayed {
    /// Of a state folder, which stays as it is; `None` where the journal cannot be read.
    pub(super) fn read(parts: &Parts) -> Option<Self> {
        let mut replayed = Self::default();
        if let Some(file) = parts.journal_to_read().ok()? {
            Journal::look(&file, |entry| replayed.take(&entry)).ok()?;
        }
        Some(replayed)
    }

    /// The next entry.
    pub(super) fn take(&mut self, entry: &Entry) {
        match *entry {
            // Two attempts may have recorded the same piece; one record is enough.
            Entry::Piece { file, offset, length } => drop(self.have.entry(file).or_default().add(offset, length)),
            Entry::Restart { file, .. } => drop(self.have.remove(&file)),
            Entry::Placing => self.placing = true,
            Entry::Attempt { number } => self.attempts = Some(number),
        }
    }
}
