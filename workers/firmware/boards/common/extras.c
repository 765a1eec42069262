// The core's extras on a board: LED, cycles, charge, heap, and the page.
#include "extras.h"

#include "board.h"
#include "meter.h"
#include "page.h"
#include "port.h"
#include "reply.h"
#include "target.h"
#include "ticks.h"

#include <string.h>

static bool looked_for_meter;

// Once, when the harness first asks what is here.
static void open_meter(void) {
    if (!looked_for_meter)
        meter_open(METER_ADDRESS, METER_MILLIOHMS);
    looked_for_meter = true;
}

void extras_begin(void) {
    board_led(true);
    meter_start();
}

void extras_end(void) {
    board_led(false);
}

void extras_worker(void) {
    open_meter();
    reply_number(TEXT("clock_hz"), board_clock());
    if (meter_name()) {
        reply_text(TEXT("current_meter"), meter_name());
        reply_number(TEXT("current_window_ns"), METER_WINDOW_NS);
    }
}

// The counter of cycles has 32 bits.
static void reply_cycles(uint64_t ns, uint32_t cycles) {
    uint64_t wraps_ns = (UINT64_C(1) << 32) * 1000 / (board_clock() / 1000000 + 1);
    if (ns < wraps_ns)
        reply_number(TEXT("cycles"), cycles);
    else
        reply_null(TEXT("cycles"));
}

void extras_sample(const struct cell *cell, const struct stretch *stretch, uint32_t iterations) {
    static const char *const operations[] = {[SEAL] = "seal", [OPEN] = "open", [KEY_SETUP] = "key-setup"};
    const struct choice *what = &cell->what;
    struct reading reading;
    uint64_t ns = ticks_worth(stretch->ticks), charge = 0;
    reply_cycles(ns, stretch->cycles);
    if (meter_read(ns, &reading)) {
        charge = meter_charge(&reading, ns);
        reply_number(TEXT("charge_nc"), charge);
        reply_number(TEXT("voltage_uv"), reading.microvolts);
        reply_number(TEXT("current_samples"), reading.samples);
    }
    page_note(what->component->provider, what->offer->algorithm, what->offer->path, operations[what->operation],
              (uint32_t)cell->message, ns, iterations, charge);
}

// The heap is the whole system's; the worker takes nothing of it, a library may. Peaks are since the start, which is
// what the system keeps.
void extras_memory(uint32_t stack) {
    struct board_heap heap = board_heap();
    uint32_t deepest = board_stack();
    if (heap.total > 0) {
        reply_number(TEXT("heap"), heap.total - heap.free);
        reply_number(TEXT("peak_heap"), heap.total - heap.least_free);
        reply_number(TEXT("heap_free"), heap.free);
        reply_number(TEXT("heap_least_free"), heap.least_free);
        reply_flash(TEXT("counter"), TEXT("heap_caps"));
    }
    if (deepest > 0 || stack != STACK_UNKNOWN)
        reply_number(TEXT("stack"), deepest > 0 ? deepest : stack);
}

// Credentials stay in memory: after a reset the network is off again.
static void answer_network(struct request *request) {
    const char *name = request_text(request, TEXT("name")), *password = request_maybe_text(request, TEXT("password"));
    if (request_failed(request))
        return;
    const char *address = board_join(name, password ? password : "");
    if (!address) {
        reply_error(TEXT("cannot join the network; check name and password, and that this image has Wi-Fi"), 0);
        return;
    }
    reply_is(TEXT("network"));
    reply_text(TEXT("address"), address);
    reply_end();
}

// The current while the CPU does nothing but wait, awake: what a sample's current is compared with.
static void answer_current(void) {
    struct reading reading;
    open_meter();
    meter_start();
    uint64_t begin = port_ticks(), passed = 0;
    while (meter_name() && passed < METER_WINDOW_NS)
        passed = ticks_worth(port_ticks() - begin);
    if (!meter_read(passed, &reading)) {
        reply_unsupported(TEXT("no current meter answers on the bus"), 0);
        return;
    }
    reply_is(TEXT("current"));
    reply_number(TEXT("charge_nc"), meter_charge(&reading, passed));
    reply_number(TEXT("ns"), passed);
    reply_number(TEXT("voltage_uv"), reading.microvolts);
    reply_number(TEXT("current_samples"), reading.samples);
    reply_end();
}

bool extras_answer(struct request *request, const char *what) {
    if (strcmp(what, "network") == 0)
        answer_network(request);
    else if (strcmp(what, "current") == 0)
        answer_current();
    else
        return false;
    return true;
}

void extras_page(void (*put)(const char *text, size_t length, void *to), void *to) {
    struct board_heap heap = board_heap();
    struct page_facts facts = {
        .board = BOARD,
        .meter = meter_name(),
        .clock_hz = board_clock(),
        .heap_free = heap.free,
        .heap_least = heap.least_free,
        .stack = board_stack(),
        .light = board_light(),
    };
    page_write(&facts, put, to);
}
