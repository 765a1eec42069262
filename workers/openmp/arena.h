// The one page-aligned block of memory that all cells share, so that no figure depends on where an allocator puts a
// buffer.
#ifndef ARENA_H
#define ARENA_H

#include <stdbool.h>
#include <stdint.h>

struct arena {
    uint8_t *memory;
    uint64_t bytes;
    uint64_t used; // from its start, at most: what the system has really given
    // How the cell that set it up last had split it.
    uint64_t message, offset, threads;
};

// Makes it at least `bytes` large; growing discards its contents. False: the system refused, and the arena is empty.
bool arena_grow(struct arena *arena, uint64_t bytes);

// To be called before the threads set up a message. On a machine of several NUMA nodes, pages that other threads had
// touched are given back where the slices are others than last time, so that each thread's become near it.
void arena_place(struct arena *arena, uint64_t message, uint64_t offset, uint64_t threads);

// Gives it back to the system.
void arena_free(struct arena *arena);

#endif
