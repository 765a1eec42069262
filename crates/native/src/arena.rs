//! The one page-aligned block of memory from which all cells take their buffers, so that no figure depends on where an
//! allocator puts them.

use std::io;

use memmap2::MmapMut;

/// Buffers begin at multiples of this many bytes (plus the cell's offset), whatever the system's page size.
pub const PAGE: usize = 4096;

/// Memory that grows on demand and never shrinks.
#[derive(Default)]
pub struct Arena {
    memory: Option<MmapMut>,
}

impl Arena {
    /// Its size in bytes.
    pub fn len(&self) -> usize {
        self.memory.as_ref().map_or(0, |memory| memory.len())
    }

    /// Makes it at least `bytes` large; growing discards its contents.
    pub fn grow(&mut self, bytes: usize) -> io::Result<()> {
        if bytes > self.len() {
            // The old pages are freed first, so that both are never allocated at once.
            self.memory = None;
            self.memory = Some(MmapMut::map_anon(bytes.next_multiple_of(PAGE))?);
        }
        Ok(())
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
}
