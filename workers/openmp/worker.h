// The worker's state, and the requests that it answers.
#ifndef WORKER_H
#define WORKER_H

#include "arena.h"
#include "reply.h"
#include "request.h"
#include "stream.h"
#include "team.h"

#define PROVIDER    "openmp"
#define CHUNK       (UINT64_C(1) << 20) // bytes, of the form `dynamic`
#define CHECK_CHUNK UINT64_C(64)        // the same in `check`

// A prepared cell. Between requests nothing of it lives but this.
struct cell {
    struct cell *next;
    uint64_t number, offset;
    uint64_t last;    // the last iteration; 0 is digest's
    struct work work; // its text is set when it runs
    uint8_t key[CTR_KEY];
    struct xor_key pad;
    uint8_t period[PERIOD]; // of the message
};

struct worker {
    const char *absent; // why nothing can be measured here, or NULL
    struct cell *cells;
    struct arena arena;
    // What the latest sample left in the arena; no cell: nothing.
    struct {
        struct cell *cell;
        uint64_t first, last;
    } left;
    bool peak_lost; // the system refused to reset the peak of the resident size
};

// The answer to one request, a list for `describe`; false: standard output is gone.
bool worker_answer(struct worker *worker, const char *line, size_t length);
void worker_free(struct worker *worker);

// The cell that a request names; NULL: the request has an error.
struct cell *worker_cell(struct worker *worker, struct request *request);

// Which work a request of `check` or `prepare` is about: algorithm and form, and for `check` whether it decrypts. NULL,
// or the refusal.
json_t *worker_work(struct worker *worker, struct request *request, bool check, struct work *work);

// Starts the cell's threads on the arena, each of which sets its slice of the message up; NULL, or the refusal. What a
// sample left is gone.
json_t *worker_start(struct worker *worker, struct cell *cell, struct team *team);

// Handlers, each in a file of its own.
json_t *worker_prepare(struct worker *worker, struct request *request);
json_t *worker_release(struct worker *worker, struct request *request);
json_t *worker_check(struct worker *worker, struct request *request);
json_t *worker_sample(struct worker *worker, struct request *request);
json_t *worker_latency(struct worker *worker, struct request *request);
json_t *worker_digest(struct worker *worker, struct request *request);
json_t *worker_verify(struct worker *worker, struct request *request);
json_t *worker_peek(struct worker *worker, struct request *request);
json_t *worker_clock(struct worker *worker, struct request *request);
json_t *worker_memory(struct worker *worker, struct request *request);

#endif
