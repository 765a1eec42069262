// Prepared cells: only their parameters. What they need in memory is set up when they run.
#ifndef CELLS_H
#define CELLS_H

#include "offers.h"
#include "request.h"

struct cell {
    struct choice what;
    uint64_t seed;
    uint64_t last; // the last iteration; 0 is digest's
    size_t message, aad;
    uint32_t number;
    uint16_t offset;
    bool used;
};

// The cell that a request names; NULL: the request has an error.
struct cell *cell_of(struct request *request);

// The answers to these requests.
void answer_prepare(struct request *request);
void answer_release(struct request *request);

#endif
