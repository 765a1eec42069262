// `check`: one vector, by the threads and the calls that are timed, in a buffer of its own.
#include "worker.h"

#include <inttypes.h>
#include <omp.h>
#include <openssl/crypto.h>
#include <stdlib.h>

// What a request brings along.
struct vector {
    struct bytes key, nonce, aad, input;
};

static json_t *computed(const struct work *work, const uint8_t *nonce) {
    static const uint8_t none[CTR_NONCE];
    const char *why;
    struct team team;
    if (!team_start(&team, work, &why))
        return reply_error("starting the threads failed: %s", why);
    bool done = team_iterate(&team, work->algorithm == AES_256_CTR ? nonce : none);
    team_stop(&team);
    if (!done)
        return reply_error("libcrypto failed; this library can't be measured here");
    return reply_hex(reply_is("output"), "output", work->text, work->bytes);
}

static json_t *answer(struct work *work, const struct vector *vector, uint64_t threads) {
    bool aes = work->algorithm == AES_256_CTR;
    if (threads > MAX_THREADS || threads > (uint64_t)omp_get_thread_limit())
        return reply_unsupported("%" PRIu64 " threads; at most %u, and OMP_THREAD_LIMIT, can be asked for", threads,
                                 MAX_THREADS);
    if (aes ? vector->key.length != CTR_KEY : vector->key.length == 0)
        return reply_unsupported("key of %zu bytes", vector->key.length);
    if (vector->nonce.length != (aes ? CTR_NONCE : 0))
        return reply_unsupported("nonce of %zu bytes", vector->nonce.length);
    struct xor_key pad = {0};
    if (!aes && !xor_open(&pad, vector->key.data, vector->key.length))
        return reply_error("no memory for the key; send a shorter one");
    work->threads = (unsigned)threads;
    work->text = vector->input.data;
    work->bytes = vector->input.length;
    work->key = vector->key.data;
    work->pad = &pad;
    json_t *reply = computed(work, vector->nonce.data);
    xor_close(&pad);
    return reply;
}

json_t *worker_check(struct worker *worker, struct request *request) {
    struct work work = {.chunk = CHECK_CHUNK};
    // Where OMP_THREAD_LIMIT allows one thread alone, vectors that do not ask for more are still answered.
    uint64_t usual = omp_get_thread_limit() < 2 ? 1 : 2;
    uint64_t threads = request_number_or(request, "threads", usual, 1, MAX_NUMBER);
    struct vector vector = {
        .key = request_bytes(request, "key"),
        .nonce = request_bytes(request, "nonce"),
        .aad = request_bytes(request, "aad"),
        .input = request_bytes(request, "input"),
    };
    json_t *reply = worker_work(worker, request, true, &work);
    if (!reply)
        reply = answer(&work, &vector, threads);
    OPENSSL_cleanse(vector.key.data, vector.key.length);
    free(vector.key.data);
    free(vector.nonce.data);
    free(vector.aad.data);
    free(vector.input.data);
    return reply;
}
