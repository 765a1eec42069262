// The threads of one request: OpenMP's, each bound to a CPU, each with a cipher context of its own.
//
// They are started when a request begins and are gone when it is answered, so that none can be in another cell's
// sample. Within the request they are OpenMP's as any program has them: they spin while they wait, as the runtime's
// default is.
#ifndef TEAM_H
#define TEAM_H

#include "ctr.h"
#include "slices.h"
#include "xor.h"

enum algorithm { AES_256_CTR, XOR, EMPTY };
enum form { STATIC, DYNAMIC };

// A message, and how it is split. It is overwritten.
struct work {
    enum algorithm algorithm;
    enum form form;
    bool decrypts;
    unsigned threads;
    uint8_t *text;
    uint64_t bytes;
    uint64_t chunk;            // bytes, of the form `dynamic`
    const uint8_t *key;        // of AES
    const struct xor_key *pad; // of XOR
};

// What belongs to one thread; on cache lines of its own.
struct member {
    _Alignas(128) struct ctr ctr;
    uint64_t cpu_ns;
    uint32_t crc32;
    bool ready;
};

struct team {
    struct work work;
    struct member *members;
};

// Starts the threads; false: `why` says what failed, and there is nothing to stop.
bool team_start(struct team *team, const struct work *work, const char **why);

// One iteration: the whole message under the counter block of its start. False: a call failed in some thread.
bool team_iterate(struct team *team, const uint8_t start[CTR_NONCE]);

// Iterations `first` to `first` + `count` - 1, each under its own nonce, each begun when all threads are done with the
// previous one.
bool team_repeat(struct team *team, uint64_t first, uint64_t count);

// Every thread calls `task` with its number, at the same time.
void team_each(struct team *team, void (*task)(struct team *team, unsigned thread, const void *with), const void *with);

// Ends the threads, and returns when they are gone.
void team_stop(struct team *team);

// Why OpenMP cannot be measured in this environment, or NULL.
const char *team_absent(void);

#endif
