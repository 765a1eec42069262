// Mbed TLS, of either series: the same calls work with 3.6 and 2.28. PROVIDER and PREFIX name which one it is. A build
// whose AES is an accelerator names GCM_PATH; GCM_ONLY: nothing else is offered; ABSENT: why it cannot run.
#include "component.h"

#include <mbedtls/aes.h>
#ifndef GCM_ONLY
#include <mbedtls/ccm.h>
#include <mbedtls/chachapoly.h>
#endif
#include <mbedtls/gcm.h>
#include <mbedtls/version.h>

#include <string.h>

// The object of the key in use.
static union {
    mbedtls_gcm_context gcm;
#ifndef GCM_ONLY
    mbedtls_ccm_context ccm;
    mbedtls_chachapoly_context chachapoly;
#endif
} object;

#ifdef MBEDTLS_PLATFORM_CALLOC_MACRO
// The one allocation that is alive at a time: the AES context of the cipher layer, in 2.28.
static struct {
    union {
        mbedtls_aes_context aes;
        uint64_t align;
    } memory;
    bool taken;
} slot;
#define SLOT sizeof slot.memory

void *slot_calloc(size_t count, size_t size) {
    if (slot.taken || size == 0 || count > sizeof slot.memory / size)
        return NULL;
    slot.taken = true;
    return memset(&slot.memory, 0, sizeof slot.memory);
}

void slot_free(void *memory) {
    if (memory == &slot.memory)
        slot.taken = false;
}
#else
#define SLOT 0
#endif

static enum outcome outcome_of(int result, int rejected) {
    return result == 0 ? DONE : result == rejected ? REJECTED : FAILED;
}

static enum outcome set_up_gcm(const uint8_t *key, unsigned bits) {
    mbedtls_gcm_init(&object.gcm);
    return outcome_of(mbedtls_gcm_setkey(&object.gcm, MBEDTLS_CIPHER_ID_AES, key, bits), 0);
}

static enum outcome set_up_gcm_128(const uint8_t *key) {
    return set_up_gcm(key, 128);
}

static enum outcome set_up_gcm_256(const uint8_t *key) {
    return set_up_gcm(key, 256);
}

static enum outcome seal_gcm(const struct call *call) {
    int result = mbedtls_gcm_crypt_and_tag(&object.gcm, MBEDTLS_GCM_ENCRYPT, call->length, call->nonce, 12, call->aad,
                                           call->aad_length, call->input, call->output, TAG, call->tag);
    return outcome_of(result, 0);
}

static enum outcome open_gcm(const struct call *call) {
    int result = mbedtls_gcm_auth_decrypt(&object.gcm, call->length, call->nonce, 12, call->aad, call->aad_length,
                                          call->tag, TAG, call->input, call->output);
    return outcome_of(result, MBEDTLS_ERR_GCM_AUTH_FAILED);
}

static void release_gcm(void) {
    mbedtls_gcm_free(&object.gcm);
}

#ifndef GCM_ONLY
static enum outcome set_up_ccm(const uint8_t *key, unsigned bits) {
    mbedtls_ccm_init(&object.ccm);
    return outcome_of(mbedtls_ccm_setkey(&object.ccm, MBEDTLS_CIPHER_ID_AES, key, bits), 0);
}

static enum outcome set_up_ccm_128(const uint8_t *key) {
    return set_up_ccm(key, 128);
}

static enum outcome set_up_ccm_256(const uint8_t *key) {
    return set_up_ccm(key, 256);
}

static enum outcome seal_ccm(const struct call *call) {
    int result = mbedtls_ccm_encrypt_and_tag(&object.ccm, call->length, call->nonce, 12, call->aad, call->aad_length,
                                             call->input, call->output, call->tag, TAG);
    return outcome_of(result, 0);
}

static enum outcome open_ccm(const struct call *call) {
    int result = mbedtls_ccm_auth_decrypt(&object.ccm, call->length, call->nonce, 12, call->aad, call->aad_length,
                                          call->input, call->output, call->tag, TAG);
    return outcome_of(result, MBEDTLS_ERR_CCM_AUTH_FAILED);
}

static void release_ccm(void) {
    mbedtls_ccm_free(&object.ccm);
}

static enum outcome set_up_chachapoly(const uint8_t *key) {
    mbedtls_chachapoly_init(&object.chachapoly);
    return outcome_of(mbedtls_chachapoly_setkey(&object.chachapoly, key), 0);
}

static enum outcome seal_chachapoly(const struct call *call) {
    int result = mbedtls_chachapoly_encrypt_and_tag(&object.chachapoly, call->length, call->nonce, call->aad,
                                                    call->aad_length, call->input, call->output, call->tag);
    return outcome_of(result, 0);
}

static enum outcome open_chachapoly(const struct call *call) {
    int result = mbedtls_chachapoly_auth_decrypt(&object.chachapoly, call->length, call->nonce, call->aad,
                                                 call->aad_length, call->tag, call->input, call->output);
    return outcome_of(result, MBEDTLS_ERR_CHACHAPOLY_AUTH_FAILED);
}

static void release_chachapoly(void) {
    mbedtls_chachapoly_free(&object.chachapoly);
}
#endif

#ifndef GCM_PATH
#define GCM_PATH "soft"
#endif

#define JOIN_(prefix, name) prefix##_##name
#define JOIN(prefix, name)  JOIN_(prefix, name)
#define OFFER(name)         JOIN(PREFIX, name)

#define OFFERED(name, text, code, bytes, key, mode)                                                                    \
    const struct offer OFFER(name) = {                                                                                 \
        .algorithm = text,                                                                                             \
        .path = code,                                                                                                  \
        .forms = INTO | IN_PLACE,                                                                                      \
        .state = bytes,                                                                                                \
        .set_up = set_up_##key,                                                                                        \
        .seal = seal_##mode,                                                                                           \
        .open = open_##mode,                                                                                           \
        .release = release_##mode,                                                                                     \
    }

OFFERED(aes_128_gcm, "aes-128-gcm", GCM_PATH, sizeof object.gcm + SLOT, gcm_128, gcm);
OFFERED(aes_256_gcm, "aes-256-gcm", GCM_PATH, sizeof object.gcm + SLOT, gcm_256, gcm);
#ifndef GCM_ONLY
OFFERED(aes_128_ccm, "aes-128-ccm", "soft", sizeof object.ccm + SLOT, ccm_128, ccm);
OFFERED(aes_256_ccm, "aes-256-ccm", "soft", sizeof object.ccm + SLOT, ccm_256, ccm);
OFFERED(chacha20_poly1305, "chacha20-poly1305", "soft", sizeof object.chachapoly, chachapoly, chachapoly);
#endif

static const char *version(void) {
    return MBEDTLS_VERSION_STRING;
}

#ifdef ABSENT
static const char *start(void) {
    return ABSENT;
}
#endif

static const struct offer *const offers[] = {
    &OFFER(aes_128_gcm), &OFFER(aes_256_gcm),
#ifndef GCM_ONLY
    &OFFER(aes_128_ccm), &OFFER(aes_256_ccm), &OFFER(chacha20_poly1305),
#endif
};

const struct component PREFIX = {
    .provider = PROVIDER,
    .version = version,
#ifdef ABSENT
    .start = start,
#endif
    .offers = offers,
    .count = sizeof offers / sizeof *offers,
};
