#include "output.h"

#include "cells.h"
#include "hash.h"
#include "offers.h"
#include "reply.h"
#include "sample.h"

#include <string.h>

#define MAX_INPUT 16384u              // bytes of any byte string
#define MAX_CHAIN (UINT32_C(1) << 24) // iterations

// The four byte strings of a check.
struct question {
    struct bytes key, nonce, aad, input;
};

// Whether sizes are right; if not, the refusal has been answered.
static bool fits(const struct question *question, const struct choice *what) {
    if (question->key.length != what->algorithm->key)
        reply_unsupported(TEXT("key of % bytes"), question->key.length);
    else if (question->nonce.length != what->algorithm->nonce)
        reply_unsupported(TEXT("nonce of % bytes; this worker takes the protocol's"), question->nonce.length);
    else if (question->aad.length > MAX_INPUT || question->input.length > MAX_INPUT + TAG)
        reply_error(TEXT("aad or input of more than % bytes; send a shorter one"), MAX_INPUT);
    else if (question->aad.length > MAX_MESSAGE || question->input.length > MAX_MESSAGE + TAG)
        reply_unsupported(TEXT("aad and input may have up to % bytes here"), MAX_MESSAGE);
    else
        return true;
    return false;
}

// The answer to a question whose sizes are right.
static void ask_library(const struct choice *what, const struct question *question) {
    bool seals = what->operation == SEAL;
    size_t length = question->input.length - (seals ? 0 : TAG);
    struct buffers buffers = arena_buffers(length, 0);
    struct work *work = sample_work();
    memcpy(work->key, question->key.data, question->key.length);
    memcpy(work->nonce, question->nonce.data, question->nonce.length);
    memcpy(buffers.aad, question->aad.data, question->aad.length);
    enum outcome outcome = work_begin(work, what, buffers);
    struct call *call = &work->call;
    memcpy((uint8_t *)call->input, question->input.data, length);
    call->length = length;
    call->aad_length = question->aad.length;
    call->tag = buffers.out + length;
    if (!seals)
        memcpy(call->tag, question->input.data + length, TAG);
    if (outcome == DONE)
        outcome = seals ? work_seal(work) : what->offer->open(call);
    if (outcome == DONE) {
        reply_is(TEXT("output"));
        reply_hex(TEXT("output"), call->output, length + (seals ? TAG : 0));
        reply_end();
    } else if (outcome == REJECTED) {
        reply_is(TEXT("rejected"));
        reply_end();
    } else {
        reply_error(TEXT("the library reports an error; leave this offer out"), 0);
    }
}

void answer_check(struct request *request) {
    struct choice what;
    struct question question = {
        request_bytes(request, TEXT("key")),
        request_bytes(request, TEXT("nonce")),
        request_bytes(request, TEXT("aad")),
        request_bytes(request, TEXT("input")),
    };
    if (!offers_choose(request, &what))
        return;
    if (what.operation == KEY_SETUP) {
        reply_unsupported(TEXT("check of key-setup, which has no output"), 0);
        return;
    }
    if (!fits(&question, &what))
        return;
    bytes_decode(&question.key);
    bytes_decode(&question.nonce);
    bytes_decode(&question.aad);
    bytes_decode(&question.input);
    if (what.operation == OPEN && question.input.length < TAG) {
        reply_is(TEXT("rejected"));
        reply_end();
        return;
    }
    ask_library(&what, &question);
}

// Makes the output of an iteration anew; NULL: the error has been answered.
static const struct work *make_anew(const struct cell *cell, uint64_t first, uint64_t last) {
    // In place, each iteration seals what the one before it left; elsewhere only the last one matters.
    bool chain = cell->what.form == IN_PLACE && cell->what.operation == SEAL;
    uint64_t count = chain ? last - first + 1 : 1;
    if (count > MAX_CHAIN) {
        reply_error(TEXT("a chain of % iterations; ask for up to 2^24"), count);
        return 0;
    }
    struct work *work = sample_work();
    enum outcome outcome = work_set_up(work, cell);
    if (outcome == DONE)
        outcome = work_run(work, last - count + 1, (uint32_t)count).outcome;
    if (outcome == DONE)
        return work;
    reply_error(TEXT("cell % failed: the library reports an error; leave this offer out"), cell->number);
    return 0;
}

void answer_digest(struct request *request) {
    uint64_t last = request_number(request, TEXT("iteration"), 0, MAX_NUMBER);
    uint64_t first = request_number_or(request, TEXT("first"), last, 0, MAX_NUMBER);
    if (first > last)
        request_fail(request, TEXT("`%` is beyond `iteration`; send one that is not"), TEXT("first"));
    struct cell *cell = cell_of(request);
    if (!cell)
        return;
    if (cell->what.operation == KEY_SETUP) {
        reply_unsupported(TEXT("digest of key-setup, which has no output"), 0);
        return;
    }
    const struct work *work = sample_left(cell, first, last);
    if (!work)
        work = make_anew(cell, first, last);
    if (!work)
        return;
    struct bytes output = work_output(work);
    uint8_t digest[HASH];
    hash_begin();
    hash_add(output.data, output.length);
    hash_end(digest);
    reply_is(TEXT("digest"));
    reply_number(TEXT("cell"), cell->number);
    reply_hex(TEXT("sha256"), digest, HASH);
    reply_end();
}
