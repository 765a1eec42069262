// How a message is split, and which place of the key stream a part begins at (PROTOCOL.md, Slices).
#ifndef SLICES_H
#define SLICES_H

#include <stdint.h>

#define UNIT        64u // bytes; slices begin at multiples of it
#define MAX_THREADS 1024u

// Bytes `begin` to `end` of a message, without `end`.
struct part {
    uint64_t begin, end;
};

// The contiguous slice of a thread. No product overflows: 1024 threads times 2^34 units.
static inline struct part slice_of(uint64_t bytes, uint64_t threads, uint64_t thread) {
    uint64_t units = bytes / UNIT + (bytes % UNIT != 0);
    struct part part = {thread * units / threads * UNIT, (thread + 1) * units / threads * UNIT};
    if (part.end > bytes)
        part.end = bytes;
    if (part.begin > bytes)
        part.begin = bytes;
    return part;
}

// How many chunks of `chunk` bytes a message has.
static inline uint64_t chunks_of(uint64_t bytes, uint64_t chunk) {
    return bytes / chunk + (bytes % chunk != 0);
}

static inline struct part chunk_of(uint64_t bytes, uint64_t chunk, uint64_t number) {
    struct part part = {number * chunk, (number + 1) * chunk};
    if (part.end > bytes)
        part.end = bytes;
    return part;
}

// The counter block `blocks` after `start`: a 128-bit big-endian sum with all its carries.
static inline void counter_at(uint8_t counter[16], const uint8_t start[16], uint64_t blocks) {
    for (int i = 15; i >= 0; i--) {
        blocks += start[i]; // below 2^37: no overflow
        counter[i] = (uint8_t)blocks;
        blocks >>= 8;
    }
}

// The nonce of an iteration: its number in bytes 0 to 7, big-endian, and zeros.
static inline void nonce_of(uint8_t nonce[16], uint64_t iteration) {
    for (int i = 0; i < 16; i++)
        nonce[i] = i < 8 ? (uint8_t)(iteration >> (56 - 8 * i)) : 0;
}

#endif
