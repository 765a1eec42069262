// The loop runs at the speed of memory for any length of key. The key is repeated to at least 4096 bytes, so that the
// inner loop is long, and 64 bytes further, so that it always does whole lines of the message: where the key's period
// ends within a line, the next line begins so many bytes into the key. The message's lines stay aligned; only the key
// is read from odd addresses, and it lies in the cache.
#include "xor.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

#define LINE  64u
#define LEAST 4096u

static uint64_t period_of(uint64_t length) {
    return (LEAST + length - 1) / length * length;
}

static uint64_t allocated(uint64_t period) {
    return (period + LINE + LINE - 1) / LINE * LINE;
}

uint64_t xor_size(uint64_t length) {
    return allocated(period_of(length));
}

bool xor_open(struct xor_key *key, const uint8_t *bytes, uint64_t length) {
    uint64_t size = xor_size(length);
    key->period = period_of(length);
    key->bytes = aligned_alloc(LINE, size);
    if (!key->bytes)
        return false;
    for (uint64_t at = 0; at < size; at += length)
        memcpy(key->bytes + at, bytes, length < size - at ? length : size - at);
    return true;
}

void xor_close(struct xor_key *key) {
    if (key->bytes)
        OPENSSL_cleanse(key->bytes, allocated(key->period));
    free(key->bytes);
    key->bytes = NULL;
}

// The one loop, which the compiler turns into the widest vectors of each build below.
static inline __attribute__((always_inline)) void lines(uint8_t *restrict text, const uint8_t *restrict key,
                                                        uint64_t bytes) {
#pragma omp simd
    for (uint64_t i = 0; i < bytes; i++)
        text[i] ^= key[i];
}

static void plain(uint8_t *restrict text, const uint8_t *restrict key, uint64_t bytes) {
    lines(text, key, bytes);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void avx2(uint8_t *restrict text, const uint8_t *restrict key, uint64_t bytes) {
    lines(text, key, bytes);
}

__attribute__((target("avx512f,avx512bw,prefer-vector-width=512"))) static void
avx512(uint8_t *restrict text, const uint8_t *restrict key, uint64_t bytes) {
    lines(text, key, bytes);
}

// Whether the CPU has it and `CIPHERMETER_CPU_WITHOUT` does not name it, or narrower vectors.
static bool has(const char *feature) {
    const char *without = getenv("CIPHERMETER_CPU_WITHOUT");
    if (without && (strstr(without, "avx2") || strstr(without, feature)))
        return false;
    return strcmp(feature, "avx2") == 0 ? __builtin_cpu_supports("avx2") : __builtin_cpu_supports("avx512bw");
}
#endif

struct build {
    const char *path;
    void (*run)(uint8_t *restrict text, const uint8_t *restrict key, uint64_t bytes);
};

static struct build choose(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (has("avx512"))
        return (struct build){"avx512", avx512};
    if (has("avx2"))
        return (struct build){"avx2", avx2};
    return (struct build){"sse2", plain};
#elif defined(__aarch64__)
    return (struct build){"neon", plain};
#else
    return (struct build){"soft", plain};
#endif
}

static struct build chosen;

// Before `main`, so that no thread has to look.
__attribute__((constructor)) static void look(void) {
    chosen = choose();
}

const char *xor_path(void) {
    return chosen.path;
}

void xor_apply(const struct xor_key *key, uint64_t at, uint8_t *text, uint64_t bytes) {
    uint64_t place = at % key->period;
    while (bytes > 0) {
        // Up to the end of the line in which the period ends; the last line of the message may be shorter.
        uint64_t run = (key->period - place + LINE - 1) / LINE * LINE;
        if (run > bytes)
            run = bytes;
        chosen.run(text, key->bytes + place, run);
        text += run;
        bytes -= run;
        place += run;
        if (place >= key->period)
            place -= key->period;
    }
}
