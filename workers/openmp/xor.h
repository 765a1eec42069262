// `xor`: the message and a repeated key of any length. No cipher, but the cost of reading and writing every byte.
#ifndef XOR_H
#define XOR_H

#include <stdbool.h>
#include <stdint.h>

// A key, repeated so often that the loop over it is long, and 64 bytes further.
struct xor_key {
    uint8_t *bytes;
    uint64_t period; // bytes: a multiple of the key's length, at least 4096
};

// How much memory the repeated key of a length takes.
uint64_t xor_size(uint64_t length);

// False: out of memory.
bool xor_open(struct xor_key *key, const uint8_t *bytes, uint64_t length);

// Combines the text with the key from byte `at` of the message on. `at` is a multiple of 64.
void xor_apply(const struct xor_key *key, uint64_t at, uint8_t *text, uint64_t bytes);

// Clears and frees it.
void xor_close(struct xor_key *key);

// Which build of the loop this CPU runs: `avx512`, `avx2`, `sse2`, `neon`, or `soft`.
const char *xor_path(void);

#endif
