// The message buffers, which all cells share: whichever ran last owns their contents.
#ifndef ARENA_H
#define ARENA_H

#include "component.h"
#include "target.h"

#define MAX_OFFSET 4095u // bytes, of PROTOCOL.md

// The places of a message. `text` and `out` have room for a message and its tag, `aad` for MAX_MESSAGE bytes.
struct buffers {
    uint8_t *text, *out, *aad;
};

// The buffers for a message of `length` bytes. `offset` has a meaning only where target.h defines ARENA_OFFSETS.
struct buffers arena_buffers(size_t length, uint16_t offset);

#endif
