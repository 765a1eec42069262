"""The arena: one page-aligned block of memory from which all cells take their buffers, so that no figure depends on
where an allocator puts a buffer."""

from __future__ import annotations

import mmap

PAGE = 4096  # the alignment of buffers in bytes; a system's pages have this size or a multiple

LINE = 64  # bytes of most CPUs' cache lines, to which several texts are aligned

ROOM = 16  # what a buffer needs beyond the message: a tag, or the padding of CBC


class Arena:
    """Memory outside Python's heap. Its content belongs to the latest carver."""

    def __init__(self) -> None:
        self.memory = memoryview(b"")

    def at_least(self, size: int) -> memoryview:
        """Grows the arena to `size` bytes where it is smaller, which discards its contents.

        Raises OSError where the system has no memory.
        """
        if len(self.memory) < size:
            self.free()
            self.memory = memoryview(map_memory(round_up(size)))
        return self.memory

    def free(self) -> None:
        """Releases the memory; it is unmapped with the last buffer carved from it."""
        self.memory = memoryview(b"")


def map_memory(size: int) -> mmap.mmap:
    if hasattr(mmap, "MAP_PRIVATE"):  # otherwise the mapping is shared, for which the kernel uses another kind of pages
        return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    return mmap.mmap(-1, size)


class Carver:
    """Cuts buffers from an arena, each at the same offset into a page."""

    def __init__(self, memory: memoryview, offset: int) -> None:
        self.memory = memory
        self.at = offset

    def cut(self, n: int) -> memoryview:
        buffer = self.memory[self.at : self.at + n]
        self.at += round_up(n)
        return buffer


def round_up(n: int) -> int:
    return (n + PAGE - 1) // PAGE * PAGE
