// The strategy that is measured: a parallel region for each message, `schedule(static)` over slices or
// `schedule(dynamic)` over chunks, the library's calls within.
#include "team.h"

#include "cpus.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_YIELDS 100000

// Each thread's own start: bound to its CPU first, so that its context lies near it.
static void join(struct team *team, unsigned thread, const void *with) {
    (void)with;
    struct member *member = &team->members[thread];
    cpus_take(thread);
    member->ready = team->work.algorithm != AES_256_CTR || ctr_open(&member->ctr, team->work.key, team->work.decrypts);
}

static void leave(struct team *team, unsigned thread, const void *with) {
    (void)with;
    ctr_close(&team->members[thread].ctr);
}

// Two more than the threads of this process.
static unsigned long tasks(void) {
    struct stat own;
    return stat("/proc/self/task", &own) == 0 ? own.st_nlink : 0;
}

static void *pass(void *gate) {
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

// Whether the system gives this process so many threads at once: if it refused OpenMP's runtime one, that would end the
// process. What it once gave is not tried again, which would cost each request as much as starting its threads.
static bool are_given(unsigned threads) {
    static unsigned given = 1;
    if (threads <= given)
        return true;
    pthread_t *started = calloc(threads - 1, sizeof *started);
    if (!started)
        return false;
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    unsigned long before = tasks();
    unsigned count = 0;
    pthread_mutex_lock(&gate);
    while (count < threads - 1 && pthread_create(&started[count], NULL, pass, &gate) == 0)
        count++;
    pthread_mutex_unlock(&gate);
    for (unsigned thread = 0; thread < count; thread++)
        pthread_join(started[thread], NULL);
    free(started);
    // A thread that was joined counts until the kernel is done with it.
    for (unsigned yields = 0; tasks() > before && yields < MOST_YIELDS; yields++)
        sched_yield();
    if (count == threads - 1)
        given = threads;
    return threads == given;
}

bool team_start(struct team *team, const struct work *work, const char **why) {
    size_t size = work->threads * sizeof(struct member);
    if (!are_given(work->threads)) {
        *why = "the system refuses so many threads; use fewer, or raise `ulimit -u` and `ulimit -v`";
        return false;
    }
    team->work = *work;
    team->members = aligned_alloc(_Alignof(struct member), size);
    if (!team->members) {
        *why = "no memory for the threads; use fewer";
        return false;
    }
    memset(team->members, 0, size);
    omp_set_dynamic(0);
    cpus_read();
    team_each(team, join, NULL);
    bool ready = true;
    for (unsigned thread = 0; thread < work->threads; thread++)
        ready &= team->members[thread].ready;
    if (!ready) {
        *why = "libcrypto set no key up, or OpenMP started fewer threads than it was asked for";
        team_stop(team);
    }
    return ready;
}

// A part of the message, in the thread that calls this.
static bool apply(struct team *team, struct part part, const uint8_t start[CTR_NONCE]) {
    const struct work *work = &team->work;
    uint8_t *text = work->text + part.begin;
    uint64_t bytes = part.end - part.begin;
    switch (work->algorithm) {
    case AES_256_CTR: {
        uint8_t counter[CTR_NONCE];
        counter_at(counter, start, part.begin / 16);
        return ctr_apply(&team->members[omp_get_thread_num()].ctr, counter, text, bytes);
    }
    case XOR:
        xor_apply(work->pad, part.begin, text, bytes);
        return true;
    case EMPTY:
        return true;
    }
    return false;
}

static bool iterate_static(struct team *team, const uint8_t start[CTR_NONCE]) {
    const struct work *work = &team->work;
    unsigned failed = 0;
#pragma omp parallel for schedule(static) num_threads(work->threads) reduction(| : failed)
    for (unsigned thread = 0; thread < work->threads; thread++)
        failed |= !apply(team, slice_of(work->bytes, work->threads, thread), start);
    return !failed;
}

static bool iterate_dynamic(struct team *team, const uint8_t start[CTR_NONCE]) {
    const struct work *work = &team->work;
    uint64_t chunks = chunks_of(work->bytes, work->chunk);
    unsigned failed = 0;
#pragma omp parallel for schedule(dynamic) num_threads(work->threads) reduction(| : failed)
    for (uint64_t chunk = 0; chunk < chunks; chunk++)
        failed |= !apply(team, chunk_of(work->bytes, work->chunk, chunk), start);
    return !failed;
}

bool team_iterate(struct team *team, const uint8_t start[CTR_NONCE]) {
    return team->work.form == STATIC ? iterate_static(team, start) : iterate_dynamic(team, start);
}

bool team_repeat(struct team *team, uint64_t first, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        uint8_t nonce[CTR_NONCE];
        nonce_of(nonce, first + i);
        if (!team_iterate(team, nonce))
            return false;
    }
    return true;
}

void team_each(struct team *team, void (*task)(struct team *team, unsigned thread, const void *with),
               const void *with) {
#pragma omp parallel num_threads(team->work.threads)
    task(team, (unsigned)omp_get_thread_num(), with);
}

void team_stop(struct team *team) {
    team_each(team, leave, NULL);
    free(team->members);
    team->members = NULL;
    // Waits until the runtime's threads have ended: else they would spin for some milliseconds, in others' samples. The
    // next team starts them anew. It can fail only within a parallel region.
    (void)omp_pause_resource(omp_pause_soft, omp_get_initial_device());
    cpus_restore();
}

const char *team_absent(void) {
    // Bound by the runtime before `main`, the first thread no longer sees which CPUs the process may use.
    if (getenv("OMP_PROC_BIND") || getenv("OMP_PLACES") || getenv("GOMP_CPU_AFFINITY") || getenv("KMP_AFFINITY"))
        return "OMP_PROC_BIND, OMP_PLACES, GOMP_CPU_AFFINITY or KMP_AFFINITY binds threads to CPUs before this worker "
               "does; unset them";
    return NULL;
}
