#include "sample.h"

#include "cells.h"
#include "extras.h"
#include "offers.h"
#include "port.h"
#include "reply.h"
#include "ticks.h"

static struct work work;

static struct {
    const struct cell *cell; // NULL: nothing is left
    uint64_t first, last;
} left;

struct work *sample_work(void) {
    left.cell = 0;
    return &work;
}

void sample_forget(void) {
    left.cell = 0;
}

const struct work *sample_left(const struct cell *cell, uint64_t first, uint64_t last) {
    return left.cell == cell && left.first == first && left.last == last ? &work : 0;
}

struct stretch sample_repeat(struct cell *cell, uint32_t count) {
    uint64_t first = cell->last + 1;
    cell->last += count;
    return work_run(&work, first, count);
}

// Iterations until at least `wanted` ns have passed, in batches, so that the counter is read rarely. Where the counter
// counts something else than time, one.
static enum outcome warm_up(struct cell *cell, uint64_t wanted) {
    if (wanted == 0)
        return DONE;
    if (ticks_are_counts())
        return sample_repeat(cell, 1).outcome;
    uint32_t batch = 1;
    uint64_t begin = port_ticks(), passed = 0;
    while (passed < wanted) {
        struct stretch stretch = sample_repeat(cell, batch);
        if (stretch.outcome != DONE)
            return stretch.outcome;
        passed = ticks_worth(port_ticks() - begin);
        // Batches double, but do not go far beyond the end.
        uint64_t each = ticks_worth(stretch.ticks) / batch + 1,
                 most = passed < wanted ? (wanted - passed) / each + 1 : 1;
        batch = most < batch ? (uint32_t)most : batch < UINT32_MAX / 2 ? batch * 2 : batch;
    }
    return DONE;
}

void sample_failed(enum outcome outcome, const struct cell *cell) {
    reply_error(outcome == REJECTED ? TEXT("cell % failed: the library rejects the tag; leave this offer out")
                                    : TEXT("cell % failed: the library reports an error; leave this offer out"),
                cell->number);
}

bool sample_begin(struct cell *cell, uint64_t warmup) {
    sample_forget();
    enum outcome outcome = work_set_up(&work, cell);
    if (outcome == DONE)
        outcome = warm_up(cell, warmup);
    if (outcome != DONE)
        sample_failed(outcome, cell);
    return outcome == DONE;
}

static void reply_known(flash_text key, uint32_t number, bool known) {
    if (known)
        reply_number(key, number);
    else
        reply_null(key);
}

static void reply_sample(const struct cell *cell, struct stretch stretch, uint64_t first, uint32_t iterations) {
    const struct footprint *footprint = offers_footprint(&cell->what);
    uint32_t state = cell->what.offer->state;
    reply_is(TEXT("sample"));
    reply_number(TEXT("cell"), cell->number);
    reply_number(TEXT("iterations"), iterations);
    reply_number(ticks_key(), ticks_worth(stretch.ticks));
    reply_number(TEXT("first"), first);
    reply_number(TEXT("last"), cell->last);
    reply_known(TEXT("stack_bytes"), stretch.stack, stretch.stack != STACK_UNKNOWN);
    reply_known(TEXT("state_bytes"), state + (footprint ? footprint->ram : 0), state > 0);
    reply_known(TEXT("code_bytes"), footprint ? footprint->code : 0, footprint != 0);
#ifdef EXTRAS
    extras_sample(cell, &stretch, iterations);
#endif
    reply_end();
}

void answer_sample(struct request *request) {
    uint64_t warmup = request_number_or(request, TEXT("warmup_ns"), 0, 0, MAX_NUMBER);
    uint32_t iterations = (uint32_t)request_number(request, TEXT("iterations"), 1, UINT32_MAX);
    struct cell *cell = cell_of(request);
    if (!cell)
        return;
    uint64_t first = cell->last + 1;
    if (!sample_begin(cell, warmup))
        return;
#ifdef EXTRAS
    extras_begin();
#endif
    struct stretch stretch = sample_repeat(cell, iterations);
#ifdef EXTRAS
    extras_end();
#endif
    if (stretch.outcome != DONE) {
        sample_failed(stretch.outcome, cell);
        return;
    }
    left.cell = cell;
    left.first = first;
    left.last = cell->last;
    reply_sample(cell, stretch, first, iterations);
}

void answer_release(struct request *request) {
    struct cell *cell = cell_of(request);
    if (!cell)
        return;
    cell->used = false;
    if (left.cell == cell)
        sample_forget();
    reply_is(TEXT("released"));
    reply_number(TEXT("cell"), cell->number);
    reply_end();
}
