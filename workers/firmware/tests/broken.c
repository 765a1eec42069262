// A component whose first algorithm gives a wrong answer, whose second does not notice wrong tags, and whose third is
// right until it has been called often: what a library's faults look like to the worker. `Right` is Mbed TLS.
#include "component.h"

extern const struct offer mbedtls_3_aes_128_gcm, mbedtls_3_aes_256_gcm, mbedtls_3_chacha20_poly1305;

static enum outcome set_up_128(const uint8_t *key) {
    return mbedtls_3_aes_128_gcm.set_up(key);
}

static enum outcome seal_wrongly(const struct call *call) {
    enum outcome outcome = mbedtls_3_aes_128_gcm.seal(call);
    if (call->length > 64)
        call->output[64] ^= 1;
    return outcome;
}

static enum outcome open_128(const struct call *call) {
    return mbedtls_3_aes_128_gcm.open(call);
}

static void release_gcm(void) {
    mbedtls_3_aes_128_gcm.release();
}

static enum outcome set_up_256(const uint8_t *key) {
    return mbedtls_3_aes_256_gcm.set_up(key);
}

static enum outcome seal_256(const struct call *call) {
    return mbedtls_3_aes_256_gcm.seal(call);
}

static enum outcome open_anything(const struct call *call) {
    mbedtls_3_aes_256_gcm.open(call);
    return DONE;
}

static enum outcome set_up_chachapoly(const uint8_t *key) {
    return mbedtls_3_chacha20_poly1305.set_up(key);
}

static enum outcome seal_sometimes(const struct call *call) {
    static int calls;
    return ++calls > 100 ? FAILED : mbedtls_3_chacha20_poly1305.seal(call);
}

static enum outcome open_chachapoly(const struct call *call) {
    return mbedtls_3_chacha20_poly1305.open(call);
}

static void release_chachapoly(void) {
    mbedtls_3_chacha20_poly1305.release();
}

static const struct offer wrong = {
    "aes-128-gcm", "soft", 0, INTO, false, 1, set_up_128, seal_wrongly, open_128, release_gcm,
};
static const struct offer careless = {
    "aes-256-gcm", "soft", 0, INTO, false, 1, set_up_256, seal_256, open_anything, release_gcm,
};
static const struct offer tiring = {
    "chacha20-poly1305", "soft", 0, INTO, false, 1, set_up_chachapoly, seal_sometimes, open_chachapoly,
    release_chachapoly,
};
static const struct offer *const offers[] = {&wrong, &careless, &tiring};

static const char *version(void) {
    return "1";
}

static const char *start(void) {
    return "the library \"is\" not here";
}

static const struct component broken = {"broken", version, 0, offers, 3};
static const struct component missing = {"missing", version, start, offers, 3};
extern const struct component mbedtls_3;

// Several components in one image, as on a board.
static const struct component *const components[] = {&broken, &missing, &mbedtls_3};
const struct table table = {components, 3, 0, 0};
