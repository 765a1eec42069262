// `prepare` and `release`: which cells there are, and the memory that they may take.
#include "cpus.h"
#include "facts.h"
#include "worker.h"

#include <inttypes.h>
#include <omp.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

#define MAX_MESSAGE (UINT64_C(1) << 40)
#define MAX_AAD     (UINT64_C(1) << 20)
#define MAX_KEY     (UINT64_C(1) << 20)

// What a request asks for, as far as it is no part of the work.
struct wanted {
    uint64_t cell, message, aad, threads, seed, offset, key;
};

static struct wanted read_wanted(struct worker *worker, struct request *request) {
    struct wanted wanted = {
        .cell = request_number(request, "cell", 0, UINT32_MAX),
        .message = request_number(request, "message", 0, MAX_MESSAGE),
        .aad = request_number_or(request, "aad", 0, 0, MAX_AAD),
        .threads = request_number_or(request, "threads", 1, 1, MAX_NUMBER),
        .seed = request_number(request, "seed", 0, MAX_NUMBER),
        .offset = request_number_or(request, "offset", 0, 0, 4095),
        .key = request_number_or(request, "key", 32, 1, MAX_KEY),
    };
    if (wanted.offset % 64 != 0)
        request_fail(request, "the key \"offset\" is not a multiple of 64; send one");
    for (const struct cell *cell = worker->cells; cell; cell = cell->next)
        if (cell->number == wanted.cell)
            request_fail(request, "cell %" PRIu64 " is prepared already; release it first or take another number",
                         wanted.cell);
    return wanted;
}

// NULL, or why the cell is not supported here.
static json_t *refuse(struct worker *worker, const struct wanted *wanted, const struct work *work) {
    uint64_t cpus = cpus_count(), limit = (uint64_t)omp_get_thread_limit();
    if (wanted->threads > MAX_THREADS)
        return reply_unsupported("%" PRIu64 " threads; at most %u can be asked for", wanted->threads, MAX_THREADS);
    if (wanted->threads > 1 && wanted->threads > cpus)
        return reply_unsupported("%" PRIu64 " threads; CPUs that this process may use: %" PRIu64, wanted->threads,
                                 cpus);
    if (wanted->threads > limit)
        return reply_unsupported("%" PRIu64 " threads; OMP_THREAD_LIMIT allows %" PRIu64 "; unset it", wanted->threads,
                                 limit);
    uint64_t free, need = wanted->offset + wanted->message;
    need += sizeof(struct cell) + (work->algorithm == XOR ? 2 * xor_size(wanted->key) : 0);
    // The arena is all cells', so what it holds already is as good as free.
    if (free_memory(&free) && need > (free + worker->arena.used) / 10 * 9)
        return reply_unsupported("this cell needs %" PRIu64
                                 " bytes, more than nine tenths of the free memory of %" PRIu64 " bytes",
                                 need, free);
    return NULL;
}

// Makes what does not change between the cell's samples from the seed; false: no memory, or libcrypto failed.
static bool set_up(struct cell *cell, const struct wanted *wanted) {
    uint8_t period[PERIOD];
    if (!stream_period(period, "key", wanted->seed) || !stream_period(cell->period, "message", wanted->seed))
        return false;
    if (cell->work.algorithm == AES_256_CTR) {
        stream_fill(cell->key, CTR_KEY, period, 0);
        return true;
    }
    uint8_t *key = malloc(wanted->key);
    bool made = key != NULL;
    if (made) {
        stream_fill(key, wanted->key, period, 0);
        made = xor_open(&cell->pad, key, wanted->key);
        OPENSSL_cleanse(key, wanted->key);
    }
    free(key);
    return made;
}

json_t *worker_prepare(struct worker *worker, struct request *request) {
    struct work work = {.chunk = CHUNK};
    struct wanted wanted = read_wanted(worker, request);
    json_t *refusal = worker_work(worker, request, false, &work);
    if (!refusal)
        refusal = refuse(worker, &wanted, &work);
    if (refusal)
        return refusal;
    uint64_t size = wanted.offset + wanted.message;
    bool grows = size > worker->arena.bytes;
    if (grows)
        worker->left.cell = NULL;
    if (!arena_grow(&worker->arena, size))
        return reply_error("mapping %" PRIu64 " bytes failed; use a smaller message", size);
    struct cell *cell = calloc(1, sizeof *cell);
    if (!cell)
        return reply_error("no memory for another cell; release some");
    cell->number = wanted.cell;
    cell->offset = wanted.offset;
    cell->work = work;
    cell->work.bytes = wanted.message;
    cell->work.threads = (unsigned)wanted.threads;
    cell->work.key = cell->key;
    cell->work.pad = &cell->pad;
    if (!set_up(cell, &wanted)) {
        free(cell);
        return reply_error("making the key of cell %" PRIu64 " failed; use a smaller one", wanted.cell);
    }
    cell->next = worker->cells;
    worker->cells = cell;
    // No sample shall have to wait for the system to map the pages. A cell that cannot start says so in its sample.
    struct team team;
    if (grows && !(refusal = worker_start(worker, cell, &team)))
        team_stop(&team);
    json_decref(refusal);
    return reply_number(reply_is("ready"), "cell", cell->number);
}

json_t *worker_release(struct worker *worker, struct request *request) {
    struct cell *cell = worker_cell(worker, request);
    if (request->why[0])
        return reply_error("%s", request->why);
    struct cell **place = &worker->cells;
    while (*place != cell)
        place = &(*place)->next;
    *place = cell->next;
    uint64_t number = cell->number;
    if (worker->left.cell == cell)
        worker->left.cell = NULL;
    xor_close(&cell->pad);
    OPENSSL_cleanse(cell, sizeof *cell);
    free(cell);
    if (!worker->cells)
        arena_free(&worker->arena); // a large cell's memory must not be in others' figures
    return reply_number(reply_is("released"), "cell", number);
}

static void fill_slice(struct team *team, unsigned thread, const void *period) {
    const struct work *work = &team->work;
    struct part part = slice_of(work->bytes, work->threads, thread);
    stream_fill(work->text + part.begin, part.end - part.begin, period, part.begin);
}

json_t *worker_start(struct worker *worker, struct cell *cell, struct team *team) {
    const char *why;
    worker->left.cell = NULL;
    // Mapping more memory for another cell may have failed since; then the arena is empty.
    if (!arena_grow(&worker->arena, cell->offset + cell->work.bytes))
        return reply_error("mapping the memory of cell %" PRIu64 " failed; release it", cell->number);
    arena_place(&worker->arena, cell->work.bytes, cell->offset, cell->work.threads);
    struct work work = cell->work;
    // A message of 0 bytes may have no arena.
    work.text = worker->arena.memory ? worker->arena.memory + cell->offset : NULL;
    if (!team_start(team, &work, &why))
        return reply_error("starting the threads of cell %" PRIu64 " failed: %s", cell->number, why);
    team_each(team, fill_slice, cell->period);
    return NULL;
}
