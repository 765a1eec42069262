// What came out: `digest`, `verify`, `peek`.
#define ZLIB_CONST
#include "worker.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <zlib.h>

#define MAX_DIGEST (UINT64_C(1) << 30) // bytes
#define MAX_ANEW   (UINT64_C(1) << 24) // iterations
#define MAX_PEEK   16384u

static bool is_left(const struct worker *worker, const struct cell *cell, uint64_t first, uint64_t last) {
    return worker->left.cell == cell && worker->left.first == first && worker->left.last == last;
}

// The cell's message in the arena.
static uint8_t *text_of(const struct worker *worker, const struct cell *cell) {
    return worker->arena.memory ? worker->arena.memory + cell->offset : NULL;
}

// Makes the output anew in the arena; NULL, or the refusal.
static json_t *anew(struct worker *worker, struct cell *cell, uint64_t first, uint64_t iteration) {
    struct team team;
    json_t *refusal = worker_start(worker, cell, &team);
    if (refusal)
        return refusal;
    bool done = team_repeat(&team, first, iteration - first + 1);
    team_stop(&team);
    return done ? NULL : reply_error("making the output of cell %" PRIu64 " failed; release it", cell->number);
}

json_t *worker_digest(struct worker *worker, struct request *request) {
    struct cell *cell = worker_cell(worker, request);
    uint64_t iteration = request_number(request, "iteration", 0, MAX_NUMBER);
    uint64_t first = request_number_or(request, "first", iteration, 0, MAX_NUMBER);
    if (first > iteration || iteration - first >= MAX_ANEW)
        request_fail(request, "\"first\" to \"iteration\" is not a range of 1 to 2^24 iterations; send another first");
    if (request->why[0])
        return reply_error("%s", request->why);
    if (cell->work.bytes > MAX_DIGEST)
        return reply_unsupported("a message of more than 2^30 bytes has no digest; send verify");
    if (!is_left(worker, cell, first, iteration)) {
        json_t *refusal = anew(worker, cell, first, iteration);
        if (refusal)
            return refusal;
    }
    uint8_t hash[SHA256_DIGEST_LENGTH];
    const uint8_t *text = cell->work.bytes ? text_of(worker, cell) : (const uint8_t *)"";
    if (EVP_Digest(text, cell->work.bytes, hash, NULL, EVP_sha256(), NULL) != 1)
        return reply_error("hashing the output of cell %" PRIu64 " failed; ask again", cell->number);
    return reply_hex(reply_number(reply_is("digest"), "cell", cell->number), "sha256", hash, sizeof hash);
}

static void crc_slice(struct team *team, unsigned thread, const void *with) {
    (void)with;
    const struct work *work = &team->work;
    struct part part = slice_of(work->bytes, work->threads, thread);
    uLong crc = crc32_z(0, NULL, 0);
    if (part.end > part.begin)
        crc = crc32_z(crc, work->text + part.begin, part.end - part.begin);
    team->members[thread].crc32 = (uint32_t)crc;
}

// The CRC-32 of the whole, from those of the slices.
static uint32_t combined(const struct team *team) {
    const struct work *work = &team->work;
    uLong crc = crc32_z(0, NULL, 0);
    for (unsigned thread = 0; thread < work->threads; thread++) {
        struct part part = slice_of(work->bytes, work->threads, thread);
        crc = crc32_combine(crc, team->members[thread].crc32, (z_off_t)(part.end - part.begin));
    }
    return (uint32_t)crc;
}

json_t *worker_verify(struct worker *worker, struct request *request) {
    struct cell *cell = worker_cell(worker, request);
    uint64_t iteration = request_number(request, "iteration", 0, MAX_NUMBER);
    uint64_t first = request_number(request, "first", 0, MAX_NUMBER);
    if (!request->why[0] && !is_left(worker, cell, first, iteration))
        request_fail(request,
                     "no sample left iterations %" PRIu64 " to %" PRIu64 " of cell %" PRIu64
                     "; verify right after a sample, with its first and last",
                     first, iteration, cell->number);
    if (request->why[0])
        return reply_error("%s", request->why);
    worker->left.cell = NULL;
    struct work work = cell->work;
    struct team team;
    const char *why;
    work.decrypts = true;
    work.text = text_of(worker, cell);
    if (!team_start(&team, &work, &why))
        return reply_error("starting the threads of cell %" PRIu64 " failed: %s", cell->number, why);
    // Each iteration adds a key stream of its own: the order in which they are undone does not matter.
    bool done = team_repeat(&team, first, iteration - first + 1);
    if (done)
        team_each(&team, crc_slice, NULL);
    uint32_t crc = combined(&team);
    team_stop(&team);
    if (!done)
        return reply_error("decrypting cell %" PRIu64 " failed; release it", cell->number);
    return reply_number(reply_number(reply_is("verified"), "cell", cell->number), "crc32", crc);
}

json_t *worker_peek(struct worker *worker, struct request *request) {
    struct cell *cell = worker_cell(worker, request);
    uint64_t at = request_number(request, "at", 0, MAX_NUMBER);
    uint64_t bytes = request_number(request, "bytes", 1, MAX_PEEK);
    if (!request->why[0] && worker->left.cell != cell)
        request_fail(request, "the latest sample is not of cell %" PRIu64 ", or nothing is left of it; sample it first",
                     cell->number);
    if (!request->why[0] && (at > cell->work.bytes || bytes > cell->work.bytes - at))
        request_fail(request, "%" PRIu64 " bytes from %" PRIu64 " on are beyond the message of %" PRIu64 "; send less",
                     bytes, at, cell->work.bytes);
    if (request->why[0])
        return reply_error("%s", request->why);
    json_t *reply = reply_number(reply_is("bytes"), "cell", cell->number);
    return reply_hex(reply, "bytes", text_of(worker, cell) + at, bytes);
}
