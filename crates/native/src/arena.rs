//! The one page-aligned block of memory from which all cells take their buffers, so that no figure depends on where an
//! allocator puts them.

use std::io;

use ciphermeter_host::cpus;
use memmap2::{MmapMut, UncheckedAdvice};

/// Buffers begin at multiples of this many bytes (plus the cell's offset), whatever the system's page size.
pub const PAGE: usize = 4096;

/// How a split message lies in the arena: which thread has which page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split {
    /// Where it begins, in bytes from the arena's start.
    pub offset: usize,
    /// Its bytes.
    pub message: usize,
    /// The threads that have slices of it.
    pub threads: u64,
}

/// Memory that grows on demand and never shrinks.
pub struct Arena {
    memory: Option<MmapMut>,
    /// So many bytes from its start have pages that the threads of split messages touched.
    touched: usize,
    /// The message whose threads did, where one did all.
    split: Option<Split>,
    /// Whether it matters which thread touches a page first: the page then lies near it.
    has_nodes: bool,
}

impl Default for Arena {
    fn default() -> Self {
        Self::with_nodes(cpus::memory_nodes() > 1)
    }
}

impl Arena {
    /// An empty one, on a machine that has several memory nodes or not.
    pub fn with_nodes(has_nodes: bool) -> Self {
        Self { memory: None, touched: 0, split: None, has_nodes }
    }

    /// Its size in bytes.
    pub fn len(&self) -> usize {
        self.memory.as_ref().map_or(0, |memory| memory.len())
    }

    /// Makes it at least `bytes` large; growing discards its contents.
    pub fn grow(&mut self, bytes: usize) -> io::Result<()> {
        if bytes > self.len() {
            // The old pages are freed first, so that both are never allocated at once.
            (self.memory, self.touched, self.split) = (None, 0, None);
            self.memory = Some(MmapMut::map_anon(bytes.next_multiple_of(PAGE))?);
        }
        Ok(())
    }

    /// Whether the first `bytes` bytes have pages.
    pub fn is_touched(&self, bytes: usize) -> bool {
        bytes <= self.touched
    }

    /// Whether they have, each near the thread that has it of that message.
    pub fn is_touched_by(&self, split: Split, bytes: usize) -> bool {
        self.is_touched(bytes) && (!self.has_nodes || self.split == Some(split))
    }

    /// Before the threads of a message touch its pages: where another's threads did and that matters, all pages are given back, and
    /// with them whatever is in the arena.
    pub fn begin_touch(&mut self, split: Split) {
        if let (true, Some(memory)) = (self.has_nodes && self.split != Some(split), &self.memory) {
            // SAFETY: nothing else borrows the mapping, which is private and anonymous: it reads as zeros afterwards.
            // Where it fails, pages stay where they are: slower on some machines, never wrong.
            let _ = unsafe { memory.unchecked_advise(UncheckedAdvice::DontNeed) };
            self.touched = 0;
        }
        self.split = None;
    }

    /// Its threads have touched the first `bytes` bytes.
    pub fn end_touch(&mut self, split: Split, bytes: usize) {
        (self.touched, self.split) = (self.touched.max(bytes), Some(split));
    }

    /// All of it.
    pub fn bytes(&mut self) -> &mut [u8] {
        self.memory.as_mut().map_or(&mut [], |memory| memory.as_mut())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grows_in_whole_pages_and_stays() {
        let mut arena = Arena::default();
        assert!(arena.bytes().is_empty());
        arena.grow(1).unwrap();
        arena.grow(0).unwrap();
        assert_eq!(arena.len(), PAGE);
        assert_eq!(arena.bytes().as_ptr() as usize % PAGE, 0);
        arena.grow(PAGE + 1).unwrap();
        assert_eq!(arena.bytes().len(), 2 * PAGE);
    }

    #[test]
    fn pages_of_a_message_that_was_split_otherwise_are_given_back_where_it_matters() {
        let split = |threads| Split { offset: 0, message: PAGE, threads };
        for (has_nodes, left) in [(false, 7), (true, if cfg!(target_os = "linux") { 0 } else { 7 })] {
            let mut arena = Arena::with_nodes(has_nodes);
            arena.grow(PAGE).unwrap();
            assert!(!arena.is_touched(1) && !arena.is_touched_by(split(1), PAGE));
            arena.begin_touch(split(1));
            arena.bytes().fill(7);
            arena.end_touch(split(1), PAGE);
            assert!(arena.is_touched_by(split(1), PAGE) && !arena.is_touched(PAGE + 1));
            assert_eq!(arena.is_touched_by(split(2), PAGE), !has_nodes);
            // A copy of the same message has a second buffer, beside what is there.
            arena.begin_touch(split(1));
            assert!(arena.is_touched(PAGE) && arena.bytes()[0] == 7);
            arena.end_touch(split(1), PAGE);
            arena.begin_touch(split(2));
            assert_eq!((arena.bytes()[0], arena.is_touched(PAGE)), (left, !has_nodes));
            arena.end_touch(split(2), PAGE);
            arena.grow(2 * PAGE).unwrap();
            assert!(!arena.is_touched(1), "it has new pages");
        }
    }
}
