// A prepared cell: only its parameters. What it needs in memory is set up when it runs.
#ifndef CELL_H
#define CELL_H

#include "algorithms.h"
#include "component.h"

enum operation { SEAL, OPEN, KEY_SETUP };

// What a request is about.
struct choice {
    const struct component *component;
    const struct offer *offer;
    const struct algorithm *algorithm;
    uint8_t operation; // enum operation
    uint8_t form;      // enum form
};

struct cell {
    struct choice what;
    uint64_t seed;
    uint64_t last; // the last iteration; 0 is digest's
    size_t message, aad;
    uint32_t number;
    uint16_t offset;
    bool used;
};

#endif
