// A cell set up in memory, and the timed loop.
#ifndef WORK_H
#define WORK_H

#include "arena.h"
#include "cell.h"
#include "request.h"
#include "stack.h"

struct work {
    struct choice what;
    struct call call;
    const uint8_t *sealed; // what in-place open copies back in, tag behind it
    bool ready;            // the key is set up
    uint8_t nonce[MAX_NONCE], key[MAX_KEY];
};

// One stretch of calls.
struct stretch {
    uint64_t ticks;
    uint32_t stack; // bytes, or STACK_UNKNOWN
#ifdef PORT_CYCLES
    uint32_t cycles; // of the CPU, modulo 2^32: beside the ticks, where those are time
#endif
    enum outcome outcome;
};

// Sets the key up for a message in `buffers`, after releasing an older one.
enum outcome work_begin(struct work *work, const struct choice *what, struct buffers buffers);
void work_end(struct work *work);

// Seals once, untimed; every tag that this worker makes comes from here or from the timed loop.
enum outcome work_seal(const struct work *work);

// Sets a cell's buffers, key and nonces up from its seed, and clears the output.
enum outcome work_set_up(struct work *work, const struct cell *cell);

// Iterations `first` to `first + count - 1`, between two readings of the counter.
struct stretch work_run(struct work *work, uint64_t first, uint32_t count);

// The bytes that the latest iteration made, tag included where there is one.
struct bytes work_output(const struct work *work);

#endif
