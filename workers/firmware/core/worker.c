#include "worker.h"

#include "cells.h"
#include "clock.h"
#include "extras.h"
#include "latency.h"
#include "lines.h"
#include "offers.h"
#include "output.h"
#include "port.h"
#include "reply.h"
#include "sample.h"
#include "stack.h"
#include "target.h"
#include "ticks.h"

#include <string.h>

#ifndef WORKER
#define WORKER "firmware"
#endif

static void reply_worker(void) {
    const char *counts = port_unit().counts;
    reply_is(TEXT("worker"));
    reply_number(TEXT("protocol"), 1);
    reply_flash(TEXT("worker"), TEXT(WORKER));
#ifdef __clang__
    reply_flash(TEXT("runtime"), TEXT("clang " __clang_version__));
#else
    reply_flash(TEXT("runtime"), TEXT("gcc " __VERSION__));
#endif
    reply_number(TEXT("max_line"), MAX_LINE);
    reply_number(TEXT("max_message"), MAX_MESSAGE);
    if (counts)
        reply_text(TEXT("counts"), counts);
    reply_number(TEXT("emulated"), EMULATED);
    reply_flash(TEXT("board"), TEXT(BOARD));
#ifdef CLOCK_HZ
    reply_number(TEXT("clock_hz"), CLOCK_HZ);
#endif
#ifdef CODE_IN
    reply_flash(TEXT("code_in"), TEXT(CODE_IN));
#endif
#ifdef EXTRAS
    extras_worker();
#endif
    reply_end();
}

static void answer_describe(struct request *request) {
    (void)request;
    sample_forget(); // known answers use the buffers
    reply_worker();
    offers_list();
    reply_is(TEXT("end"));
    reply_end();
}

// There is no process, and a heap only on some boards; what a device can say is how deep its stack went.
static void answer_memory(struct request *request) {
    int reset = (int)request_number_or(request, TEXT("reset"), 0, 0, 1);
    if (request_failed(request))
        return;
    uint32_t stack = stack_peak(reset);
    reply_is(TEXT("memory"));
    reply_null(TEXT("rss"));
    reply_null(TEXT("peak_rss"));
    reply_null(TEXT("allocated"));
#ifdef EXTRAS
    extras_memory(stack);
#else
    reply_null(TEXT("heap"));
    reply_null(TEXT("peak_heap"));
    reply_null(TEXT("heap_free"));
    if (stack == STACK_UNKNOWN)
        reply_null(TEXT("stack"));
    else
        reply_number(TEXT("stack"), stack);
#endif
    reply_end();
}

static void answer_compilation(struct request *request) {
    (void)request;
    reply_unsupported(TEXT("nothing is compiled here while it runs"), 0);
}

static void answer(char *text, size_t length) {
    struct request request;
    request_parse(&request, text, length);
    const char *what = request_text(&request, TEXT("do"));
    if (request_failed(&request))
        return;
    void (*handler)(struct request *) = 0;
    if (strcmp(what, "sample") == 0)
        handler = answer_sample;
    else if (strcmp(what, "digest") == 0)
        handler = answer_digest;
    else if (strcmp(what, "check") == 0)
        handler = answer_check;
    else if (strcmp(what, "prepare") == 0)
        handler = answer_prepare;
    else if (strcmp(what, "release") == 0)
        handler = answer_release;
    else if (strcmp(what, "describe") == 0)
        handler = answer_describe;
    else if (strcmp(what, "clock") == 0)
        handler = answer_clock;
    else if (strcmp(what, "memory") == 0)
        handler = answer_memory;
    else if (strcmp(what, "latency") == 0)
        handler = answer_latency;
    else if (strcmp(what, "compilation") == 0)
        handler = answer_compilation;
    if (handler)
        handler(&request);
#ifdef EXTRAS
    else if (extras_answer(&request, what))
        return;
#endif
    else
        reply_error(TEXT("unknown request; see PROTOCOL.md"), 0);
}

void worker_run(void) {
    stack_begin(stack_pointer());
    for (;;) {
        struct line line;
        switch (lines_next(&line)) {
        case LINE_READ:
            answer(line.text, line.length);
            continue;
        case LINE_TOO_LONG:
            reply_error(TEXT("a line of more than % bytes; send a shorter one"), MAX_LINE);
            continue;
        case LINE_END:
            return;
        }
    }
}
