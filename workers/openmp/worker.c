// Requests and answers: which handler a line goes to, what is offered, and which cell and which work a request is
// about.
#include "worker.h"

#include "path.h"

#include <inttypes.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

static bool offer(const char *algorithm, const char *version, const char *path) {
    json_t *reply = reply_text(reply_is("offer"), "provider", PROVIDER);
    reply = reply_text(reply_text(reply, "version", version), "algorithm", algorithm);
    reply = reply_text(reply_text(reply, "operations", "encrypt"), "forms", "static,dynamic");
    return reply_send(reply_text(reply, "path", path));
}

static bool describe(struct worker *worker) {
    const char *compiler = "gcc " __VERSION__;
    json_t *reply = reply_text(reply_number(reply_is("worker"), "protocol", 1), "worker", PROVIDER);
    if (!reply_send(reply_text(reply, "runtime", compiler)))
        return false;
    if (worker->absent) {
        reply = reply_text(reply_is("absent"), "provider", PROVIDER);
        if (!reply_send(reply_text(reply, "why", worker->absent)))
            return false;
    } else if (!offer("aes-256-ctr", OpenSSL_version(OPENSSL_VERSION_STRING), ctr_path()) ||
               !offer("xor", compiler, xor_path())) {
        return false;
    }
    return reply_send(reply_is("end"));
}

struct handler {
    const char *name;
    json_t *(*answer)(struct worker *worker, struct request *request);
};

static const struct handler HANDLERS[] = {
    {"check", worker_check},   {"prepare", worker_prepare}, {"sample", worker_sample}, {"latency", worker_latency},
    {"digest", worker_digest}, {"verify", worker_verify},   {"peek", worker_peek},     {"clock", worker_clock},
    {"memory", worker_memory}, {"release", worker_release},
};

static json_t *handle(struct worker *worker, struct request *request, const char *name) {
    for (size_t i = 0; i < sizeof HANDLERS / sizeof *HANDLERS; i++)
        if (strcmp(name, HANDLERS[i].name) == 0)
            return HANDLERS[i].answer(worker, request);
    return reply_error("unknown request; send describe, check, prepare, sample, latency, digest, verify, peek, clock, "
                       "memory or release");
}

bool worker_answer(struct worker *worker, const char *line, size_t length) {
    struct request request;
    const char *name = NULL;
    bool sent;
    if (request_parse(&request, line, length))
        name = request_text(&request, "do");
    if (!name)
        sent = reply_send(reply_error("%s", request.why));
    else if (strcmp(name, "describe") == 0)
        sent = describe(worker);
    else
        sent = reply_send(handle(worker, &request, name));
    request_free(&request);
    return sent;
}

struct cell *worker_cell(struct worker *worker, struct request *request) {
    uint64_t number = request_number(request, "cell", 0, UINT32_MAX);
    struct cell *cell = worker->cells;
    while (cell && cell->number != number)
        cell = cell->next;
    if (!cell)
        request_fail(request, "cell %" PRIu64 " is not prepared; send prepare first", number);
    return cell;
}

json_t *worker_work(struct worker *worker, struct request *request, bool check, struct work *work) {
    const char *provider = request_text(request, "provider"), *algorithm = request_text(request, "algorithm");
    const char *operation = request_text(request, "operation"), *form = request_maybe_text(request, "form");
    if (!check && !form)
        request_fail(request, "the key \"form\" is missing; send static or dynamic");
    if (request->why[0])
        return reply_error("%s", request->why);
    if (worker->absent)
        return reply_unsupported("%s", worker->absent);
    if (strcmp(provider, PROVIDER) != 0)
        return reply_unsupported("this worker hosts the provider " PROVIDER " only");
    if (strcmp(algorithm, "aes-256-ctr") == 0)
        work->algorithm = AES_256_CTR;
    else if (strcmp(algorithm, "xor") == 0)
        work->algorithm = XOR;
    else
        return reply_unsupported(PROVIDER " has aes-256-ctr and xor only");
    work->decrypts = strcmp(operation, "decrypt") == 0;
    if (strcmp(operation, "encrypt") != 0 && !(check && work->decrypts))
        return reply_unsupported("a split message has no operation but encrypt, and decrypt in check");
    work->form = form && strcmp(form, "dynamic") == 0 ? DYNAMIC : STATIC;
    if (form && work->form == STATIC && strcmp(form, "static") != 0)
        return reply_unsupported(PROVIDER " has the forms static and dynamic only");
    return NULL;
}

void worker_free(struct worker *worker) {
    while (worker->cells) {
        struct cell *cell = worker->cells;
        worker->cells = cell->next;
        xor_close(&cell->pad);
        OPENSSL_cleanse(cell, sizeof *cell);
        free(cell);
    }
    arena_free(&worker->arena);
}
