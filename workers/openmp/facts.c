// The requests `clock` and `memory`, and what they are made of.
#define _GNU_SOURCE
#include "facts.h"

#include "worker.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static uint64_t read_clock(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time); // cannot fail for the clocks of this file
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

uint64_t now_ns(void) {
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t thread_cpu_ns(void) {
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

#define ROUNDS           10
#define CALLS            2000
#define EMPTY_ITERATIONS 10000

// The lowest of some rounds is the cost: other work on the core only adds to it.
uint64_t clock_call_ns(void) {
    uint64_t best = UINT64_MAX;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t begin = now_ns();
        for (int i = 0; i < CALLS; i++)
            (void)now_ns();
        uint64_t took = now_ns() - begin;
        best = took < best ? took : best;
    }
    return (best + CALLS / 2) / CALLS;
}

// The smallest step other than 0 between readings, out of 10,000 steps or a tenth of a second.
static uint64_t clock_step_ns(void) {
    uint64_t least = UINT64_MAX, begin = now_ns(), last = begin;
    for (int steps = 0; steps < 10000 && last - begin < 100000000;) {
        uint64_t at = now_ns();
        if (at > last) {
            least = at - last < least ? at - last : least;
            steps++;
        }
        last = at;
    }
    return least;
}

// An iteration around an empty call: a parallel region of one thread.
static bool loop_ns(uint64_t *ns) {
    const struct work work = {.algorithm = EMPTY, .form = STATIC, .threads = 1};
    struct team team;
    const char *why;
    uint64_t best = UINT64_MAX;
    bool done = team_start(&team, &work, &why);
    if (!done)
        return false;
    for (int round = 0; done && round < ROUNDS; round++) {
        uint64_t begin = now_ns();
        done = team_repeat(&team, 1, EMPTY_ITERATIONS);
        uint64_t took = now_ns() - begin;
        best = took < best ? took : best;
    }
    team_stop(&team);
    *ns = (best + EMPTY_ITERATIONS / 2) / EMPTY_ITERATIONS;
    return done;
}

json_t *worker_clock(struct worker *worker, struct request *request) {
    (void)worker, (void)request;
    uint64_t loop;
    if (!loop_ns(&loop))
        return reply_error("measuring the loop failed; ask again");
    json_t *reply = reply_number(reply_is("clock"), "step_ns", clock_step_ns());
    return reply_number(reply_number(reply, "call_ns", clock_call_ns()), "loop_ns", loop);
}

// A field that Linux gives in kB (1024 bytes), in bytes. Format: proc_pid_status(5), proc_meminfo(5).
static bool field(const char *path, const char *name, uint64_t *bytes) {
    char line[256];
    bool found = false;
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    while (!found && fgets(line, sizeof line, file)) {
        uint64_t kilobytes;
        found =
            strncmp(line, name, strlen(name)) == 0 && sscanf(line + strlen(name), "%" SCNu64 " kB", &kilobytes) == 1;
        if (found)
            *bytes = kilobytes * 1024;
    }
    fclose(file);
    return found;
}

bool free_memory(uint64_t *bytes) {
    return field("/proc/meminfo", "MemAvailable:", bytes);
}

// Resets VmHWM to VmRSS. Format: proc_pid_clear_refs(5).
static bool reset_peak(void) {
    FILE *file = fopen("/proc/self/clear_refs", "w");
    bool written = file && fputs("5", file) >= 0;
    return file && fclose(file) == 0 && written;
}

// What malloc has given out: without the arena, which is mapped. It keeps neither a peak nor a sum.
static bool heap_bytes(uint64_t *bytes) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    struct mallinfo2 info = mallinfo2();
    *bytes = info.uordblks + info.hblkhd;
    return true;
#else
    (void)bytes;
    return false;
#endif
}

json_t *worker_memory(struct worker *worker, struct request *request) {
    bool reset = request_number_or(request, "reset", 0, 0, 1) == 1;
    if (request->why[0])
        return reply_error("%s", request->why);
    uint64_t rss = 0, peak = 0, heap = 0;
    bool counted = heap_bytes(&heap);
    bool rss_known = field("/proc/self/status", "VmRSS:", &rss);
    bool peak_known = field("/proc/self/status", "VmHWM:", &peak) && !worker->peak_lost;
    json_t *reply = reply_maybe(reply_is("memory"), "rss", rss, rss_known);
    reply = reply_maybe(reply, "peak_rss", peak, peak_known);
    reply = reply_maybe(reply, "heap", heap, counted);
    reply = reply_maybe(reply_maybe(reply, "peak_heap", 0, false), "allocated", 0, false);
    if (counted)
        reply = reply_text(reply, "counter", "mallinfo2");
    if (reset)
        worker->peak_lost = !reset_peak();
    return reply;
}
