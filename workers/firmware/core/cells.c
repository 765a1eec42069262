#include "cells.h"

#include "arena.h"
#include "offers.h"
#include "reply.h"

static struct cell cells[MAX_CELLS];

static struct cell *find(uint32_t number) {
    for (uint16_t i = 0; i < MAX_CELLS; i++)
        if (cells[i].used && cells[i].number == number)
            return &cells[i];
    return 0;
}

struct cell *cell_of(struct request *request) {
    uint32_t number = (uint32_t)request_number(request, TEXT("cell"), 0, UINT32_MAX);
    if (request_failed(request))
        return 0;
    struct cell *cell = find(number);
    if (!cell)
        reply_error(TEXT("cell % is not prepared; send prepare first"), number);
    return cell;
}

// Room for a new cell; NULL: the refusal has been answered.
static struct cell *claim(uint32_t number) {
    if (find(number)) {
        reply_error(TEXT("cell % is prepared already; release it first"), number);
        return 0;
    }
    for (uint16_t i = 0; i < MAX_CELLS; i++)
        if (!cells[i].used)
            return &cells[i];
    reply_unsupported(TEXT("% cells are prepared, all that there is room for; release one"), MAX_CELLS);
    return 0;
}

void answer_prepare(struct request *request) {
    struct choice what;
    uint32_t number = (uint32_t)request_number(request, TEXT("cell"), 0, UINT32_MAX);
    uint64_t message = request_number(request, TEXT("message"), 0, UINT64_C(1) << 30);
    uint64_t aad = request_number_or(request, TEXT("aad"), 0, 0, UINT32_C(1) << 20);
    uint64_t threads = request_number_or(request, TEXT("threads"), 1, 1, MAX_NUMBER);
    uint64_t seed = request_number(request, TEXT("seed"), 0, MAX_NUMBER);
    uint16_t offset = (uint16_t)request_number_or(request, TEXT("offset"), 0, 0, MAX_OFFSET);
    if (offset % 64 != 0)
        request_fail(request, TEXT("the key `%` is not a multiple of 64; send one"), TEXT("offset"));
    if (request_failed(request) || !offers_choose(request, &what))
        return;
    if (threads != 1) {
        reply_unsupported(TEXT("% threads; this worker measures one"), threads);
        return;
    }
    if (message > MAX_MESSAGE || aad > MAX_MESSAGE) {
        reply_unsupported(TEXT("message and aad may have up to % bytes here"), MAX_MESSAGE);
        return;
    }
    struct cell *cell = claim(number);
    if (!cell)
        return;
    *cell = (struct cell){what, seed, 0, (size_t)message, (size_t)aad, number, offset, true};
    reply_is(TEXT("ready"));
    reply_number(TEXT("cell"), number);
    reply_end();
}
