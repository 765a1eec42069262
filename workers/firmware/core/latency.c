// `latency`: single calls, each between two readings of the clock.
#include "latency.h"

#include "cells.h"
#include "clock.h"
#include "reply.h"
#include "ticks.h"

#define MAX_COUNT 4000u

#if MAX_LATENCY > 0

void answer_latency(struct request *request) {
    static uint64_t times[MAX_LATENCY];
    uint64_t warmup = request_number_or(request, TEXT("warmup_ns"), 0, 0, MAX_NUMBER);
    uint16_t count = (uint16_t)request_number(request, TEXT("count"), 1, MAX_COUNT);
    struct cell *cell = cell_of(request);
    if (!cell)
        return;
    if (count > MAX_LATENCY) {
        reply_unsupported(TEXT("more than % single calls; send fewer"), MAX_LATENCY);
        return;
    }
    if (!sample_begin(cell, warmup))
        return;
    for (uint16_t i = 0; i < count; i++) {
        struct stretch stretch = sample_repeat(cell, 1);
        if (stretch.outcome != DONE) {
            sample_failed(stretch.outcome, cell);
            return;
        }
        times[i] = ticks_worth(stretch.ticks);
    }
    reply_is(TEXT("latency"));
    reply_number(TEXT("cell"), cell->number);
    reply_numbers(TEXT("ns"), times, count);
    reply_number(TEXT("clock_ns"), clock_call());
    reply_end();
}

#else

void answer_latency(struct request *request) {
    // What is wrong with the request comes first.
    (void)request_number_or(request, TEXT("warmup_ns"), 0, 0, MAX_NUMBER);
    (void)request_number(request, TEXT("count"), 1, MAX_COUNT);
    if (cell_of(request))
        reply_unsupported(TEXT("single calls; send sample"), 0);
}

#endif
