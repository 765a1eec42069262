// The streams of a seed (PROTOCOL.md, "What a prepared cell does"): every worker makes the same bytes.
#ifndef STREAM_H
#define STREAM_H

#include "text.h"

#include <stddef.h>
#include <stdint.h>

void stream(flash_text label, uint64_t seed, uint8_t *bytes, size_t length);

#endif
