// Bytes from a seed, as PROTOCOL.md defines them: the same in every worker.
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>
#include <stdint.h>

#define PERIOD 4093u

// The first PERIOD bytes of stream(label, seed, n), after which it repeats; false: libcrypto failed.
bool stream_period(uint8_t period[PERIOD], const char *label, uint64_t seed);

// Fills a buffer with bytes `from`, `from` + 1, … of the stream.
void stream_fill(uint8_t *buffer, uint64_t bytes, const uint8_t period[PERIOD], uint64_t from);

#endif
