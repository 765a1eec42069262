package main

// The arena: one page-aligned block of memory from which all cells take their
// buffers, so that no figure depends on where an allocator puts a buffer.

import "fmt"

// page is the alignment of buffers in bytes; a system's pages have this size or
// a multiple.
const page = 4096

// room is what a buffer needs beyond the message: a tag or the padding of CBC,
// each at most 16 bytes, and a nonce of at most 24 if one precedes the
// ciphertext.
const room = 16 + 24

type arena struct {
	memory []byte
}

// atLeast returns the arena, grown to size bytes if it is smaller, which
// discards its contents.
func (a *arena) atLeast(size uint64) ([]byte, error) {
	if uint64(len(a.memory)) < size {
		a.free()
		memory, err := mapMemory(int(roundUp(size)))
		if err != nil {
			return nil, fmt.Errorf("mapping %d bytes of memory: %w; use a smaller message", size, err)
		}
		a.memory = memory
	}
	return a.memory, nil
}

func (a *arena) free() {
	if a.memory != nil {
		unmapMemory(a.memory)
		a.memory = nil
	}
}

// carver cuts buffers from an arena, each at the same offset into a page.
type carver struct {
	memory []byte
	at     uint64
}

// cut returns the next n bytes; its capacity ends there too, so that no append
// can run into the next buffer.
func (c *carver) cut(n uint64) []byte {
	buffer := c.memory[c.at : c.at+n : c.at+n]
	c.at += roundUp(n)
	return buffer
}

func roundUp(n uint64) uint64 {
	return (n + page - 1) / page * page
}
