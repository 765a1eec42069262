// The rows of PROTOCOL.md's table that this worker knows, and their known answers.
#ifndef ALGORITHMS_H
#define ALGORITHMS_H

#include "text.h"

#include <stdint.h>

struct algorithm {
    const char *name;
    uint8_t key, nonce; // bytes
    // One after another: the length of the aad and of the message, a byte each; key, nonce, aad, message, ciphertext,
    // tag. 255 ends them.
    const FLASH uint8_t *answers;
};

#define ALGORITHMS 7

// In answers.c, which answers.py makes.
extern const struct algorithm algorithms[ALGORITHMS];

#endif
