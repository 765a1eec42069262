// SHA-256, for seed streams and digests. It comes from a library, whichever is at hand: components/hash_bearssl.c on
// devices, the measured library itself where it has SHA-256.
#ifndef HASH_H
#define HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH 32 // bytes

void hash_begin(void);
void hash_add(const void *bytes, size_t length);
void hash_end(uint8_t digest[HASH]);

#endif
