// The timed requests: `sample` and `latency`.
#include "facts.h"
#include "worker.h"

#include <inttypes.h>
#include <stdlib.h>

#define MAX_COUNT 4000u

// The next `count` iterations of a cell. Their numbers are used up before they run, so that none occurs twice even if
// one fails.
static bool repeat(struct cell *cell, struct team *team, uint64_t count) {
    uint64_t first = cell->last + 1;
    cell->last += count;
    return team_repeat(team, first, count);
}

// Iterations until at least `wanted` ns have passed, in batches, so that the clock is read rarely. Batches double, but
// not far beyond the end.
static bool warm_up(struct cell *cell, struct team *team, uint64_t wanted) {
    uint64_t batch = 1, begin = now_ns(), passed = 0;
    while (passed < wanted) {
        if (!repeat(cell, team, batch))
            return false;
        uint64_t before = passed;
        passed = now_ns() - begin;
        uint64_t took = passed > before ? passed - before : 1;
        double most = passed < wanted ? (double)(wanted - passed) * (double)batch / (double)took + 1 : 1;
        batch = (double)batch * 2 < most ? batch * 2 : (uint64_t)most;
    }
    return true;
}

// Each thread's CPU clock: up to date only for the thread that reads it.
static void begin_cpu(struct team *team, unsigned thread, const void *with) {
    (void)with;
    team->members[thread].cpu_ns = thread_cpu_ns();
}

static void end_cpu(struct team *team, unsigned thread, const void *with) {
    (void)with;
    team->members[thread].cpu_ns = thread_cpu_ns() - team->members[thread].cpu_ns;
}

static json_t *failed(struct cell *cell) {
    return reply_error("cell %" PRIu64 " failed: EVP_EncryptInit_ex, EVP_EncryptUpdate or EVP_EncryptFinal_ex; release "
                       "it and leave this offer out",
                       cell->number);
}

json_t *worker_sample(struct worker *worker, struct request *request) {
    struct cell *cell = worker_cell(worker, request);
    uint64_t warmup = request_number_or(request, "warmup_ns", 0, 0, MAX_NUMBER);
    uint64_t iterations = request_number(request, "iterations", 1, UINT32_MAX);
    if (request->why[0])
        return reply_error("%s", request->why);
    struct team team;
    json_t *refusal = worker_start(worker, cell, &team);
    if (refusal)
        return refusal;
    uint64_t first = cell->last + 1, begin = 0, end = 0, cpu = 0;
    bool done = warm_up(cell, &team, warmup);
    if (done) {
        // This region is right before the stretch, so that all threads are awake when it begins.
        team_each(&team, begin_cpu, NULL);
        begin = now_ns();
        done = repeat(cell, &team, iterations);
        end = now_ns();
        team_each(&team, end_cpu, NULL);
    }
    for (unsigned thread = 0; thread < team.work.threads; thread++)
        cpu += team.members[thread].cpu_ns;
    team_stop(&team);
    if (!done)
        return failed(cell);
    worker->left.cell = cell;
    worker->left.first = first;
    worker->left.last = cell->last;
    json_t *reply = reply_number(reply_number(reply_is("sample"), "cell", cell->number), "iterations", iterations);
    reply = reply_number(reply_number(reply, "ns", end - begin), "cpu_ns", cpu);
    return reply_number(reply_number(reply, "first", first), "last", cell->last);
}

json_t *worker_latency(struct worker *worker, struct request *request) {
    struct cell *cell = worker_cell(worker, request);
    uint64_t warmup = request_number_or(request, "warmup_ns", 0, 0, MAX_NUMBER);
    uint64_t count = request_number(request, "count", 1, MAX_COUNT);
    if (request->why[0])
        return reply_error("%s", request->why);
    if (cell->work.threads > 1)
        return reply_unsupported("latency of several threads; prepare the cell with one");
    struct team team;
    json_t *refusal = worker_start(worker, cell, &team);
    if (refusal)
        return refusal;
    static uint64_t times[MAX_COUNT];
    bool done = warm_up(cell, &team, warmup);
    for (uint64_t i = 0; done && i < count; i++) {
        uint64_t begin = now_ns();
        done = repeat(cell, &team, 1);
        times[i] = now_ns() - begin;
    }
    team_stop(&team);
    if (!done)
        return failed(cell);
    json_t *list = json_array();
    for (uint64_t i = 0; i < count; i++)
        json_array_append_new(list, json_integer((json_int_t)times[i]));
    json_t *reply = reply_number(reply_is("latency"), "cell", cell->number);
    return reply_number(reply_numbers(reply, "ns", list), "clock_ns", clock_call_ns());
}
